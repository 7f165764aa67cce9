package dev.tensorstack.training.core.plan;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.RestartPolicy;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedPod;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * {@code Always} starts a replica again that is done; not the master, whose success is the job's.
 */
final class RepeatedReplicas {

  private RepeatedReplicas() {}

  /** The ledger with those started again that are done. */
  static Ledger repeat(CurrentState state, Ledger ledger) {
    Ledger result = ledger;
    for (CurrentReplica replica : state.replicas()) {
      if (!replica.done()
          || CurrentState.isOfEarlierAttempt(replica, ledger)
          || state.isMaster(replica.id())
          || state.restartPolicy(replica.id()) != RestartPolicy.ALWAYS) {
        continue;
      }
      result =
          result
              .inMode(
                  result.counts().repeated(replica.id().type()),
                  requireNonNullElse(result.mode(), RunModeKind.TRAIN))
              .withSlots(
                  Slots.replaced(
                      result, state.replicas(), replica.id(), notBefore(state, replica)));
    }
    return result;
  }

  /** The delay grows with the pods that the replica has had; null for at once. */
  static @Nullable Instant notBefore(CurrentState state, CurrentReplica replica) {
    Duration delay = state.settings().restartDelay().before(replica.slot().earlierPods() + 1);
    return delay.isZero() ? null : doneAt(replica.pod(), state.now()).plus(delay);
  }

  private static Instant doneAt(@Nullable ObservedPod pod, Instant now) {
    return pod == null
        ? now
        : pod.containers().stream()
            .map(ObservedContainer::finishedAt)
            .filter(Objects::nonNull)
            .max(Comparator.naturalOrder())
            .orElse(now);
  }
}
