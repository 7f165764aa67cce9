package dev.tensorstack.training.kind.trainingjob.v1beta1;

/** What one failure restarts. */
public enum RestartScope {
  /** All pods together: a new attempt. */
  Job,
  /** The failed pod only. */
  Replica
}
