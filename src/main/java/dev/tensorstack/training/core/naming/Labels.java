package dev.tensorstack.training.core.naming;

/** Labels and annotations that are the same for all kinds of jobs. */
public final class Labels {

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

  /** On objects beside the pods: tells one wish of the operator from another. */
  public static final String APPLIED = "batch.tensorstack.dev/applied";

  /**
   * On a PodGroup: when the operator changed it last so that its scheduler looks at gangs again.
   */
  public static final String WOKEN = "batch.tensorstack.dev/woken";

  private Labels() {}
}
