package dev.tensorstack.training.core.model;

/** Whose fault a failure is. */
public enum FailureCause {
  /** The training code or its container: costs one of the backoff limit when restarted. */
  Application,
  /** The cluster: eviction, preemption, a lost node, a pod deleted by hand. Costs nothing. */
  Disruption
}
