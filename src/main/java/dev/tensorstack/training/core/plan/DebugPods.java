package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.policy.PodFailure;
import java.util.Optional;

/**
 * Whatever ends in debug mode costs nothing and comes back: when the cluster or somebody took it
 * away as after any disruption, else after a delay.
 */
final class DebugPods {

  private DebugPods() {}

  /** The ledger with new places for the pods that have ended or are gone. */
  static Ledger replace(CurrentState state, Restarts restarts, Ledger ledger) {
    Ledger result = ledger;
    for (CurrentReplica replica : state.replicas()) {
      if (CurrentState.isOfEarlierAttempt(replica, ledger)) {
        continue;
      }
      ObservedPod pod = replica.pod();
      Optional<PodFailure> taken = taken(state, replica);
      if (taken.isPresent()) {
        result = restarts.disrupted(result, taken.get());
        result =
            result.withSlots(
                Slots.replaced(
                    result,
                    state.replicas(),
                    replica.id(),
                    restarts.notBefore(result, FailureCause.Disruption, taken.get().time())));
      } else if (pod != null && pod.endedByItself()) {
        result =
            result.withSlots(
                Slots.replaced(
                    result,
                    state.replicas(),
                    replica.id(),
                    RepeatedReplicas.notBefore(state, replica)));
      }
    }
    return result;
  }

  private static Optional<PodFailure> taken(CurrentState state, CurrentReplica replica) {
    if (replica.pod() == null) {
      return replica.slot().uid() == null
          ? Optional.empty()
          : Optional.of(PodFailure.vanished(replica.id(), replica.name(), false, state.now()));
    }
    return PodFailure.of(replica.pod(), state.now(), state.settings().nodeLossGrace())
        .filter(failure -> failure.cause() == FailureCause.Disruption);
  }
}
