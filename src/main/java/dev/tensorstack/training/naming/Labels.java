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

  /**
   * The job's uid; the operator's own selector, and the Service's. The value of a pod that was
   * given up with its node is another one ({@link #givenUp}).
   */
  public static final String JOB_UID = "batch.tensorstack.dev/job-uid";

  private static final String GIVEN_UP = ".given-up";

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

  /** All labels of the operator's own group belong to it. */
  private static final String GROUP = "batch.tensorstack.dev/";

  private Labels() {}

  /**
   * Whether only the operator may set a label on a job's pods.
   *
   * @param label the label's key
   * @return true for those by which it knows its pods
   */
  public static boolean isOperators(String label) {
    return label.startsWith(GROUP)
        || label.equals(OWNER_NAME)
        || label.equals(REPLICA_TYPE)
        || label.equals(REPLICA_INDEX)
        || label.equals(JOB_ROLE)
        || label.equals(MANAGED_BY);
  }

  /**
   * The value of {@link #JOB_UID} of a pod that was given up with its node: nothing that selects
   * the job's pods by uid finds it, above all not the Service.
   *
   * @param jobUid the job's uid
   * @return a label's value, which no uid is
   */
  public static String givenUp(String jobUid) {
    return jobUid + GIVEN_UP;
  }

  /**
   * The job of a pod, whether the pod was given up or not.
   *
   * @param value the value of its label {@link #JOB_UID}
   * @return the job's uid
   */
  public static String jobUid(String value) {
    return value.endsWith(GIVEN_UP)
        ? value.substring(0, value.length() - GIVEN_UP.length())
        : value;
  }
}
