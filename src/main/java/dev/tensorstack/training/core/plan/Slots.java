package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.policy.PodFailure;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The slots of all replicas after some of their pods were given up for new ones. */
final class Slots {

  private Slots() {}

  /**
   * All pods that were created are given up.
   *
   * @param notBefore the earliest moment of creation, or null for at once
   */
  static Map<ReplicaId, Ledger.Slot> ofNextAttempt(
      Ledger ledger, List<CurrentReplica> replicas, @Nullable Instant notBefore) {
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    for (CurrentReplica replica : replicas) {
      Ledger.Slot slot = decided(ledger, replica);
      boolean free = !replica.used() || slot.earlierPods() != replica.slot().earlierPods();
      slots.put(replica.id(), free ? slot.delayed(notBefore) : slot.replaced(notBefore));
    }
    return slots;
  }

  /**
   * The pod of one replica is given up.
   *
   * @param notBefore the earliest moment of its creation, or null for at once
   */
  static Map<ReplicaId, Ledger.Slot> replaced(
      Ledger ledger, List<CurrentReplica> replicas, ReplicaId failed, @Nullable Instant notBefore) {
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    for (CurrentReplica replica : replicas) {
      Ledger.Slot slot = decided(ledger, replica);
      slots.put(replica.id(), replica.id().equals(failed) ? slot.replaced(notBefore) : slot);
    }
    return slots;
  }

  /**
   * The job goes on without some replicas for good. Their end is recorded with that.
   *
   * @param tolerated the failures of their pods
   */
  static Map<ReplicaId, Ledger.Slot> tolerated(
      Ledger ledger, List<CurrentReplica> replicas, List<PodFailure> tolerated) {
    Map<ReplicaId, PodFailure> failures =
        tolerated.stream().collect(Collectors.toMap(PodFailure::replica, Function.identity()));
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    for (CurrentReplica replica : replicas) {
      Ledger.Slot slot = decided(ledger, replica);
      PodFailure failure = failures.get(replica.id());
      slots.put(replica.id(), failure == null ? slot : slot.ended(end(slot, failure)));
    }
    return slots;
  }

  private static Ledger.RecordedEnd end(Ledger.Slot slot, PodFailure failure) {
    Ledger.RecordedEnd recorded = slot.end();
    return recorded != null
        ? recorded.asTolerated()
        : new Ledger.RecordedEnd(
            false,
            failure.cause() == FailureCause.Disruption,
            failure.exitCode(),
            failure.reason(),
            true);
  }

  /** The slot as decided so far: an earlier failure of this moment may have changed it. */
  private static Ledger.Slot decided(Ledger ledger, CurrentReplica replica) {
    Ledger.Slot decided = ledger.slots().get(replica.id());
    return decided != null && decided.earlierPods() != replica.slot().earlierPods()
        ? decided
        : replica.slot();
  }
}
