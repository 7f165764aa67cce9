package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;

/**
 * Whether a plan may be carried out although caches lag: what cannot be taken back needs proof that
 * the job, and its pods, are as the plan knows them (docs/design/ledger.md).
 *
 * @param <R> the Java type of the jobs
 */
final class CacheFreshness<R extends CustomResource<?, ?>> {

  /** When a job is looked at again that has changed since the watch has shown it. */
  private static final Duration STALE = Duration.ofSeconds(1);

  /** The watch's notice enqueues the job, too; this is for one that never comes. */
  private static final Duration NOTICE = Duration.ofSeconds(1);

  private final JobCacheCheck<R> job;
  private final PodCacheCheck pods;

  CacheFreshness(JobKind<R> kind, KubernetesClient client) {
    this.job = new JobCacheCheck<>(kind, client);
    this.pods = new PodCacheCheck(client);
  }

  /**
   * Asks the API server, where that is needed.
   *
   * @param resource the job as the cache has it
   * @param decision whether the plan holds a decision
   * @param stored whether the decision changes the status: its write proves that the job is fresh
   * @return zero when the plan may be carried out, else how long to wait before another look
   * @throws io.fabric8.kubernetes.client.KubernetesClientException when there is no answer
   */
  Duration untilFresh(
      R resource, Observation seen, Plan plan, JobMemory memory, boolean decision, boolean stored) {
    boolean creates = ActionExecutor.wouldCreatePod(memory, plan.actions());
    if ((decision || stored || creates) && memory.readings().awaitNotice()) {
      return NOTICE;
    }
    boolean proved = decision && stored;
    if (!proved
        && ActionExecutor.wouldBegin(seen.job(), memory, plan.actions())
        && !job.isAsCached(resource)) {
      return STALE;
    }
    return decision || creates ? pods.untilCached(seen, memory) : Duration.ZERO;
  }
}
