package dev.tensorstack.training.core.naming;

/** Types and reasons of a job's conditions (docs/reference/conditions.md). */
public final class Conditions {

  /** The Service and the first pods exist. */
  public static final String INITIALIZED = "Initialized";

  /** All desired pods run or are done. */
  public static final String RUNNING = "Running";

  /** A replica failed, or could not be created, and this is not yet mended. */
  public static final String REPLICA_FAILURE = "ReplicaFailure";

  /** The job has ended, well or badly. */
  public static final String COMPLETED = "Completed";

  /** The job has ended badly. */
  public static final String FAILED = "Failed";

  /** The user paused the job. */
  public static final String PAUSED = "Paused";

  /** The job has ended well. */
  public static final String SUCCEEDED = "Succeeded";

  /**
   * The job is not yet what its spec asks for, and the operator works on that; the word of kstatus,
   * which Flux and kpt read.
   */
  public static final String RECONCILING = "Reconciling";

  /** The job failed, or only a person can help; the word of kstatus. */
  public static final String STALLED = "Stalled";

  private Conditions() {}

  /** The words in {@code reason}. */
  public static final class Reasons {
    /** There is no reason. */
    public static final String NONE = "-";

    /** The job ended well. */
    public static final String SUCCEEDED = "Succeeded";

    /** The job ended badly. */
    public static final String FAILED = "Failed";

    /** The job goes on. */
    public static final String NOT_FINISHED = "NotFinished";

    /** {@code activeDeadlineSeconds} passed. */
    public static final String DEADLINE_EXCEEDED = "DeadlineExceeded";

    /** {@code backoffLimit} was used up. */
    public static final String BACKOFF_LIMIT_EXCEEDED = "BackoffLimitExceeded";

    /** A replica failed and its restart policy does not restart it. */
    public static final String REPLICA_FAILED = "ReplicaFailed";

    /** Pods are being replaced. */
    public static final String RESTARTING = "Restarting";

    /** The scheduler finds no node. */
    public static final String UNSCHEDULABLE = "Unschedulable";

    /** An image cannot be pulled. */
    public static final String IMAGE_PULL_FAILED = "ImagePullFailed";

    /** A resource quota is used up. */
    public static final String QUOTA_EXCEEDED = "QuotaExceeded";

    /** The cluster's policies, or an object that is missing or in the way, forbid a pod. */
    public static final String POD_REJECTED = "PodRejected";

    /** The gang scheduler has not placed the pods. */
    public static final String WAITING_FOR_GANG = "WaitingForGang";

    /** The job waits for its turn in its queue. */
    public static final String WAITING_FOR_QUEUE = "WaitingForQueue";

    /** The spec cannot work. */
    public static final String INVALID_SPEC = "InvalidSpec";

    /** The user paused the job. */
    public static final String PAUSED = "Paused";

    /** Pods come back after a pause. */
    public static final String RESUMING = "Resuming";

    /** Debug mode is on. */
    public static final String DEBUGGING = "Debugging";

    /** The training tells no new step for longer than it may. */
    public static final String NO_PROGRESS = "NoProgress";

    /** The training tells a loss that is no number. */
    public static final String NOT_A_NUMBER = "NotANumber";

    private Reasons() {}
  }
}
