package dev.tensorstack.training.kind.trainingjob.v1beta1;

/** Which pods are deleted once a job has ended. */
public enum CleanUpPolicy {
  /** All pods. */
  All,
  /** Those that still run or wait. */
  Unfinished,
  /** None. */
  None
}
