package dev.tensorstack.training.controller;

import dev.tensorstack.training.naming.Labels;
import dev.tensorstack.training.observation.Observation;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.PodReader;
import dev.tensorstack.training.observation.TrainingJob;
import dev.tensorstack.training.resource.OwnedBy;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether the cache has all pods of a job that there are. The first list of a process may come from
 * an API server that lags behind the one that has answered with the job: a pod that the status
 * lists would then seem to have vanished, and would get a replacement that runs beside it. Later
 * the cache is at least as new as anything that this process has seen. So the API server's own
 * store is asked once for each job, before the first decision of this process about it.
 */
final class LivePods {

  private final KubernetesClient client;

  LivePods(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Asks the API server, unless this was answered before.
   *
   * @param seen what the cache has
   * @param memory remembers the answer
   * @return false when pods of the job exist that the cache does not have yet
   * @throws KubernetesClientException when there is no answer
   */
  boolean areAsCached(Observation seen, JobMemory memory) {
    TrainingJob job = seen.job();
    // Without a status there are no pods but those that this process creates.
    if (job.status() == null || memory.expectations().arePodsProven() || !isAnyUnseen(seen)) {
      memory.expectations().podsProven();
      return true;
    }
    return false;
  }

  /** A list without a resource version is consistent; in pages, as of thousands of pods. */
  private boolean isAnyUnseen(Observation seen) {
    TrainingJob job = seen.job();
    Set<String> uids = seen.pods().stream().map(ObservedPod::uid).collect(Collectors.toSet());
    String next = null;
    do {
      PodList page =
          client
              .pods()
              .inNamespace(job.namespace())
              .withLabelIn(Labels.JOB_UID, job.uid(), Labels.givenUp(job.uid()))
              .list(
                  new ListOptionsBuilder()
                      .withLimit(JobObserver.LIST_LIMIT)
                      .withContinue(next)
                      .build());
      if (page.getItems().stream().anyMatch(pod -> isUnseen(pod, seen, uids))) {
        return true;
      }
      next = page.getMetadata().getContinue();
    } while (next != null && !next.isEmpty());
    return false;
  }

  /** Not counted: pods that are no replica's, and those that this process is creating. */
  private static boolean isUnseen(Pod pod, Observation seen, Set<String> uids) {
    return OwnedBy.isOwnedBy(pod, seen.job())
        && PodReader.read(pod, seen.job().names()).isPresent()
        && !uids.contains(pod.getMetadata().getUid())
        && !seen.creating().contains(pod.getMetadata().getName());
  }
}
