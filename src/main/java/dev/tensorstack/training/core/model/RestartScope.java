package dev.tensorstack.training.core.model;

/** What one failure restarts. */
public enum RestartScope {
  /** All pods together: a new attempt. */
  JOB,
  /** The failed pod only. */
  REPLICA
}
