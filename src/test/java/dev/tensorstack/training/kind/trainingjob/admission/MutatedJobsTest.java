package dev.tensorstack.training.kind.trainingjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.pod.PodFactory;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.SpecComparison;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.WarningTexts;
import dev.tensorstack.training.kind.trainingjob.SpecReader;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.world.FreshJob;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Thousands of odd jobs, made of the manifests: whatever the API server might hand over, admission
 * answers, and what it admits can be made into pods. {@code -Dmutation.seed=N} for other ones.
 */
class MutatedJobsTest {

  private static final int MUTANTS = 12_000;
  private static final int PODS_OF_A_MUTANT = 8;

  private final KubernetesSerialization serialization = new KubernetesSerialization();
  private final Defaulter defaulter = new Defaulter(AcceleratorResources.DEFAULT);
  private final Warnings warnings = new Warnings(AcceleratorResources.DEFAULT);

  private int unreadable;
  private int refused;
  private int admitted;
  private int warned;

  @Test
  void whateverIsWrittenIsAnsweredAndWhatIsAdmittedCanRun() {
    long seed = Long.getLong("mutation.seed", 20260101L);
    System.out.println("mutation.seed=" + seed);
    Random random = new Random(seed);
    SpecMutator mutator = new SpecMutator(random);
    List<JsonNode> manifests = new ArrayList<>();
    for (String name : Manifests.names()) {
      manifests.add(serialization.unmarshal(Manifests.text(name), JsonNode.class));
    }
    for (int i = 0; i < MUTANTS; i++) {
      JsonNode mutant = manifests.get(random.nextInt(manifests.size())).deepCopy();
      mutator.mutate((ObjectNode) mutant.get("spec"));
      try {
        check(mutant.toString());
      } catch (RuntimeException | AssertionError problem) {
        throw new AssertionError(
            "mutant " + i + " of -Dmutation.seed=" + seed + ":\n" + mutant.toPrettyString(),
            problem);
      }
    }
    System.out.printf(
        "unreadable %d, refused %d, admitted %d, warned of %d%n",
        unreadable, refused, admitted, warned);
    assertThat(List.of(unreadable, refused, admitted, warned))
        .as("the mutants are of all sorts")
        .allMatch(count -> count > MUTANTS / 20);
  }

  private void check(String json) {
    PyTorchTrainingJob job = serialization.unmarshal(json, PyTorchTrainingJob.class);
    if (job.unreadable() != null) {
      unreadable++;
      assertThat(job.getSpec()).isNull();
      return;
    }
    PyTorchTrainingJobSpec complete = defaulter.complete(job.getSpec());
    assertThat(serialization.asJson(defaulter.complete(complete)))
        .as("completed twice")
        .isEqualTo(serialization.asJson(complete));

    assertThat(SpecComparison.same(complete, stored(complete))).as("stored").isTrue();

    String name = job.getMetadata().getName();
    PyTorchTrainingJobSpec given =
        Objects.requireNonNullElseGet(job.getSpec(), () -> defaulter.complete(null));
    List<Violation> violations = Rules.check(new RuleContext<>(name, complete, null));
    assertThat(Rules.check(new RuleContext<>(name, complete, complete)))
        .as("unchanged, after its defaults")
        .isEqualTo(violations);
    assertThat(changes(new RuleContext<>(name, given, given))).as("unchanged, as given").isEmpty();
    assertThat(changes(new RuleContext<>(name, complete, stored(complete))))
        .as("as given, after it was stored")
        .isEmpty();
    assertThat(violations).allSatisfy(MutatedJobsTest::isComplete);

    List<String> texts =
        WarningTexts.fitting(
            warnings.texts(
                new WarningContext<>(given, new RuleContext<>(name, complete, complete))),
            WarningTexts.ROOM_OF_MUTATE);
    warned += texts.isEmpty() ? 0 : 1;
    assertThat(texts)
        .hasSizeLessThanOrEqualTo(30)
        .allMatch(text -> text.codePointCount(0, text.length()) <= 250)
        .noneMatch(text -> text.chars().anyMatch(Character::isISOControl));

    if (violations.isEmpty()) {
      admitted++;
      buildPods(name, complete);
    } else {
      refused++;
    }
  }

  private PyTorchTrainingJobSpec stored(PyTorchTrainingJobSpec spec) {
    return defaulter.complete(
        serialization.unmarshal(serialization.asJson(spec), PyTorchTrainingJobSpec.class));
  }

  /** Rules about changes; the others are of no use before the defaults. */
  private static List<Violation> changes(RuleContext<PyTorchTrainingJobSpec> subject) {
    List<Violation> violations = new ArrayList<>(new ImmutableRule().check(subject));
    violations.addAll(new ElasticBoundsImmutableRule().check(subject));
    return violations;
  }

  private static void isComplete(Violation violation) {
    assertThat(violation.field()).matches("(spec\\.|metadata\\.name)[-A-Za-z0-9_./\\[\\]]*");
    assertThat(violation.message()).isNotBlank();
  }

  private void buildPods(String name, PyTorchTrainingJobSpec spec) {
    TrainingJob job = FreshJob.of("ns", name, "422e8cc7", SpecReader.read(spec, Map.of()));
    ReplicaLayout layout = ReplicaLayout.of(job.spec());
    PodFactory factory = new PodFactory(job, layout, AcceleratorResources.DEFAULT);
    List<RunModeKind> modes = new ArrayList<>(List.of(RunModeKind.TRAIN, RunModeKind.RESUME));
    if (spec.runMode() != null && spec.runMode().debug() != null) {
      modes.add(RunModeKind.DEBUG);
    }
    List<ReplicaId> replicas = layout.replicas();
    int step = Math.max(1, replicas.size() / PODS_OF_A_MUTANT);
    for (RunModeKind mode : modes) {
      for (int i = 0; i < replicas.size(); i += step) {
        var pod = factory.pod(replicas.get(i), 0, 0, mode);
        if (i == 0) {
          assertThat(serialization.asJson(pod)).contains(name);
        }
        assertThat(pod.getMetadata().getName()).hasSizeLessThanOrEqualTo(63);
      }
    }
  }
}
