package dev.tensorstack.training.world;

import dev.tensorstack.training.admission.Defaulter;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.SpecReader;
import dev.tensorstack.training.kind.trainingjob.TrainingJobKind;
import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.TrainingJob;
import dev.tensorstack.training.policy.AcceleratorResources;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/** A job as the API server has it. */
public final class StoredJob {

  private StoredJob() {}

  /**
   * The job as the operator reads it, before it has a status.
   *
   * @param stored a job with uid, generation and moment of creation
   */
  public static TrainingJob read(PyTorchTrainingJob stored) {
    return new TrainingJob(
        TrainingJobKind.KIND,
        stored.getMetadata().getNamespace(),
        stored.getMetadata().getName(),
        stored.getMetadata().getUid(),
        stored.getMetadata().getGeneration(),
        Instant.parse(stored.getMetadata().getCreationTimestamp()),
        false,
        SpecReader.read(
            new Defaulter(AcceleratorResources.DEFAULT).complete(stored.getSpec()),
            Objects.requireNonNullElse(stored.getMetadata().getLabels(), Map.of())),
        Ledger.EMPTY,
        null);
  }
}
