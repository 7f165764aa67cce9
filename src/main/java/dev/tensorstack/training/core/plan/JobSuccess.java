package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.SuccessCriterion;
import dev.tensorstack.training.core.naming.Conditions;
import dev.tensorstack.training.core.policy.SuccessPolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether a job has succeeded, by the criterion of its kind. */
final class JobSuccess {

  private JobSuccess() {}

  /**
   * Looks at the present pods.
   *
   * @param criterion whose success is the job's
   * @param current the replicas that shall exist, at least one
   * @return how the job ends; null while it has not succeeded
   */
  static Ledger.@Nullable Outcome of(SuccessCriterion criterion, CurrentReplicas current) {
    List<CurrentReplica> replicas = current.all();
    return switch (criterion) {
      case MASTER ->
          SuccessPolicy.succeeded(replicas.get(0).seen())
              ? success("the master, " + current.layout().master() + ", succeeded")
              : null;
      case ALL_REPLICAS ->
          replicas.stream().allMatch(CurrentReplica::done)
              ? success("all replicas succeeded")
              : null;
      case ANY_REPLICA ->
          replicas.stream()
              .filter(CurrentReplica::done)
              .findFirst()
              .map(replica -> success(replica.id() + " succeeded"))
              .orElse(null);
    };
  }

  private static Ledger.Outcome success(String message) {
    return new Ledger.Outcome(true, Conditions.Reasons.SUCCEEDED, message);
  }
}
