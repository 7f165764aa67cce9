package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.observe.ObservedPod;
import org.jspecify.annotations.Nullable;

/**
 * Which failures of a worker leave no rendezvous to come back to. An agent whose script has failed
 * closes it: the other agents end or hang, and a replacement that asks for the same rendezvous is
 * turned away. One that was killed had no time to, one whose init container failed has not begun
 * (docs/design/elastic-torch.md).
 */
public final class ClosedRendezvous {

  private ClosedRendezvous() {}

  /**
   * Whether all pods have to start anew, under another rendezvous id, because of a failure.
   *
   * @param spec what the job is to do
   * @param failure the failure of a pod that is not the master
   * @param pod that pod, or null when it is gone and only the status has its exit code
   * @return true for an elastic job with rendezvous backend c10d whose worker ended by itself
   */
  public static boolean isLeftBy(JobSpec spec, PodFailure failure, @Nullable ObservedPod pod) {
    return spec.hasElasticRing()
        && failure.cause() == FailureCause.Application
        && failure.exitCode() != null
        && failure.exitCode() != PodFailure.KILLED
        && (pod == null || failedInContainer(pod));
  }

  private static boolean failedInContainer(ObservedPod pod) {
    return pod.containers().stream().anyMatch(one -> !one.init() && one.failed());
  }
}
