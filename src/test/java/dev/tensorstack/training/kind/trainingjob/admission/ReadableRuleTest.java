package dev.tensorstack.training.kind.trainingjob.admission;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadableRuleTest {

  private final RuleTester rule = new RuleTester(new ReadableRule());

  private static String job(int replicas, int containers, int init, String more) {
    return "{replicaSpecs: [{type: w, replicas: "
        + replicas
        + ", template: {spec: {containers: ["
        + "{}, ".repeat(containers)
        + "], initContainers: ["
        + "{}, ".repeat(init)
        + "]}}}]"
        + more
        + "}";
  }

  @ParameterizedTest
  @CsvSource({"1, 64, 0", "1, 32, 32", "10000, 10, 0", "1562, 64, 0"})
  void whatTheStatusCanTellOfIsAccepted(int replicas, int containers, int init) {
    assertThat(rule.creation(job(replicas, containers, init, ""))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"65, 0", "0, 65", "64, 1"})
  void aPodHasAtMost64Containers(int containers, int init) {
    assertThat(rule.creation(job(1, containers, init, "")))
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.field())
                  .isEqualTo("spec.replicaSpecs[0].template.spec.containers");
              assertThat(violation.message()).contains("65 containers", "64", "write fewer");
            });
  }

  @ParameterizedTest
  @CsvSource({"10000, 11, 110000", "2147483647, 64, 137438953408"})
  void allPodsTogetherHaveAtMost100000(int replicas, int containers, String together) {
    assertThat(rule.creation(job(replicas, containers, 0, "")))
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.field()).isEqualTo("spec.replicaSpecs");
              assertThat(violation.message()).contains(together, "more than 100000", "write fewer");
            });
  }

  @Test
  void ofAnElasticJobItsLargestSizeCounts() {
    String elastic = ", elastic: {enabled: true, minReplicas: 1, maxReplicas: 10000}";
    assertThat(rule.creation(job(1, 10, 0, elastic))).isEmpty();
    assertThat(fields(rule.creation(job(1, 11, 0, elastic)))).containsExactly("spec.replicaSpecs");
  }

  @Test
  void aJobWithoutTemplatesIsLeftToOtherRules() {
    assertThat(rule.creation("{}")).isEmpty();
    assertThat(rule.creation("{replicaSpecs: [null, {type: a}, {type: b, template: {}}]}"))
        .isEmpty();
  }
}
