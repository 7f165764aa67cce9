package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobKind;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobNames;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobSettings;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Instant;
import java.util.Map;

/** A PyTorchJob as it is stored. */
final class PyTorchJobResource implements SimulatedJob {

  static final PyTorchJobNames NAMES = new PyTorchJobNames("mnist", JobVersion.UID);

  private static final String RESTART_SCOPE = "training.kubeflow.org/restart-scope";
  private static final PyTorchJobKind KIND = new PyTorchJobKind(PyTorchJobSettings.PLAIN);

  private final PyTorchJobSpec spec;

  /** All pods start anew when one fails, as the annotation asks. */
  private final boolean scopeJob;

  /** Null before the first. */
  private final PyTorchJobStatus status;

  private PyTorchJob object;
  private TrainingJob read;

  PyTorchJobResource(PyTorchJobSpec spec, boolean scopeJob, PyTorchJobStatus status) {
    this.spec = spec;
    this.scopeJob = scopeJob;
    this.status = status;
  }

  static PyTorchJobResource of(JobVersion job) {
    return (PyTorchJobResource) job.resource();
  }

  PyTorchJobSpec spec() {
    return spec;
  }

  boolean scopeJob() {
    return scopeJob;
  }

  PyTorchJobStatus status() {
    return status;
  }

  /** The same job with another spec. */
  PyTorchJobResource with(PyTorchJobSpec other) {
    return new PyTorchJobResource(other, scopeJob, status);
  }

  @Override
  public TrainingJob read(long generation) {
    if (read == null || read.generation() != generation) {
      object = new PyTorchJob();
      object.setMetadata(
          new ObjectMetaBuilder()
              .withNamespace("ns")
              .withName("mnist")
              .withUid(JobVersion.UID)
              .withGeneration(generation)
              .withCreationTimestamp(JobVersion.CREATED.toString())
              .withAnnotations(scopeJob ? Map.of(RESTART_SCOPE, "Job") : Map.of())
              .build());
      object.setSpec(spec);
      object.setStatus(status);
      read = KIND.read(object);
    }
    return read;
  }

  @Override
  public PyTorchJobResource reported(TrainingJob job, JobReport report, Instant now) {
    read(job.generation());
    return new PyTorchJobResource(
        spec, scopeJob, KIND.reported(object, job, report, now).getStatus());
  }

  @Override
  public boolean saysTheSame(SimulatedJob other) {
    return status != null && status.equals(((PyTorchJobResource) other).status);
  }

  @Override
  public String summary() {
    return status.conditions() + " " + status.replicaStatuses() + " since " + status.startTime();
  }

  @Override
  public Stated stated() {
    return PyTorchJobWords.of(status);
  }

  @Override
  public PyTorchJobResource edited(Luck luck) {
    return with(RandomPyTorchJob.edit(spec, luck));
  }

  @Override
  public boolean isMaster(ReplicaId replica) {
    return replica.index() == 0
        && replica.type().equals(spec.replicas(ReplicaType.Master) == null ? "worker" : "master");
  }

  /** Its Workers may be scaled, but a lost one is replaced as any other is. */
  @Override
  public boolean elastic() {
    return spec.elasticPolicy() != null;
  }

  @Override
  public boolean losesPeers() {
    return true;
  }

  @Override
  public PodTraits traits(ReplicaId replica) {
    return new PodTraits(
        scopeJob
            ? KubeletRestarts.NEVER
            : switch (policyOf(replica)) {
              case "Always" -> KubeletRestarts.ALWAYS;
              case "OnFailure" -> KubeletRestarts.ON_FAILURE;
              default -> KubeletRestarts.NEVER;
            },
        true,
        false);
  }

  /** The restart policy of a replica's type; that of a type that is no more does not count. */
  String policyOf(ReplicaId replica) {
    for (ReplicaType type : ReplicaType.values()) {
      ReplicaSpec of = spec.replicas(type);
      if (type.label().equals(replica.type()) && of != null) {
        return of.restartPolicy() == null ? "OnFailure" : of.restartPolicy();
      }
    }
    return "OnFailure";
  }

  @Override
  public boolean hasServiceOfEachReplica() {
    return true;
  }

  @Override
  public String wishes() {
    return spec.toString();
  }

  @Override
  public String toString() {
    return spec + (scopeJob ? " scope Job " : " ") + status;
  }
}
