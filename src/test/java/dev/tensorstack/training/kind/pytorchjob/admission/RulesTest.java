package dev.tensorstack.training.kind.pytorchjob.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.WarningContext;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** All rules and warnings together; each has a test of its own beside it. */
class RulesTest {

  private static final Warnings WARNINGS = new Warnings("volcano");

  static Stream<Class<?>> rulesAndWarnings() {
    return Stream.concat(
        Rules.ALL.stream().map(Object::getClass), WARNINGS.all().stream().map(Object::getClass));
  }

  @ParameterizedTest
  @MethodSource("rulesAndWarnings")
  void eachRuleAndEachWarningHasATest(Class<?> rule) {
    assertThat(rule.getName() + "Test")
        .satisfies(name -> assertThat(Class.forName(name)).hasPackage(rule.getPackageName()));
  }

  @Test
  void idsAreDifferent() {
    assertThat(
            Stream.concat(
                Rules.ALL.stream().map(Rule::id), WARNINGS.all().stream().map(Warning::id)))
        .doesNotHaveDuplicates();
  }

  @Test
  void allMistakesAreToldAtOnce() {
    PyTorchJobSpec spec =
        Jobs.spec(
            Jobs.jobOf(
                    "nprocPerNode: x, elasticPolicy: {minReplicas: 5, maxReplicas: 1, rdzvBackend:"
                        + " y}, runPolicy: {backoffLimit: -1}",
                    "chief: {}",
                    Jobs.workers(0))
                .replace("pytorch,", "python,"));

    assertThat(Rules.check(new RuleContext<>("Mnist", spec, null)))
        .extracting(Violation::rule)
        .containsExactly(
            "replica-specs",
            "replica-specs",
            "job-name",
            "template-containers",
            "nproc-per-node",
            "elastic-bounds",
            "rdzv-backend",
            "run-policy");
  }

  @Test
  void whatCanWorkIsNeitherRefusedNorWarnedOf() {
    RuleContext<PyTorchJobSpec> subject = new RuleContext<>("mnist", Jobs.spec(Jobs.job("")), null);

    assertThat(Rules.check(subject)).isEmpty();
    assertThat(WARNINGS.texts(new WarningContext<>(Jobs.given(Jobs.job("")), subject))).isEmpty();
  }

  /** Nothing that can be read makes a rule or a warning fail. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{pytorchReplicaSpecs: {Master: null, Worker: null}, elasticPolicy: {}, runPolicy: {}}",
        "{pytorchReplicaSpecs: {Worker: {template: {}}}, runPolicy: {schedulingPolicy: {}}}",
        "{pytorchReplicaSpecs: {Worker: {template: {metadata: null, spec: null}}}}",
        "{pytorchReplicaSpecs: {Worker: {template: {spec: {containers: [null]}}}}}",
        "{elasticPolicy: {metrics: [null], rdzvConf: [null]}}",
      })
  void oddJobsAreJudgedAsOthersAre(String odd) {
    PyTorchJobSpec given = Jobs.given(odd);
    PyTorchJobSpec spec = Jobs.spec(odd);
    PyTorchJobSpec other = Jobs.spec(Jobs.job("elasticPolicy: {}"));

    assertThat(Rules.check(new RuleContext<>(null, spec, null))).isNotEmpty();
    assertThat(Rules.check(new RuleContext<>("mnist", spec, other))).isNotEmpty();
    assertThat(Rules.check(new RuleContext<>("mnist", other, spec))).isNotNull();
    assertThat(WARNINGS.texts(new WarningContext<>(given, new RuleContext<>(null, spec, given))))
        .isEmpty();
    assertThat(WARNINGS.texts(new WarningContext<>(given, new RuleContext<>(null, given, given))))
        .isEmpty();
  }

  @Test
  void aQuantityIsNamedByItsPlace() {
    PyTorchJobSpec spec =
        Jobs.spec(
            Jobs.workersOnly("runPolicy: {schedulingPolicy: {minResources: {cpu: '1e99'}}}")
                .replace("image: i:1", "image: i:1, resources: {limits: {memory: '1e99'}}"));

    assertThat(Rules.check(new RuleContext<>("mnist", spec, null)))
        .extracting(Violation::field)
        .containsExactlyInAnyOrder(
            "spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].resources.limits[memory]",
            "spec.runPolicy.schedulingPolicy.minResources[cpu]");
  }
}
