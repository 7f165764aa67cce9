package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MalformedQuantitiesTest {

  private static TemplatePath path(String spec) {
    return new TemplatePath(
        Serialization.unmarshal("---\nspec: " + spec, PodTemplateSpec.class),
        Serialization.unmarshal("---\nspec: " + spec, Pod.class),
        "spec.replicaSpecs[0].template");
  }

  private static TemplatePath cpu(String quantity) {
    return path("{containers: [{name: c, resources: {limits: {cpu: '" + quantity + "'}}}]}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2", "500m", "0.5", ".5", "1.", "16Gi", "1e3", "2E", "-1", "+3k"})
  void whatTheApiServerReadsIsNotNamed(String quantity) {
    assertThat(MalformedQuantities.in(cpu(quantity))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"two", "16GB", "2 Gi", "1,5", "16gi", "m"})
  void whatItCannotReadIsNamedWithItsFieldAndARemedy(String quantity) {
    assertThat(MalformedQuantities.in(cpu(quantity)))
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.field())
                  .isEqualTo(
                      "spec.replicaSpecs[0].template.spec.containers[0].resources.limits[cpu]");
              assertThat(violation.message())
                  .isEqualTo(
                      "\"" + quantity + "\" is no quantity: write for example 2, 500m or 16Gi");
            });
  }

  @Test
  void eachContainerIsLookedAt() {
    assertThat(
            MalformedQuantities.in(
                path(
                    "{initContainers: [{name: i, resources: {requests: {memory: much}}}],"
                        + " containers: [{name: c}, {name: d, resources: {requests: {cpu: 1},"
                        + " limits: {memory: more}}}]}")))
        .extracting(Violation::field)
        .containsExactly(
            "spec.replicaSpecs[0].template.spec.initContainers[0].resources.requests[memory]",
            "spec.replicaSpecs[0].template.spec.containers[1].resources.limits[memory]");
  }
}
