package dev.tensorstack.training.core.naming;

import dev.tensorstack.training.core.naming.Conditions.Reasons;

/** The reasons of a job's events (docs/reference/conditions.md, Events). */
public final class Events {

  /** The Service and the pods are about to be created. */
  public static final String CREATED = "Created";

  /** Pods are about to be created after the start. */
  public static final String NEW_REPLICA = "NewReplica";

  /** The first pods of an attempt run or have ended. */
  public static final String START = "Start";

  /** The job runs. */
  public static final String RUNNING = "Running";

  /** A pod failed, and something was decided because of it. */
  public static final String REPLICA_FAILED = "ReplicaFailed";

  /** The training tells no new step for longer than it may. */
  public static final String NO_PROGRESS = Reasons.NO_PROGRESS;

  /** The training tells a loss that is no number. */
  public static final String NOT_A_NUMBER = Reasons.NOT_A_NUMBER;

  /** The log in which a pattern is looked for cannot be read. */
  public static final String LOG_UNREADABLE = "LogUnreadable";

  /** Pods are replaced. */
  public static final String RESTARTING = "Restarting";

  /** An elastic job has another number of nodes now. */
  public static final String SCALED = "Scaled";

  /** Pods find no node. */
  public static final String UNSCHEDULABLE = Reasons.UNSCHEDULABLE;

  /** An image cannot be pulled. */
  public static final String IMAGE_PULL_FAILED = Reasons.IMAGE_PULL_FAILED;

  /** A gang is not placed, or its PodGroup cannot be made. */
  public static final String WAITING_FOR_GANG = Reasons.WAITING_FOR_GANG;

  /** The job waits for its turn in its queue. */
  public static final String WAITING_FOR_QUEUE = Reasons.WAITING_FOR_QUEUE;

  /** The job's queue takes its pods away. */
  public static final String EVICTED = "Evicted";

  /** The job's queue gives it pods again. */
  public static final String ADMITTED = "Admitted";

  /** The API server refuses an object of the job, or the job cannot be read. */
  public static final String CREATE_FAILED = "CreateFailed";

  /** The job names somebody who cannot be, so that nobody works on it. */
  public static final String UNKNOWN_MANAGER = "UnknownManager";

  /** All pods are stopped. */
  public static final String PAUSED = "Paused";

  /** Pods come back after a pause. */
  public static final String RESUMED = "Resumed";

  /** The job ran longer than it may. */
  public static final String DEADLINE_EXCEEDED = "DeadlineExceeded";

  /** The job ended well. */
  public static final String SUCCEEDED = "Succeeded";

  /** The job ended badly. */
  public static final String FAILED = "Failed";

  private Events() {}
}
