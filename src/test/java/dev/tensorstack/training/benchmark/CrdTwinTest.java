package dev.tensorstack.training.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Twins of the CRD differ from it in what they check, and in nothing else. */
class CrdTwinTest {

  private static final String RULES = "x-kubernetes-validations";

  private static ObjectNode installed() throws IOException {
    return (ObjectNode)
        new ObjectMapper()
            .readTree(
                """
                {"metadata": {"name": "pytorchtrainingjobs.batch.tensorstack.dev"},
                 "spec": {"group": "batch.tensorstack.dev", "names": {"plural": "pytorchtrainingjobs"},
                  "versions": [{"name": "v1beta1", "subresources": {"status": {}},
                   "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-validations": [{"rule": "true"}],
                    "properties": {"spec": {"type": "array", "items": {"type": "string", "maxLength": 9,
                     "x-kubernetes-validations": [{"rule": "self == ''"}]}}}}}}]}}
                """);
  }

  private static JsonNode schema(ObjectNode crd) {
    return crd.at("/spec/versions/0/schema/openAPIV3Schema");
  }

  @Test
  void theInstalledOneIsLeftAsItIs() throws IOException {
    assertThat(CrdTwin.INSTALLED.of(installed())).isEqualTo(installed());
  }

  @Test
  void theTwinWithoutRulesKeepsAllElse() throws IOException {
    JsonNode schema = schema(CrdTwin.WITHOUT_RULES.of(installed()));
    assertThat(schema.findValue(RULES)).isNull();
    assertThat(schema.at("/properties/spec/items/maxLength").asInt()).isEqualTo(9);
  }

  @Test
  void theTwinWithoutSchemaTakesEverything() throws IOException {
    JsonNode schema = schema(CrdTwin.WITHOUT_SCHEMA.of(installed()));
    assertThat(schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()).isTrue();
    assertThat(schema.has("properties")).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void eachHasAGroupOfItsOwnAndAStatus(CrdTwin twin) throws IOException {
    ObjectNode crd = twin.of(installed());
    assertThat(crd.at("/metadata/name").asText())
        .isEqualTo("pytorchtrainingjobs." + crd.at("/spec/group").asText());
    assertThat(twin.apiVersion()).isEqualTo(crd.at("/spec/group").asText() + "/v1beta1");
    assertThat(crd.at("/spec/versions/0/subresources/status").isObject()).isTrue();
  }
}
