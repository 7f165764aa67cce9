package dev.tensorstack.training.core.model;

/** Which pods are deleted once a job has ended. */
public enum CleanUpPolicy {
  /** All pods. */
  ALL,
  /** Those that still run or wait. */
  UNFINISHED,
  /** None. */
  NONE
}
