package dev.tensorstack.training.core.model;

/** What to do when a pod of a replica type ends (docs/concepts.md, Success and failure). */
public enum RestartPolicy {
  /** Restart after success too. */
  ALWAYS,
  /** Restart after a failure. */
  ON_FAILURE,
  /** Fail the job with the pod. */
  NEVER,
  /** The same, but a pod that is deleted before it has run is created again. */
  NEVER_AGAIN,
  /** Restart when the exit code is retryable. */
  EXIT_CODE,
  /** The same, and restart when the container whose exit code decides has not ended at all. */
  EXIT_CODE_IF_ANY
}
