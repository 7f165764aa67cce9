package dev.tensorstack.training.kubectl.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A pod's failure as the job's status keeps it.
 *
 * @param replica type and index, for example {@code worker-1}
 * @param pod the pod's name
 * @param cause {@code Application} or {@code Disruption}
 * @param exitCode the container's exit code
 * @param reason one word such as {@code OOMKilled}
 * @param node the node that the pod ran on
 * @param message the termination message or an explanation
 * @param time when it happened
 */
public record PodFailure(
    @Nullable String replica,
    @Nullable String pod,
    @Nullable String cause,
    @Nullable Integer exitCode,
    @Nullable String reason,
    @Nullable String node,
    @Nullable String message,
    @Nullable Instant time) {

  /**
   * Reads a failure.
   *
   * @param tree {@code lastFailure} of a status or ledger
   * @return the failure; null when there is none
   */
  static @Nullable PodFailure of(Tree tree) {
    return tree.isPresent()
        ? new PodFailure(
            tree.text("replica"),
            tree.text("pod"),
            tree.text("cause"),
            tree.number("exitCode"),
            tree.text("reason"),
            tree.text("node"),
            tree.text("message"),
            tree.time("time"))
        : null;
  }

  /**
   * Whether it was no fault of the training: an eviction, a preemption, a lost node.
   *
   * @return true for a disruption, which costs none of the restarts
   */
  public boolean isDisruption() {
    return "Disruption".equals(cause);
  }

  /**
   * Whether no pod failed by itself: the operator ended pods whose training got nowhere.
   *
   * @return true when the reason is that of a {@link Problem}
   */
  public boolean isProblem() {
    return reason != null && Problem.REASONS.contains(reason);
  }

  /**
   * The failure in words.
   *
   * @return for example {@code pod mnist-12e8d-worker-1 (worker-1) failed with exit code 137
   *     (OOMKilled) on node n2}
   */
  public String inWords() {
    if (isProblem()) {
      return "the pods were ended, because the training "
          + (Problem.NO_PROGRESS.equals(reason) ? "made no progress" : "computed what is no number")
          + " ("
          + reason
          + ")";
    }
    return (pod == null ? "a pod" : "pod " + pod)
        + (replica == null ? "" : " (" + replica + ")")
        + " failed"
        + (exitCode == null ? "" : " with exit code " + exitCode)
        + (reason == null ? "" : " (" + reason + ")")
        + (node == null ? "" : " on node " + node);
  }
}
