package dev.tensorstack.training.kind.pytorchjob;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.core.naming.Events;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.queue.KueueQueue;
import dev.tensorstack.training.core.report.JobEvent;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.core.report.LedgerDecoder;
import dev.tensorstack.training.core.report.TrainingCodec;
import dev.tensorstack.training.kind.JobKind;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.pytorchjob.admission.Defaulter;
import dev.tensorstack.training.kind.pytorchjob.admission.ReplicaFields;
import dev.tensorstack.training.kind.pytorchjob.admission.Rules;
import dev.tensorstack.training.kind.pytorchjob.v1.ManagedBy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.RunPolicy;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The kind {@code PyTorchJob} of Kubeflow: an adapter, and nothing that decides. */
public final class PyTorchJobKind implements JobKind<PyTorchJob> {

  private final PyTorchJobSettings settings;

  /**
   * The kind.
   *
   * @param settings what an administrator has set
   */
  public PyTorchJobKind(PyTorchJobSettings settings) {
    this.settings = settings;
  }

  @Override
  public ObjectKind kind() {
    return PyTorchJobAdmission.KIND;
  }

  @Override
  public Class<PyTorchJob> type() {
    return PyTorchJob.class;
  }

  @Override
  public PyTorchJob copy(PyTorchJob resource) {
    return resource.copy();
  }

  @Override
  public String watchedLabels() {
    return PyTorchJobLabels.WATCHED;
  }

  @Override
  public boolean hasTensorboard() {
    return false;
  }

  @Override
  public List<ObjectKind> queueKinds() {
    return KueueQueue.KINDS;
  }

  @Override
  public PyTorchJobNames names(String namespace, String name, String uid) {
    return new PyTorchJobNames(name, uid);
  }

  @Override
  public TrainingJob read(PyTorchJob resource) {
    ObjectMeta metadata = resource.getMetadata();
    return read(
        resource,
        SpecReader.read(
            Defaulter.complete(resource.getSpec()),
            requireNonNullElse(metadata.getLabels(), Map.of()),
            requireNonNullElse(metadata.getAnnotations(), Map.of()),
            settings));
  }

  @Override
  public TrainingJob read(PyTorchJob resource, JobSpec spec) {
    ObjectMeta metadata = resource.getMetadata();
    PyTorchJobNames names = new PyTorchJobNames(metadata.getName(), metadata.getUid());
    StoredLedger ledger = ledger(resource);
    ForeignStatus foreign = ForeignStatus.of(resource.getStatus());
    return new TrainingJob(
        kind(),
        names,
        new PyTorchJobLabels(metadata.getName()),
        metadata.getNamespace(),
        metadata.getName(),
        metadata.getUid(),
        requireNonNullElse(metadata.getGeneration(), 0L),
        Instant.parse(metadata.getCreationTimestamp()),
        metadata.getDeletionTimestamp() != null,
        spec,
        foreign != null
            ? foreign.ledger()
            : ledger == null
                ? Ledger.EMPTY
                : LedgerDecoder.ledger(ledger, names)
                    .withTraining(TrainingCodec.read(resource.getStatus().training())),
        summary(resource));
  }

  private static @Nullable StoredLedger ledger(PyTorchJob resource) {
    return resource.getStatus() == null ? null : resource.getStatus().ledger();
  }

  /**
   * Only of a job that nobody has worked on yet: Kubeflow's operator has accepted what the rules
   * refuse, and a job that runs goes on. One that was never started because of them stays wrong.
   */
  @Override
  public List<Violation> violations(PyTorchJob resource) {
    if (hasConditions(resource) && !hasFailedAsInvalid(ledger(resource))) {
      return List.of();
    }
    return Rules.check(
        new RuleContext<>(
            resource.getMetadata().getName(), Defaulter.complete(resource.getSpec()), null));
  }

  private static boolean hasConditions(PyTorchJob resource) {
    return resource.getStatus() != null
        && !requireNonNullElse(resource.getStatus().conditions(), List.of()).isEmpty();
  }

  private static boolean hasFailedAsInvalid(@Nullable StoredLedger ledger) {
    return ledger != null
        && ledger.outcome() != null
        && Reasons.INVALID_SPEC.equals(ledger.outcome().reason());
  }

  @Override
  public @Nullable String unreadable(PyTorchJob resource) {
    return resource.unreadable();
  }

  @Override
  public @Nullable JobSummary summary(PyTorchJob resource) {
    ForeignStatus foreign = ForeignStatus.of(resource.getStatus());
    if (foreign != null) {
      return foreign.summary(
          ReplicaFields.known(Defaulter.complete(resource.getSpec())).values().stream()
              .mapToInt(replicas -> requireNonNullElse(replicas.replicas(), 1))
              .sum());
    }
    StoredLedger ledger = ledger(resource);
    return ledger == null ? null : LedgerDecoder.summary(ledger);
  }

  @Override
  public PyTorchJob reported(PyTorchJob resource, TrainingJob job, JobReport report, Instant now) {
    PyTorchJob next = new PyTorchJob();
    next.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(job.namespace())
            .withName(job.name())
            .withUid(job.uid())
            .withResourceVersion(resource.getMetadata().getResourceVersion())
            .build());
    ForeignStatus foreign = ForeignStatus.of(resource.getStatus());
    next.setStatus(
        foreign != null && foreign.hasEnded()
            ? resource.getStatus()
            : StatusRendering.of(job, report, resource.getStatus(), now));
    return next;
  }

  /** Without a word, or with that of Kubeflow's operator: this operator has taken its place. */
  @Override
  public boolean isManagedHere(PyTorchJob resource) {
    RunPolicy policy = resource.getSpec() == null ? null : resource.getSpec().runPolicy();
    return policy == null
        || policy.managedBy() == null
        || policy.managedBy().equals(ManagedBy.TRAINING_OPERATOR);
  }

  /** Such a job was stored while no webhook was there: nobody is known to work on it. */
  @Override
  public @Nullable JobEvent leftAlone(PyTorchJob resource) {
    RunPolicy policy = resource.getSpec() == null ? null : resource.getSpec().runPolicy();
    return policy == null
            || policy.managedBy() == null
            || ManagedBy.ALL.contains(policy.managedBy())
        ? null
        : new JobEvent(
            Events.UNKNOWN_MANAGER,
            true,
            0,
            "spec.runPolicy.managedBy: \""
                + policy.managedBy()
                + "\" is unknown, so the job is left alone: create it again with one of "
                + ManagedBy.ALL
                + ", or without the field");
  }

  /**
   * Clients wait for conditions: the master may run long before the workers. A queue such as Kueue
   * gives the quota of a suspended or ended job to others when no pod is active any more.
   */
  @Override
  public boolean isAwaited(PyTorchJob stored, PyTorchJob next) {
    return !conditions(stored).equals(conditions(next))
        || (activePods(stored) > 0 && activePods(next) == 0);
  }

  /** The types of the conditions that are true. */
  private static Set<String> conditions(PyTorchJob job) {
    PyTorchJobStatus status = job.getStatus();
    return status == null || status.conditions() == null
        ? Set.of()
        : status.conditions().stream()
            .filter(condition -> condition != null && "True".equals(condition.status()))
            .map(condition -> String.valueOf(condition.type()))
            .collect(Collectors.toSet());
  }

  private static int activePods(PyTorchJob job) {
    PyTorchJobStatus status = job.getStatus();
    return status == null || status.replicaStatuses() == null
        ? 0
        : status.replicaStatuses().values().stream()
            .mapToInt(type -> type == null ? 0 : requireNonNullElse(type.active(), 0))
            .sum();
  }

  @Override
  public List<JobEvent> events(
      PyTorchJob stored,
      PyTorchJob next,
      Observation seen,
      JobReport report,
      List<JobEvent> found) {
    return PyTorchJobEvents.of(
        Defaulter.complete(stored.getSpec()),
        stored.getStatus(),
        next.getStatus(),
        seen,
        report,
        found,
        settings.gangScheduler());
  }

  @Override
  public String framework() {
    return "pytorch";
  }

  /** The number of workers is completed by the API server's user only; nothing is stored. */
  @Override
  public OptionalInt missingScale(PyTorchJob resource) {
    return OptionalInt.empty();
  }
}
