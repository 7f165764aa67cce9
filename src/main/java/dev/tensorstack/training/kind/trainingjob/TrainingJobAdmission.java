package dev.tensorstack.training.kind.trainingjob;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.JobAdmission;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.SpecComparison;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.trainingjob.admission.Defaulter;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.kind.trainingjob.admission.Warnings;
import dev.tensorstack.training.kind.trainingjob.spec.ConflictingEnableFields;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import dev.tensorstack.training.kind.trainingjob.spec.ScaledSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The kind {@code PyTorchTrainingJob} at admission (docs/reference/admission.md). */
public final class TrainingJobAdmission
    implements JobAdmission<PyTorchTrainingJob, PyTorchTrainingJobSpec> {

  private static final PyTorchTrainingJobSpec EMPTY =
      new PyTorchTrainingJobSpec(null, null, null, null, null, null, null, null);

  private final Defaulter defaulter;
  private final Warnings warnings;
  private final TrainingJobDefaults defaults;

  /**
   * The kind at admission.
   *
   * @param accelerators what counts as an accelerator
   * @param defaults what an administrator gives new jobs
   */
  public TrainingJobAdmission(AcceleratorResources accelerators, TrainingJobDefaults defaults) {
    this.defaulter = new Defaulter(accelerators);
    this.warnings = new Warnings(accelerators);
    this.defaults = defaults;
  }

  @Override
  public ObjectKind kind() {
    return TrainingJobKind.KIND;
  }

  @Override
  public Class<PyTorchTrainingJob> type() {
    return PyTorchTrainingJob.class;
  }

  @Override
  public List<String> rules() {
    return Rules.ALL.stream().map(Rule::id).toList();
  }

  @Override
  public @Nullable String unreadable(PyTorchTrainingJob resource) {
    return resource.unreadable();
  }

  @Override
  public PyTorchTrainingJobSpec spec(PyTorchTrainingJob resource) {
    return resource.getSpec() == null ? EMPTY : resource.getSpec();
  }

  @Override
  public JsonNode settled(JsonNode job) {
    return ConflictingEnableFields.settled(job);
  }

  /** Templates, and what else pods are made from, cannot change. */
  @Override
  public boolean samePods(PyTorchTrainingJobSpec spec, PyTorchTrainingJobSpec stored) {
    return true;
  }

  @Override
  public boolean storesDefaults() {
    return true;
  }

  @Override
  public boolean isManagedHere(PyTorchTrainingJobSpec spec) {
    return spec.managedHere();
  }

  @Override
  public PyTorchTrainingJobSpec withClusterDefaults(
      PyTorchTrainingJobSpec given, @Nullable PyTorchTrainingJobSpec stored) {
    return defaults.applied(given, stored);
  }

  @Override
  public @Nullable String defaultQueue() {
    return defaults.all().queue();
  }

  @Override
  public PyTorchTrainingJobSpec complete(
      PyTorchTrainingJobSpec given, @Nullable PyTorchTrainingJobSpec stored) {
    return defaulter.complete(given, stored);
  }

  @Override
  public PyTorchTrainingJobSpec scaled(PyTorchTrainingJobSpec spec, int replicas) {
    return ScaledSpec.of(spec, replicas);
  }

  @Override
  public boolean same(PyTorchTrainingJobSpec spec, @Nullable PyTorchTrainingJobSpec other) {
    return SpecComparison.same(spec, other);
  }

  @Override
  public List<Violation> violations(
      @Nullable String name, PyTorchTrainingJobSpec spec, @Nullable PyTorchTrainingJobSpec old) {
    return Rules.check(new RuleContext<>(name, spec, old));
  }

  @Override
  public List<String> warnings(
      PyTorchTrainingJobSpec given,
      Map<String, String> labels,
      Map<String, String> annotations,
      @Nullable String name,
      PyTorchTrainingJobSpec spec,
      @Nullable PyTorchTrainingJobSpec old) {
    return warnings.texts(
        new WarningContext<>(given, labels, annotations, new RuleContext<>(name, spec, old)));
  }

  @Override
  public TrainingJob job(
      String namespace,
      String name,
      String uid,
      Map<String, String> labels,
      PyTorchTrainingJobSpec spec) {
    return new TrainingJob(
        TrainingJobKind.KIND,
        JobNames.of(namespace, name, uid),
        new TrainingJobLabels(name, uid),
        namespace,
        name,
        uid,
        0,
        Instant.EPOCH,
        false,
        SpecReader.read(spec, labels),
        Ledger.EMPTY,
        null);
  }

  @Override
  public List<TypeTemplate> templates(PyTorchTrainingJobSpec spec) {
    List<TypeTemplate> templates = new ArrayList<>();
    for (int i = 0; i < spec.replicaSpecs().size(); i++) {
      ReplicaSpec type = spec.replicaSpecs().get(i);
      templates.add(
          new TypeTemplate(type.type(), type.template(), "spec.replicaSpecs[" + i + "].template"));
    }
    return templates;
  }
}
