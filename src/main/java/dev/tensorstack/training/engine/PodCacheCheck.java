package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.OwnedBy;
import dev.tensorstack.training.core.observe.PodReader;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Whether the cache has all pods of a job that there are. Jobs and pods are watched one beside the
 * other, and at the start of a process the pods may lag behind the job that lists them: a pod would
 * seem to have vanished, or an earlier attempt to be gone, and the job would get pods beside those
 * that run. Later the cache is at least as new as anything that this process has seen. So the API
 * server's own store is asked once for each job, before this process decides about it or creates a
 * pod for the first time.
 */
final class PodCacheCheck {

  private static final Logger LOG = Logger.getLogger(PodCacheCheck.class);

  /** A watch that is silent for longer is worth a word. */
  private static final Duration WORTH_TELLING = Duration.ofSeconds(16);

  private final KubernetesClient client;

  PodCacheCheck(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Asks the API server, unless this was answered before.
   *
   * @param seen what the cache has
   * @param memory remembers the answer
   * @return zero when the cache has all pods of the job, else how long to wait before another look
   * @throws KubernetesClientException when there is no answer
   */
  Duration untilCached(Observation seen, JobMemory memory) {
    TrainingJob job = seen.job();
    // Without a status there are no pods but those that this process creates; that there is none is
    // known for certain once the first one is stored.
    if (job.summary() == null || memory.podProof().isThere()) {
      return Duration.ZERO;
    }
    if (!isAnyUnseen(seen, memory.expectations())) {
      memory.podProof().found();
      return Duration.ZERO;
    }
    Duration wait = memory.podProof().failed();
    if (wait.equals(WORTH_TELLING)) {
      LOG.warnf(
          "job %s/%s has pods that the watch of pods has not shown yet; it is not reconciled before"
              + " that: see whether the API server is overloaded, or the watch is cut off",
          job.namespace(), job.name());
    }
    return wait;
  }

  /** A list without a resource version is consistent; in pages, as of thousands of pods. */
  private boolean isAnyUnseen(Observation seen, Expectations expectations) {
    TrainingJob job = seen.job();
    Map.Entry<String, List<String>> label = job.labels().ofAllPods();
    Set<String> uids = seen.pods().stream().map(ObservedPod::uid).collect(Collectors.toSet());
    String next = null;
    do {
      PodList page =
          client
              .pods()
              .inNamespace(job.namespace())
              .withLabelIn(label.getKey(), label.getValue().toArray(String[]::new))
              .list(
                  new ListOptionsBuilder()
                      .withLimit(JobObserver.LIST_LIMIT)
                      .withContinue(next)
                      .build());
      if (page.getItems().stream().anyMatch(pod -> isUnseen(pod, seen, uids, expectations))) {
        return true;
      }
      next = page.getMetadata().getContinue();
    } while (next != null && !next.isEmpty());
    return false;
  }

  /** Not counted: pods that are no replica's, and those that this process has created meanwhile. */
  private static boolean isUnseen(
      Pod pod, Observation seen, Set<String> uids, Expectations expectations) {
    return OwnedBy.isOwnedBy(pod, seen.job())
        && PodReader.read(pod, seen.job()).isPresent()
        && !uids.contains(pod.getMetadata().getUid())
        && !expectations.isExpected(pod.getMetadata().getName(), pod.getMetadata().getUid());
  }
}
