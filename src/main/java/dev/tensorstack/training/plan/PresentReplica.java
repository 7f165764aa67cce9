package dev.tensorstack.training.plan;

import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.ReplicaId;
import org.jspecify.annotations.Nullable;

/**
 * A replica that shall exist, and its present pod.
 *
 * @param id the replica
 * @param name the name of its present pod, whether it exists or not
 * @param slot the pod's place in the ledger
 * @param pod the pod as seen, or null when it does not exist
 */
public record PresentReplica(
    ReplicaId id, String name, Ledger.Slot slot, @Nullable ObservedPod pod) {}
