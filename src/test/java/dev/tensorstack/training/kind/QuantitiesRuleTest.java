package dev.tensorstack.training.kind;

import static dev.tensorstack.training.kind.trainingjob.admission.RuleTester.fields;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.trainingjob.admission.RuleTester;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantitiesRuleTest {

  private final RuleTester rule = new RuleTester(new QuantitiesRule<>());

  private static String pod(String pod) {
    return "{replicaSpecs: [{type: worker, template: {spec: {" + pod + "}}}]}";
  }

  private static String limit(String quantity) {
    return pod("containers: [{name: c, resources: {limits: {memory: '" + quantity + "'}}}]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "500m", "16Gi", "1e18", "0.000000001", "9E", "much"})
  void whatAResourceCanHaveIsAccepted(String quantity) {
    assertThat(rule.creation(limit(quantity))).isEmpty();
  }

  @Test
  void theRemedyIsSaid() {
    assertThat(rule.creation(limit("1e300000000")))
        .containsExactly(
            new Violation(
                "quantities",
                "spec.replicaSpecs[0].template.spec.containers[0].resources.limits[memory]",
                Violation.Reason.FieldValueInvalid,
                "\"1e300000000\" has an exponent outside -18 to 18: no resource has such a quantity;"
                    + " write for example 2, 500m or 16Gi"));
    assertThat(rule.creation(limit("1".repeat(5_000))))
        .singleElement()
        .satisfies(
            violation ->
                assertThat(violation.message())
                    .startsWith("\"" + "1".repeat(40) + "…\" has 5000 characters, more than 64"));
  }

  /** Wherever Kubernetes has a quantity. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "containers: [{resources: {requests: {nvidia.com/gpu: 1e99}}}] | containers[0].resources.requests[nvidia.com/gpu]",
        "initContainers: [{}, {resources: {limits: {cpu: 1e99}}}] | initContainers[1].resources.limits[cpu]",
        "resources: {limits: {cpu: 1e99}} | resources.limits[cpu]",
        "overhead: {cpu: 1e99} | overhead[cpu]",
        "volumes: [{emptyDir: {sizeLimit: 1e99}}] | volumes[0].emptyDir.sizeLimit",
        "volumes: [{ephemeral: {volumeClaimTemplate: {spec: {resources: {requests: {storage: 1e99}}}}}}] | volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]",
        "volumes: [{downwardAPI: {items: [{resourceFieldRef: {divisor: 1e99}}]}}] | volumes[0].downwardAPI.items[0].resourceFieldRef.divisor",
        "volumes: [{projected: {sources: [{downwardAPI: {items: [{resourceFieldRef: {divisor: 1e99}}]}}]}}] | volumes[0].projected.sources[0].downwardAPI.items[0].resourceFieldRef.divisor",
        "containers: [{env: [{valueFrom: {resourceFieldRef: {divisor: 1e99}}}]}] | containers[0].env[0].valueFrom.resourceFieldRef.divisor",
      })
  void itIsFoundInAllOfAPod(String pod, String field) {
    assertThat(fields(rule.creation(pod(pod.replace("1e99", "'1e99'")))))
        .containsExactly("spec.replicaSpecs[0].template.spec." + field);
  }

  @Test
  void itIsFoundInTensorboardAndInMetrics() {
    assertThat(
            fields(
                rule.creation(
                    "{tensorboardSpec: {resources: {limits: {cpu: '1e99'}}}, elastic: {metrics:"
                        + " [{type: Pods, pods: {target: {averageValue: '1e99'}}}]}}")))
        .containsExactlyInAnyOrder(
            "spec.tensorboardSpec.resources.limits[cpu]",
            "spec.elastic.metrics[0].pods.target.averageValue");
  }

  /** All that the rules and the comparison of specs do with such a job, and soon. */
  @ParameterizedTest
  @ValueSource(
      strings = {"1e10000000", "1e300000000", "1e-300000000", "1e2147483647", "1e99999999999"})
  void noRuleWorksWithIt(String quantity) {
    String job =
        "{elastic: {enabled: true, minReplicas: 1, maxReplicas: 2, metrics: [{type: Pods, pods:"
            + " {metric: {name: m}, target: {type: AverageValue, averageValue: '"
            + quantity
            + "'}}}]}, torchrunConfig: {enabled: true}, replicaSpecs: [{type: w, template: {spec:"
            + " {containers: [{args: [t.py], resources: {limits: {nvidia.com/gpu: '"
            + quantity
            + "'}}}]}}}]}";
    assertTimeoutPreemptively(
        Duration.ofSeconds(1),
        () -> {
          List<Violation> found =
              Rules.check(new RuleContext<>("mnist", World.spec(job), World.spec(job)));
          assertThat(found).extracting(Violation::rule).containsOnly("quantities");
          assertThat(found).hasSize(2);
          assertThat(SpecComparison.same(World.spec(job), World.spec(job))).isTrue();
          assertThat(SpecComparison.same(World.spec(job), World.spec(job.replace(quantity, "1e9"))))
              .isFalse();
        });
  }

  @Test
  void aThousandOfThemAreNotAllTold() {
    assertThat(
            rule.creation(
                pod(
                    "containers: ["
                        + "{resources: {limits: {cpu: '1e99'}}},".repeat(1_000)
                        + "{}]")))
        .hasSize(20);
  }
}
