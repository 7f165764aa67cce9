package dev.tensorstack.training.core.model;

/** Whose success is the job's. */
public enum SuccessCriterion {
  /** The master's: index 0 of the first type. */
  MASTER,
  /** That of all replicas together. */
  ALL_REPLICAS,
  /** That of any replica: in an elastic ring all end their training together. */
  ANY_REPLICA
}
