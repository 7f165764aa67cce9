package dev.tensorstack.training.kind.pytorchjob;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.JobAdmission;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.SpecComparison;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.pytorchjob.admission.Defaulter;
import dev.tensorstack.training.kind.pytorchjob.admission.ReplicaFields;
import dev.tensorstack.training.kind.pytorchjob.admission.Rules;
import dev.tensorstack.training.kind.pytorchjob.admission.Warnings;
import dev.tensorstack.training.kind.pytorchjob.spec.ScaledSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ManagedBy;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The kind {@code PyTorchJob} at admission (docs/reference/admission-pytorchjob.md). */
public final class PyTorchJobAdmission implements JobAdmission<PyTorchJob, PyTorchJobSpec> {

  /** What the API server calls the kind. */
  public static final ObjectKind KIND =
      new ObjectKind(
          HasMetadata.getGroup(PyTorchJob.class),
          HasMetadata.getVersion(PyTorchJob.class),
          HasMetadata.getKind(PyTorchJob.class),
          HasMetadata.getPlural(PyTorchJob.class));

  private static final PyTorchJobSpec EMPTY = new PyTorchJobSpec(null, null, null, null);

  private final Warnings warnings;
  private final PyTorchJobSettings settings;
  private final ClusterDefaults defaults;

  /**
   * The kind at admission.
   *
   * @param settings what an administrator has set
   * @param defaults what an administrator gives new jobs
   */
  public PyTorchJobAdmission(PyTorchJobSettings settings, ClusterDefaults defaults) {
    this.warnings = new Warnings(settings.gangScheduler());
    this.settings = settings;
    this.defaults = defaults;
  }

  @Override
  public ObjectKind kind() {
    return KIND;
  }

  @Override
  public Class<PyTorchJob> type() {
    return PyTorchJob.class;
  }

  @Override
  public List<String> rules() {
    return Rules.ALL.stream().map(Rule::id).toList();
  }

  @Override
  public @Nullable String unreadable(PyTorchJob resource) {
    return resource.unreadable();
  }

  @Override
  public PyTorchJobSpec spec(PyTorchJob resource) {
    return Objects.requireNonNullElse(resource.getSpec(), EMPTY);
  }

  /** Nothing in this kind has two spellings. */
  @Override
  public JsonNode settled(JsonNode job) {
    return job;
  }

  /**
   * As in Kubeflow's operator: no difference for GitOps, and Kueue's webhooks see what they saw.
   */
  @Override
  public boolean storesDefaults() {
    return false;
  }

  @Override
  public boolean isManagedHere(PyTorchJobSpec spec) {
    String manager = spec.runPolicy() == null ? null : spec.runPolicy().managedBy();
    return manager == null || manager.equals(ManagedBy.TRAINING_OPERATOR);
  }

  @Override
  public PyTorchJobSpec withClusterDefaults(PyTorchJobSpec given, @Nullable PyTorchJobSpec stored) {
    return PyTorchJobDefaults.applied(defaults, given, stored);
  }

  @Override
  public @Nullable String defaultQueue() {
    return defaults.queue();
  }

  @Override
  public PyTorchJobSpec complete(PyTorchJobSpec given, @Nullable PyTorchJobSpec stored) {
    return Defaulter.complete(given);
  }

  @Override
  public PyTorchJobSpec scaled(PyTorchJobSpec spec, int replicas) {
    return ScaledSpec.of(spec, replicas);
  }

  @Override
  public boolean same(PyTorchJobSpec spec, @Nullable PyTorchJobSpec other) {
    return SpecComparison.same(spec, other);
  }

  /** A suspended job's templates may change: Kueue does it. */
  @Override
  public boolean samePods(PyTorchJobSpec spec, PyTorchJobSpec stored) {
    for (ReplicaType type : ReplicaType.values()) {
      if (!SpecComparison.same(template(spec, type), template(stored, type))) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable PodTemplateSpec template(PyTorchJobSpec spec, ReplicaType type) {
    ReplicaSpec replicas = spec.replicas(type);
    return replicas == null ? null : replicas.template();
  }

  @Override
  public List<Violation> violations(
      @Nullable String name, PyTorchJobSpec spec, @Nullable PyTorchJobSpec old) {
    return Rules.check(new RuleContext<>(name, spec, old));
  }

  @Override
  public List<String> warnings(
      PyTorchJobSpec given,
      Map<String, String> labels,
      Map<String, String> annotations,
      @Nullable String name,
      PyTorchJobSpec spec,
      @Nullable PyTorchJobSpec old) {
    return warnings.texts(
        new WarningContext<>(given, labels, annotations, new RuleContext<>(name, spec, old)));
  }

  @Override
  public TrainingJob job(
      String namespace, String name, String uid, Map<String, String> labels, PyTorchJobSpec spec) {
    return new TrainingJob(
        KIND,
        new PyTorchJobNames(name, uid),
        new PyTorchJobLabels(name),
        namespace,
        name,
        uid,
        0,
        Instant.EPOCH,
        false,
        SpecReader.read(spec, labels, Map.of(), settings),
        Ledger.EMPTY,
        null);
  }

  @Override
  public List<TypeTemplate> templates(PyTorchJobSpec spec) {
    List<TypeTemplate> templates = new ArrayList<>();
    ReplicaFields.known(spec)
        .forEach(
            (type, replicas) ->
                templates.add(
                    new TypeTemplate(
                        type.label(), replicas.template(), ReplicaFields.template(type))));
    return templates;
  }
}
