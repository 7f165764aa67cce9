package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.ObservedPod;
import org.jspecify.annotations.Nullable;

/**
 * A replica that shall exist, and its present pod.
 *
 * @param id the replica
 * @param name the name of its present pod, whether it exists or not
 * @param slot the pod's place in the ledger
 * @param pod the pod as seen, or null when it does not exist
 * @param last the pod as it was seen last, when it had ended and was removed afterwards; else null,
 *     and null when another process of the operator has seen it
 * @param creating whether the pod's creation was sent and not yet answered
 */
public record CurrentReplica(
    ReplicaId id,
    String name,
    Ledger.Slot slot,
    @Nullable ObservedPod pod,
    @Nullable ObservedPod last,
    boolean creating) {

  /**
   * Whether the pod's name is, or was, in use: it can be given to no other pod.
   *
   * @return true when the pod exists, existed, or is being created
   */
  public boolean used() {
    return existed() || creating;
  }

  /**
   * Whether the pod exists or existed.
   *
   * @return false for one whose creation is not answered yet, too
   */
  public boolean existed() {
    return pod != null || slot.uid() != null;
  }

  /**
   * Whether the replica is done: its pod has succeeded by itself, or a stored status has said so.
   * It stays done although the pod is removed later.
   *
   * @return true when nothing is left to do for it
   */
  public boolean done() {
    if (slot.end() != null) {
      return slot.end().succeeded();
    }
    return pod != null && pod.phase() == ObservedPod.Phase.SUCCEEDED && pod.endedByItself();
  }

  /**
   * What tells of the pod.
   *
   * @return the pod as seen, now or last; null when nothing but the ledger tells of it
   */
  public @Nullable ObservedPod seen() {
    return pod == null ? last : pod;
  }

  /**
   * Whether the pod has to be created.
   *
   * @return true when it neither exists nor is being created
   */
  public boolean missing() {
    return pod == null && !creating;
  }
}
