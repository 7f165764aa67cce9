package dev.tensorstack.training.kind.toy;

import dev.tensorstack.training.core.gang.PlainScheduling;
import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.model.CleanUpPolicy;
import dev.tensorstack.training.core.model.DebugStart;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.core.model.RestartPolicy;
import dev.tensorstack.training.core.model.RestartScope;
import dev.tensorstack.training.core.model.ResumeStart;
import dev.tensorstack.training.core.model.RunPolicy;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.naming.JobNaming;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.pod.TorchrunPods;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.core.report.LedgerDecoder;
import dev.tensorstack.training.core.report.LedgerEncoder;
import dev.tensorstack.training.kind.JobKind;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The kind {@code ToyJob}: an adapter, and nothing that decides. */
final class ToyKind implements JobKind<ToyJob> {

  static final String TYPE = "part";

  @Override
  public ObjectKind kind() {
    return new ObjectKind("toys.example.com", "v1", "ToyJob", "toyjobs");
  }

  @Override
  public Class<ToyJob> type() {
    return ToyJob.class;
  }

  @Override
  public ToyJob copy(ToyJob resource) {
    ToyJob copy = new ToyJob();
    copy.setMetadata(resource.getMetadata().toBuilder().build());
    copy.setSpec(resource.getSpec());
    copy.setStatus(resource.getStatus());
    return copy;
  }

  @Override
  public String watchedLabels() {
    return ToyLabels.JOB;
  }

  @Override
  public boolean hasTensorboard() {
    return false;
  }

  @Override
  public JobNaming names(String namespace, String name, String uid) {
    return new ToyNames(name, namespace);
  }

  @Override
  public TrainingJob read(ToyJob resource) {
    ObjectMeta metadata = resource.getMetadata();
    JobNaming names = names(metadata.getNamespace(), metadata.getName(), metadata.getUid());
    StoredLedger memory = memory(resource);
    return new TrainingJob(
        kind(),
        names,
        new ToyLabels(metadata.getName()),
        metadata.getNamespace(),
        metadata.getName(),
        metadata.getUid(),
        metadata.getGeneration(),
        Instant.parse(metadata.getCreationTimestamp()),
        metadata.getDeletionTimestamp() != null,
        spec(resource.getSpec()),
        memory == null ? Ledger.EMPTY : LedgerDecoder.ledger(memory, names),
        summary(resource));
  }

  private static JobSpec spec(ToyJob.Spec spec) {
    ReplicaType type =
        new ReplicaType(
            TYPE,
            spec.parts(),
            1,
            RestartPolicy.ON_FAILURE,
            new PodTemplateSpecBuilder()
                .withNewSpec()
                .addNewContainer()
                .withName("toy")
                .withImage(spec.image())
                .endContainer()
                .endSpec()
                .build(),
            new DebugStart(List.of("sleep", "inf"), false),
            new ResumeStart(null, null, false));
    return new JobSpec(
        List.of(type),
        null,
        null,
        null,
        false,
        spec.pause(),
        new RunPolicy(2, null, RestartScope.REPLICA, Set.of(), CleanUpPolicy.ALL, null, null),
        new PlainScheduling(),
        null,
        TorchrunPods.WITH_MASTER);
  }

  private static @Nullable StoredLedger memory(ToyJob resource) {
    return resource.getStatus() == null ? null : resource.getStatus().memory();
  }

  @Override
  public List<Violation> violations(ToyJob resource) {
    return resource.getSpec().parts() > 0
        ? List.of()
        : List.of(
            new Violation(
                "parts", "spec.parts", Violation.Reason.FieldValueInvalid, "write 1 or more"));
  }

  @Override
  public @Nullable String unreadable(ToyJob resource) {
    return resource.getSpec() == null ? "spec: is missing" : null;
  }

  @Override
  public @Nullable JobSummary summary(ToyJob resource) {
    StoredLedger memory = memory(resource);
    return memory == null ? null : LedgerDecoder.summary(memory);
  }

  @Override
  public ToyJob reported(ToyJob resource, TrainingJob job, JobReport report, Instant now) {
    ToyJob next = new ToyJob();
    next.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(job.namespace())
            .withName(job.name())
            .withUid(job.uid())
            .withResourceVersion(resource.getMetadata().getResourceVersion())
            .build());
    next.setStatus(
        new ToyJob.Status(
            report.summary().phase().name(),
            report.summary().message(),
            LedgerEncoder.write(report)));
    return next;
  }

  @Override
  public OptionalInt missingScale(ToyJob resource) {
    return OptionalInt.empty();
  }
}
