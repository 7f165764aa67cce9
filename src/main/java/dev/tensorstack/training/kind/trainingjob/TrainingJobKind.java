package dev.tensorstack.training.kind.trainingjob;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.HasMetadata;

/** The kind {@code PyTorchTrainingJob} as the API server knows it. */
public final class TrainingJobKind {

  /** Group, version, kind and plural. */
  public static final ObjectKind KIND =
      new ObjectKind(
          HasMetadata.getGroup(PyTorchTrainingJob.class),
          HasMetadata.getVersion(PyTorchTrainingJob.class),
          HasMetadata.getKind(PyTorchTrainingJob.class),
          HasMetadata.getPlural(PyTorchTrainingJob.class));

  private TrainingJobKind() {}
}
