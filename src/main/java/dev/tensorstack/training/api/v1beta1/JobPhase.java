package dev.tensorstack.training.api.v1beta1;

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
  Unknown
}
