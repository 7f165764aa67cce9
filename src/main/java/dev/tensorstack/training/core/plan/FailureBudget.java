package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunPolicy;
import dev.tensorstack.training.core.naming.Conditions;
import dev.tensorstack.training.core.policy.BackoffWindow;
import dev.tensorstack.training.core.policy.FailurePolicy;
import dev.tensorstack.training.core.policy.PodFailure;
import java.util.List;
import java.util.Set;

/** Whether a failure can be restarted, and what a job has paid when it cannot. */
final class FailureBudget {

  private final CurrentState state;
  private final RunPolicy policy;

  FailureBudget(CurrentState state) {
    this.state = state;
    this.policy = state.spec().runPolicy();
  }

  /**
   * Whether a failure cannot be restarted: by its restart policy, or because of the limit. One that
   * was tolerated because of the limit stays terminal, also when the limit is raised afterwards.
   */
  boolean isTerminal(PodFailure failure, Ledger.Counts counts) {
    return state.isTolerated(failure) || !isRestartable(failure) || isOverTheLimit(failure, counts);
  }

  /** Whether nothing but the limit keeps a failure from being restarted. */
  boolean isSpent(PodFailure failure, Ledger.Counts counts) {
    return isRestartable(failure) && isOverTheLimit(failure, counts);
  }

  /**
   * The counts at the end of a job. Failures of the same moment that came first have used up the
   * budget, although nothing is restarted for them any more; what costs nothing is not counted.
   *
   * @param replaced the replicas whose restart was decided on at the same moment
   */
  Ledger.Counts paid(Ledger ledger, List<PodFailure> failures, Set<ReplicaId> replaced) {
    Ledger.Counts counts = ledger.counts();
    for (PodFailure failure : failures) {
      if (replaced.contains(failure.replica()) && failure.cause() == FailureCause.Application) {
        counts = counts.restarted(failure.replica().type(), false, false, state.now());
      }
    }
    return counts;
  }

  /**
   * How a job ends that a failure has decided. The limit of now is not used up when it was raised
   * after an elastic job had gone on without the replica.
   */
  Ledger.Outcome outcome(PodFailure deciding, PodFailure root, Ledger.Counts counts) {
    return isRestartable(deciding)
        ? new Ledger.Outcome(
            false,
            Conditions.Reasons.BACKOFF_LIMIT_EXCEEDED,
            root.describe()
                + (isOverTheLimit(deciding, counts)
                    ? usedUp()
                    : "; the backoffLimit was used up when the job went on without "
                        + deciding.replica()
                        + ", and fewer than minReplicas are left"))
        : new Ledger.Outcome(false, Conditions.Reasons.REPLICA_FAILED, root.describe());
  }

  /** Whether no further restart after a failure is left. */
  boolean isUsedUp(Ledger.Counts counts) {
    return BackoffWindow.count(policy, counts, state.now()) >= policy.backoffLimit();
  }

  /** That it is, as the end of a sentence. */
  String usedUp() {
    return "; the backoffLimit of "
        + policy.backoffLimit()
        + " restarts"
        + BackoffWindow.describe(policy)
        + " is used up";
  }

  private boolean isRestartable(PodFailure failure) {
    return FailurePolicy.decide(
            state.restartPolicy(failure.replica()), policy.retryableExitCodes(), failure)
        == FailurePolicy.Decision.RESTART;
  }

  private boolean isOverTheLimit(PodFailure failure, Ledger.Counts counts) {
    return failure.cause() == FailureCause.Application && isUsedUp(counts);
  }
}
