package dev.tensorstack.training.kind.pytorchjob.v1;

import java.util.Locale;

/** The types of replicas; the keys of {@code pytorchReplicaSpecs}. */
public enum ReplicaType {
  /** Rank 0, where there is one. */
  Master,
  /** All others. */
  Worker;

  /**
   * The type as names and labels of pods have it.
   *
   * @return {@code master} or {@code worker}
   */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
