package dev.tensorstack.training.kind.pytorchjob.v1;

import java.util.List;

/** The values of {@code runPolicy.managedBy}: who works on a job. */
public final class ManagedBy {

  /** This operator, as when nobody is named. */
  public static final String TRAINING_OPERATOR = "kubeflow.org/training-operator";

  /** Kueue, in another cluster: this operator does not touch the job. */
  public static final String MULTIKUEUE = "kueue.x-k8s.io/multikueue";

  /** All of them. */
  public static final List<String> ALL = List.of(TRAINING_OPERATOR, MULTIKUEUE);

  private ManagedBy() {}
}
