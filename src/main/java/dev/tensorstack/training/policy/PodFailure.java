package dev.tensorstack.training.policy;

import dev.tensorstack.training.api.v1beta1.LastFailure;
import dev.tensorstack.training.observation.ObservedContainer;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.ReplicaId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A pod that failed, and why (docs/concepts.md, Success and failure).
 *
 * @param replica the replica
 * @param pod the pod's name
 * @param cause whose fault it is
 * @param exitCode the exit code of the container that failed, or null when none ended
 * @param reason one word: Error, OOMKilled, Evicted, …
 * @param message the termination message or an explanation, or null
 * @param node the node, or null
 * @param time when it happened
 */
public record PodFailure(
    ReplicaId replica,
    String pod,
    FailureCause cause,
    @Nullable Integer exitCode,
    String reason,
    @Nullable String message,
    @Nullable String node,
    Instant time) {

  /** Words in {@code status.reason} with which kubelets refuse or give up a pod. */
  private static final Set<String> KUBELET_DISRUPTIONS =
      Set.of(
          "Evicted",
          "NodeLost",
          "NodeShutdown",
          "Terminated",
          "Shutdown",
          "NodeAffinity",
          "OutOfcpu",
          "OutOfmemory",
          "OutOfpods",
          "OutOfephemeral-storage",
          "UnexpectedAdmissionError",
          "Preempting",
          "TopologyAffinityError");

  /**
   * The failure of a pod.
   *
   * @param pod a pod
   * @param seen when it was seen; the time of the failure if no container says
   * @return the failure, or empty when the pod has not failed
   */
  public static Optional<PodFailure> of(ObservedPod pod, Instant seen) {
    if (pod.phase() != ObservedPod.Phase.FAILED) {
      return Optional.empty();
    }
    ObservedContainer culprit =
        pod.containers().stream().filter(ObservedContainer::failed).findFirst().orElse(null);
    boolean disruption =
        pod.disruption() != null
            || (pod.reason() != null && KUBELET_DISRUPTIONS.contains(pod.reason()));
    String containerReason = culprit == null ? null : culprit.reason();
    String containerMessage = culprit == null ? null : culprit.message();
    return Optional.of(
        new PodFailure(
            pod.replica(),
            pod.name(),
            disruption ? FailureCause.Disruption : FailureCause.Application,
            culprit == null ? null : culprit.exitCode(),
            firstOf(disruption ? pod.reason() : null, containerReason, pod.reason(), "Error"),
            firstOrNull(
                disruption ? firstOrNull(pod.disruption(), pod.message()) : null,
                firstOrNull(containerMessage, pod.message())),
            pod.node(),
            culprit == null || culprit.finishedAt() == null ? seen : culprit.finishedAt()));
  }

  private static String firstOf(
      @Nullable String a, @Nullable String b, @Nullable String c, String otherwise) {
    String some = firstOrNull(a, firstOrNull(b, c));
    return Objects.requireNonNullElse(some, otherwise);
  }

  private static @Nullable String firstOrNull(@Nullable String a, @Nullable String b) {
    return a == null || a.isEmpty() ? b : a;
  }

  /**
   * One sentence for people: which pod, what exit code, why.
   *
   * @return for example {@code pod x-worker-1 (worker-1) failed with exit code 137 (OOMKilled) on
   *     node n2}
   */
  public String describe() {
    StringBuilder text =
        new StringBuilder("pod ").append(pod).append(" (").append(replica).append(") failed");
    if (exitCode != null) {
      text.append(" with exit code ").append(exitCode);
    }
    text.append(" (").append(reason).append(")");
    if (node != null) {
      text.append(" on node ").append(node);
    }
    if (message != null && !message.isBlank()) {
      text.append(": ").append(message.strip());
    }
    return text.toString();
  }

  /**
   * The failure as the status shows it.
   *
   * @return the API's form
   */
  public LastFailure toStatus() {
    return new LastFailure(
        replica.toString(),
        pod,
        cause.name(),
        exitCode,
        reason,
        node,
        message,
        time.truncatedTo(java.time.temporal.ChronoUnit.SECONDS).toString());
  }
}
