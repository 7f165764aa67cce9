package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.observe.ObservedPod;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Pods of a training that hangs are ended by their kubelets before anything takes them away: they
 * get SIGTERM as at a deletion, but pod and log stay, with what the processes write at their end.
 */
final class EndingInPlace {

  /** Until a kubelet has seen it, and has told the end. */
  private static final Duration FOR_THE_KUBELET = Duration.ofSeconds(15);

  private static final long DEFAULT_GRACE = 30;

  private EndingInPlace() {}

  /**
   * Until when a pod is given time to end.
   *
   * @param spec the job's spec
   * @param last the failure that was decided on last
   * @param pod a pod that is to stop
   * @param now the present time
   * @return the moment; null when the pod is deleted as others are
   */
  static @Nullable Instant until(
      JobSpec spec, Ledger.@Nullable Failure last, ObservedPod pod, Instant now) {
    if (!Hangs.isHang(last)
        || last == null
        || last.time() == null
        || !pod.live()
        || pod.phase() != ObservedPod.Phase.RUNNING
        || pod.lostSince() != null
        || pod.createdAt().isAfter(last.time())) {
      return null;
    }
    PodSpec template = spec.type(pod.replica().type()).template().getSpec();
    Long grace = template == null ? null : template.getTerminationGracePeriodSeconds();
    Instant until =
        last.time().plusSeconds(grace == null ? DEFAULT_GRACE : grace).plus(FOR_THE_KUBELET);
    return now.isBefore(until) ? until : null;
  }
}
