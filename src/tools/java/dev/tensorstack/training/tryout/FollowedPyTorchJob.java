package dev.tensorstack.training.tryout;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.kind.pytorchjob.PyTorchJobLabels;
import dev.tensorstack.training.kind.pytorchjob.spec.TrainingContainer;
import dev.tensorstack.training.kind.pytorchjob.v1.JobCondition;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The kind {@code PyTorchJob}, which says how a job is in its conditions. */
final class FollowedPyTorchJob implements FollowedKind<PyTorchJob> {

  private static final String SUCCEEDED = "Succeeded";
  private static final String FAILED = "Failed";

  @Override
  public Class<PyTorchJob> type() {
    return PyTorchJob.class;
  }

  @Override
  public String word() {
    return "pytorchjob";
  }

  @Override
  public String resource() {
    return "pytorchjob";
  }

  @Override
  public String jobLabel() {
    return PyTorchJobLabels.JOB_NAME;
  }

  @Override
  public String replica(Pod pod) {
    Map<String, String> labels = pod.getMetadata().getLabels();
    String type = labels.get(PyTorchJobLabels.REPLICA_TYPE);
    return type == null ? "" : type + "-" + labels.get(PyTorchJobLabels.REPLICA_INDEX);
  }

  @Override
  public String container(Pod pod) {
    List<String> names = pod.getSpec().getContainers().stream().map(Container::getName).toList();
    return names.contains(TrainingContainer.NAME) ? TrainingContainer.NAME : names.get(0);
  }

  @Override
  public String state(PyTorchJob job) {
    PyTorchJobStatus status = job.getStatus();
    List<JobCondition> conditions = conditions(job);
    if (status == null || conditions.isEmpty()) {
      return "created";
    }
    StringBuilder state = new StringBuilder(conditions.get(conditions.size() - 1).type());
    if (status.replicaStatuses() != null) {
      status
          .replicaStatuses()
          .forEach(
              (type, pods) ->
                  state.append(", ").append(type).append(" active ").append(orZero(pods.active())));
    }
    return state
        .append(", restarts ")
        .append(status.ledger() == null ? 0 : orZero(status.ledger().backoff()))
        .toString();
  }

  private static int orZero(@Nullable Integer number) {
    return number == null ? 0 : number;
  }

  @Override
  public boolean ended(PyTorchJob job) {
    return trueCondition(job, SUCCEEDED).isPresent() || trueCondition(job, FAILED).isPresent();
  }

  @Override
  public boolean succeeded(PyTorchJob job) {
    return trueCondition(job, SUCCEEDED).isPresent();
  }

  @Override
  public String failure(PyTorchJob job) {
    return trueCondition(job, FAILED).map(JobCondition::message).orElse("unknown");
  }

  /**
   * A condition of a job that is true.
   *
   * @param job the job, possibly without a status
   * @param type the condition's type
   * @return empty when the job has it not, or it is not true
   */
  static Optional<JobCondition> trueCondition(PyTorchJob job, String type) {
    return conditions(job).stream()
        .filter(condition -> type.equals(condition.type()) && "True".equals(condition.status()))
        .findFirst();
  }

  private static List<JobCondition> conditions(PyTorchJob job) {
    return job.getStatus() == null
        ? List.of()
        : requireNonNullElse(job.getStatus().conditions(), List.of());
  }
}
