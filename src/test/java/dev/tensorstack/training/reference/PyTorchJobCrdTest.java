package dev.tensorstack.training.reference;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** What clients of Kubeflow's operator see of the kind is in the CRD. */
class PyTorchJobCrdTest {

  private static final JsonNode CRD =
      new ObjectMapper().valueToTree(new Yaml().<Object>load(PyTorchJobCrd.generate()));
  private static final JsonNode VERSION = CRD.at("/spec/versions/0");
  private static final JsonNode SPEC = VERSION.at("/schema/openAPIV3Schema/properties/spec");

  @Test
  void namesAreThoseOfKubeflow() {
    assertThat(CRD.at("/metadata/name").asText()).isEqualTo("pytorchjobs.kubeflow.org");
    assertThat(CRD.at("/spec/names"))
        .hasToString(
            "{\"kind\":\"PyTorchJob\",\"plural\":\"pytorchjobs\",\"singular\":\"pytorchjob\"}");
    assertThat(CRD.at("/spec/scope").asText()).isEqualTo("Namespaced");
    assertThat(VERSION.at("/name").asText()).isEqualTo("v1");
  }

  @Test
  void scaleIsAboutWorkers() {
    assertThat(VERSION.at("/subresources/scale/specReplicasPath").asText())
        .isEqualTo(".spec.pytorchReplicaSpecs.Worker.replicas");
    assertThat(VERSION.at("/subresources/scale/statusReplicasPath").asText())
        .isEqualTo(".status.replicaStatuses.Worker.active");
    assertThat(VERSION.at("/subresources/scale/labelSelectorPath").asText())
        .isEqualTo(".status.replicaStatuses.Worker.selector");
    assertThat(VERSION.at("/subresources/status").isObject()).isTrue();
  }

  @Test
  void theStateIsTheLastCondition() {
    assertThat(VERSION.at("/additionalPrinterColumns").findValuesAsText("name"))
        .containsExactly("State", "Age");
    assertThat(VERSION.at("/additionalPrinterColumns").findValuesAsText("jsonPath"))
        .containsExactly(".status.conditions[-1:].type", ".metadata.creationTimestamp");
    assertThat(
            VERSION
                .at("/schema/openAPIV3Schema/properties/status/properties/conditions")
                .has("x-kubernetes-list-type"))
        .as("a list that may be put into another order")
        .isFalse();
  }

  @Test
  void onlySuspendHasADefault() {
    List<JsonNode> defaults = SPEC.findValues("default");

    assertThat(defaults).hasSize(1);
    assertThat(SPEC.at("/properties/runPolicy/properties/suspend/default").isBoolean()).isTrue();
    assertThat(defaults.get(0).asBoolean()).isFalse();
  }

  @Test
  void whatIsStoredAlreadyStaysValid() {
    for (String word : List.of("enum", "minimum", "maximum", "pattern", "maxLength", "maxItems")) {
      assertThat(SPEC.findValues(word)).as(word).isEmpty();
    }
    List<String> required = new ArrayList<>();
    SPEC.findValues("required")
        .forEach(names -> names.forEach(name -> required.add(name.asText())));
    assertThat(required).containsExactly("pytorchReplicaSpecs");
  }

  @Test
  void templatesAndMetricsMayHoldAnything() {
    assertThat(
            SPEC.at(
                    "/properties/pytorchReplicaSpecs/additionalProperties/properties/template/x-kubernetes-preserve-unknown-fields")
                .asBoolean())
        .isTrue();
    assertThat(
            SPEC.at(
                    "/properties/elasticPolicy/properties/metrics/items/x-kubernetes-preserve-unknown-fields")
                .asBoolean())
        .isTrue();
  }

  @Test
  void whatMustNotChangeIsSaidInCel() {
    assertThat(SPEC.findValues("x-kubernetes-validations")).hasSize(2);
    assertThat(
            SPEC.at("/properties/runPolicy/properties/schedulingPolicy/properties/queue")
                .findValuesAsText("rule"))
        .containsExactly("self == oldSelf");
    assertThat(
            SPEC.at("/properties/runPolicy/properties/managedBy/x-kubernetes-validations/0/message")
                .asText())
        .isEqualTo("spec.runPolicy.managedBy is immutable");
  }

  @Test
  void everyFieldIsDescribed() {
    List<String> without = new ArrayList<>();
    describe("", VERSION.at("/schema/openAPIV3Schema"), without);
    assertThat(without).isEmpty();
  }

  private static void describe(String path, JsonNode schema, List<String> without) {
    schema
        .path("properties")
        .fields()
        .forEachRemaining(
            field -> {
              String name = path + "." + field.getKey();
              if (!field.getValue().has("description")) {
                without.add(name);
              }
              describe(name, field.getValue(), without);
              describe(name + "[]", field.getValue().path("items"), without);
              describe(name + "[]", field.getValue().path("additionalProperties"), without);
            });
  }
}
