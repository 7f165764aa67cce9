package dev.tensorstack.training.tryout;

import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Columns;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;

/** The kind {@code PyTorchTrainingJob}, which says how a job is in its phase and columns. */
final class FollowedTrainingJob implements FollowedKind<PyTorchTrainingJob> {

  @Override
  public Class<PyTorchTrainingJob> type() {
    return PyTorchTrainingJob.class;
  }

  @Override
  public String word() {
    return "pj";
  }

  @Override
  public String resource() {
    return "pytorchtrainingjob";
  }

  @Override
  public String jobLabel() {
    return TrainingJobLabels.OWNER_NAME;
  }

  @Override
  public String replica(Pod pod) {
    Map<String, String> labels = pod.getMetadata().getLabels();
    String type = labels.get(TrainingJobLabels.REPLICA_TYPE);
    return type == null ? "" : type + "-" + labels.get(TrainingJobLabels.REPLICA_INDEX);
  }

  @Override
  public String container(Pod pod) {
    return pod.getSpec().getContainers().get(0).getName();
  }

  @Override
  public String state(PyTorchTrainingJob job) {
    PyTorchTrainingJobStatus status = job.getStatus();
    if (status == null || status.columns() == null) {
      return "created";
    }
    Columns columns = status.columns();
    return status.phase()
        + ", running "
        + columns.running()
        + ", restarts "
        + columns.restarts()
        + ("-".equals(columns.reason()) ? "" : ", " + columns.reason());
  }

  @Override
  public boolean ended(PyTorchTrainingJob job) {
    return job.getStatus() != null && job.getStatus().completionTime() != null;
  }

  @Override
  public boolean succeeded(PyTorchTrainingJob job) {
    return "Succeeded".equals(job.getStatus().phase());
  }

  @Override
  public String failure(PyTorchTrainingJob job) {
    return job.getStatus().conditions().stream()
        .filter(condition -> "Failed".equals(condition.type()))
        .map(JobCondition::message)
        .findFirst()
        .orElse("unknown");
  }
}
