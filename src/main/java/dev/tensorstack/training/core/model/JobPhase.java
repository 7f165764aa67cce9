package dev.tensorstack.training.core.model;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The one-word state of a job. */
public enum JobPhase {
  /** Not all desired pods run yet. */
  Pending,
  /** All desired pods run or are done. */
  Running,
  /** Paused by the user; no pods. */
  Paused,
  /** Pods come back after a pause. */
  Resuming,
  /** The master ended well. */
  Succeeded,
  /** The job ended badly. */
  Failed,
  /** The master's state cannot be known. */
  Unknown;

  private static final JobPhase[] ALL = values();

  /**
   * Finds a phase by its word in a status.
   *
   * @param word {@code status.phase}, or null
   * @return the phase; empty for null and for a word that only another version knows
   */
  public static Optional<JobPhase> of(@Nullable String word) {
    for (JobPhase phase : ALL) {
      if (phase.name().equals(word)) {
        return Optional.of(phase);
      }
    }
    return Optional.empty();
  }
}
