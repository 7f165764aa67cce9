package dev.tensorstack.training.kind.trainingjob;

import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.naming.Events;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.queue.KueueQueue;
import dev.tensorstack.training.core.report.JobEvent;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.kind.JobKind;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.admission.Defaulter;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ManagedBy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The kind {@code PyTorchTrainingJob} of {@code batch.tensorstack.dev}. */
public final class TrainingJobKind implements JobKind<PyTorchTrainingJob> {

  /** Group, version, kind and plural. */
  public static final ObjectKind KIND =
      new ObjectKind(
          HasMetadata.getGroup(PyTorchTrainingJob.class),
          HasMetadata.getVersion(PyTorchTrainingJob.class),
          HasMetadata.getKind(PyTorchTrainingJob.class),
          HasMetadata.getPlural(PyTorchTrainingJob.class));

  private final Defaulter defaulter;

  /**
   * The kind.
   *
   * @param accelerators what counts as an accelerator: the default of {@code procPerNode} depends
   *     on it
   */
  public TrainingJobKind(AcceleratorResources accelerators) {
    this.defaulter = new Defaulter(accelerators);
  }

  @Override
  public ObjectKind kind() {
    return KIND;
  }

  @Override
  public Class<PyTorchTrainingJob> type() {
    return PyTorchTrainingJob.class;
  }

  @Override
  public PyTorchTrainingJob copy(PyTorchTrainingJob resource) {
    return resource.copy();
  }

  @Override
  public String watchedLabels() {
    return TrainingJobLabels.JOB_UID;
  }

  @Override
  public boolean hasTensorboard() {
    return true;
  }

  @Override
  public List<ObjectKind> queueKinds() {
    return KueueQueue.KINDS;
  }

  @Override
  public JobNames names(String namespace, String name, String uid) {
    return JobNames.of(namespace, name, uid);
  }

  @Override
  public TrainingJob read(PyTorchTrainingJob resource) {
    return read(
        resource,
        SpecReader.read(
            defaulter.complete(resource.getSpec()),
            Objects.requireNonNullElse(resource.getMetadata().getLabels(), Map.of())));
  }

  @Override
  public TrainingJob read(PyTorchTrainingJob resource, JobSpec spec) {
    ObjectMeta metadata = resource.getMetadata();
    JobNames names = names(metadata.getNamespace(), metadata.getName(), metadata.getUid());
    return new TrainingJob(
        KIND,
        names,
        new TrainingJobLabels(metadata.getName(), metadata.getUid()),
        metadata.getNamespace(),
        metadata.getName(),
        metadata.getUid(),
        Objects.requireNonNullElse(metadata.getGeneration(), 0L),
        Instant.parse(metadata.getCreationTimestamp()),
        metadata.getDeletionTimestamp() != null,
        spec,
        StatusReader.ledger(resource.getStatus(), names),
        StatusReader.summary(resource.getStatus()));
  }

  @Override
  public List<Violation> violations(PyTorchTrainingJob resource) {
    return violations(resource.getMetadata().getName(), defaulter.complete(resource.getSpec()));
  }

  private static List<Violation> violations(String name, PyTorchTrainingJobSpec completed) {
    return Rules.check(new RuleContext<>(name, completed, null));
  }

  @Override
  public @Nullable String unreadable(PyTorchTrainingJob resource) {
    return resource.unreadable();
  }

  @Override
  public @Nullable JobSummary summary(PyTorchTrainingJob resource) {
    return StatusReader.summary(resource.getStatus());
  }

  @Override
  public PyTorchTrainingJob reported(
      PyTorchTrainingJob resource, TrainingJob job, JobReport report, Instant now) {
    PyTorchTrainingJob next = new PyTorchTrainingJob();
    next.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(job.namespace())
            .withName(job.name())
            .withUid(job.uid())
            .withResourceVersion(resource.getMetadata().getResourceVersion())
            .build());
    next.setStatus(StatusRendering.of(job, report, resource.getStatus(), now));
    return next;
  }

  /** How much of the budget is used now. */
  @Override
  public boolean isAwaited(PyTorchTrainingJob stored, PyTorchTrainingJob next) {
    PyTorchTrainingJobStatus before = stored.getStatus();
    PyTorchTrainingJobStatus after = next.getStatus();
    return before != null
        && after != null
        && !Objects.equals(before.recentBackoffCount(), after.recentBackoffCount());
  }

  @Override
  public boolean isManagedHere(PyTorchTrainingJob resource) {
    return resource.getSpec() == null || resource.getSpec().managedHere();
  }

  /**
   * Anybody may work on a job; only of one that was stored past the rules, with a name that nobody
   * can have, it is known that nobody does.
   */
  @Override
  public @Nullable JobEvent leftAlone(PyTorchTrainingJob resource) {
    String manager = resource.getSpec() == null ? null : resource.getSpec().managedBy();
    return manager == null || ManagedBy.isName(manager)
        ? null
        : new JobEvent(
            Events.UNKNOWN_MANAGER,
            true,
            0,
            "spec.managedBy: \""
                + manager
                + "\" is nobody's name, so the job is left alone: create it again with one such as "
                + ManagedBy.THIS_OPERATOR
                + ", or without the field");
  }

  @Override
  public OptionalInt missingScale(PyTorchTrainingJob resource) {
    if (hasCount(resource.getSpec())) {
      return OptionalInt.empty();
    }
    PyTorchTrainingJobSpec completed = defaulter.complete(resource.getSpec());
    return hasCount(completed)
            && violations(resource.getMetadata().getName(), completed).isEmpty()
            && completed.elastic() != null
            && completed.elastic().expectedReplicas() != null
        ? OptionalInt.of(completed.elastic().expectedReplicas())
        : OptionalInt.empty();
  }

  private static boolean hasCount(@Nullable PyTorchTrainingJobSpec spec) {
    return spec != null && spec.elastic() != null && spec.elastic().expectedReplicas() != null;
  }
}
