package dev.tensorstack.training.naming;

/** Labels and annotations that the operator sets or reads (docs/concepts.md, Objects and names). */
public final class Labels {

  /** The job's name; the selector that users rely on. */
  public static final String OWNER_NAME = "tensorstack.dev/owner-name";

  /** The replica's type. */
  public static final String REPLICA_TYPE = "replica-type";

  /** The replica's index in its type. */
  public static final String REPLICA_INDEX = "replica-index";

  /** {@link #ROLE_MASTER} on the master, absent elsewhere. */
  public static final String JOB_ROLE = "job-role";

  /** The value of {@link #JOB_ROLE}. */
  public static final String ROLE_MASTER = "master";

  /** The job's uid; the operator's own selector. */
  public static final String JOB_UID = "batch.tensorstack.dev/job-uid";

  /** The attempt that a pod belongs to, from 0. */
  public static final String ATTEMPT = "batch.tensorstack.dev/attempt";

  /** The run mode that a pod was made for; absent for plain training. */
  public static final String RUN_MODE = "batch.tensorstack.dev/run-mode";

  /** Kubernetes' recommended label for the tool that made an object. */
  public static final String MANAGED_BY = "app.kubernetes.io/managed-by";

  /** The value of {@link #MANAGED_BY}, and the field manager and event source of all writes. */
  public static final String OPERATOR = "pytorchtrainingjob-operator";

  /** Kubernetes' recommended label for the name of an application; on TensorBoard's pods. */
  public static final String APPLICATION = "app.kubernetes.io/name";

  /** The value of {@link #APPLICATION}. */
  public static final String TENSORBOARD = "tensorboard";

  /**
   * Kubernetes' recommended label for one installation of an application: the base of its names.
   */
  public static final String INSTANCE = "app.kubernetes.io/instance";

  /** On a job: the Kueue queue; its pods carry it too. */
  public static final String KUEUE_QUEUE = "kueue.x-k8s.io/queue-name";

  /** On objects beside the pods: tells one wish of the operator from another. */
  public static final String APPLIED = "batch.tensorstack.dev/applied";

  private Labels() {}
}
