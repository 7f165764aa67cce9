package dev.tensorstack.training.kind.pytorchjob.v1;

/** Which pods are deleted once a job has ended. */
public enum CleanPodPolicy {
  /** None. */
  None,
  /** Those that run or wait. */
  Running,
  /** All pods. */
  All
}
