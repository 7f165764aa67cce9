package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.trainingjob.SpecReader;
import dev.tensorstack.training.kind.trainingjob.StatusReader;
import dev.tensorstack.training.kind.trainingjob.TrainingJobKind;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import java.time.Instant;
import java.util.Map;

/**
 * The job as the API server had it at one moment.
 *
 * @param version the resourceVersion
 * @param exists false once it is deleted
 * @param stated what the status says
 */
record JobVersion(
    long version,
    long generation,
    PyTorchTrainingJobSpec spec,
    PyTorchTrainingJobStatus status,
    boolean exists,
    Stated stated) {

  static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
  static final String UID = "422e8cc7-163f-4d49-9fb8-d059e490a09b";
  static final JobNames NAMES = JobNames.of("ns", "mnist", UID);

  TrainingJob job() {
    return new TrainingJob(
        TrainingJobKind.KIND,
        NAMES,
        new TrainingJobLabels("mnist", UID),
        "ns",
        "mnist",
        UID,
        generation,
        CREATED,
        false,
        SpecReader.read(spec, Map.of()),
        StatusReader.ledger(status, NAMES),
        StatusReader.summary(status));
  }

  boolean pauseWanted() {
    return spec.runMode() != null && spec.runMode().pause() != null && spec.runMode().pause().on();
  }

  boolean debugWanted() {
    return spec.runMode() != null && spec.runMode().debug() != null && spec.runMode().debug().on();
  }

  boolean isMaster(ReplicaId replica) {
    return replica.index() == 0 && replica.type().equals(spec.replicaSpecs().get(0).type());
  }

  boolean elastic() {
    return spec.elastic() != null && spec.elastic().on();
  }
}
