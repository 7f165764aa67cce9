package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.kind.trainingjob.SpecReader;
import dev.tensorstack.training.kind.trainingjob.StatusReader;
import dev.tensorstack.training.kind.trainingjob.StatusRendering;
import dev.tensorstack.training.kind.trainingjob.TrainingJobKind;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import java.time.Instant;
import java.util.Map;

/** A PyTorchTrainingJob as it is stored; the status is null before the first. */
record TrainingJobResource(PyTorchTrainingJobSpec spec, PyTorchTrainingJobStatus status)
    implements SimulatedJob {

  static final JobNames NAMES = JobNames.of("ns", "mnist", JobVersion.UID);

  /** The spec of a job of this kind. */
  static PyTorchTrainingJobSpec specOf(JobVersion job) {
    return ((TrainingJobResource) job.resource()).spec();
  }

  @Override
  public TrainingJob read(long generation) {
    return new TrainingJob(
        TrainingJobKind.KIND,
        NAMES,
        new TrainingJobLabels("mnist", JobVersion.UID),
        "ns",
        "mnist",
        JobVersion.UID,
        generation,
        JobVersion.CREATED,
        false,
        SpecReader.read(spec, Map.of()),
        StatusReader.ledger(status, NAMES),
        StatusReader.summary(status));
  }

  @Override
  public TrainingJobResource reported(TrainingJob job, JobReport report, Instant now) {
    return new TrainingJobResource(spec, StatusRendering.of(job, report, status, now));
  }

  @Override
  public boolean saysTheSame(SimulatedJob other) {
    return status != null && status.equals(((TrainingJobResource) other).status);
  }

  @Override
  public String summary() {
    return status.phase() + " " + status.columns();
  }

  @Override
  public Stated stated() {
    return Stated.of(status);
  }

  @Override
  public TrainingJobResource edited(Luck luck) {
    return new TrainingJobResource(RandomJob.edit(spec, luck), status);
  }

  @Override
  public boolean isMaster(ReplicaId replica) {
    return replica.index() == 0 && replica.type().equals(spec.replicaSpecs().get(0).type());
  }

  @Override
  public boolean elastic() {
    return spec.elastic() != null && spec.elastic().on();
  }

  @Override
  public boolean losesPeers() {
    return spec.torchrunOn();
  }

  @Override
  public PodTraits traits(ReplicaId replica) {
    return new PodTraits(KubeletRestarts.NEVER, false, true);
  }

  @Override
  public String wishes() {
    return spec.runMode()
        + " "
        + spec.runPolicy()
        + " "
        + spec.elastic()
        + " "
        + spec.replicaSpecs();
  }

  @Override
  public boolean hasServiceOfEachReplica() {
    return false;
  }
}
