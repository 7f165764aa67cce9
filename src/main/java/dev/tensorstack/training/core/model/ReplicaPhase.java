package dev.tensorstack.training.core.model;

/** The state of one replica. */
public enum ReplicaPhase {
  /** No pod yet, or it has no node yet. */
  Creating,
  /** Has a node; containers not started. */
  Pending,
  /** Running. */
  Running,
  /** Ended well. */
  Succeeded,
  /** Ended badly. */
  Failed,
  /** The node does not report. */
  Unknown,
  /** Being deleted, or gone. */
  Deleted
}
