package dev.tensorstack.training.release;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.chart.ChartFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Objects that the CRDs of the release before have accepted are accepted, and kept whole, by those
 * of today. {@code -Dcrds.before=FOLDER} compares with others than the recorded ones; {@code
 * .ci/crd-upgrade} does so for a tag.
 */
class CrdUpgradeTest {

  private static final Path BEFORE =
      Path.of(System.getProperty("crds.before", "src/test/resources/crds"));

  /** Changes that are meant, and why no stored object is in their way. */
  private static final Map<String, String> MEANT = Map.of();

  @Test
  void theCrdsAcceptWhatThoseBeforeHaveAccepted() {
    List<String> changes = new ArrayList<>();
    for (Path before : ChartFiles.list(BEFORE).toList()) {
      String name = before.getFileName().toString();
      Path after = ChartFiles.MANIFESTS.resolve(name);
      if (!Files.exists(after)) {
        changes.add(name + " is gone");
        continue;
      }
      for (String change : CrdChanges.between(ChartFiles.yaml(before), ChartFiles.yaml(after))) {
        changes.add(name + ": " + change);
      }
    }
    Set<String> unmeant = new TreeSet<>(changes);
    unmeant.removeAll(MEANT.keySet());
    assertThat(unmeant)
        .as(
            "changes since the CRDs in %s; one that is meant goes into MEANT with its reason",
            BEFORE)
        .isEmpty();
    assertThat(MEANT.keySet()).as("meant, but not there").isSubsetOf(changes);
  }

  @Test
  void bothKindsAreRecorded() {
    Set<String> crds = new TreeSet<>();
    for (Path manifest : ChartFiles.list(ChartFiles.MANIFESTS).toList()) {
      if (ChartFiles.text(manifest).contains("kind: CustomResourceDefinition")) {
        crds.add(manifest.getFileName().toString());
      }
    }
    assertThat(ChartFiles.list(Path.of("src/test/resources/crds")))
        .extracting(file -> file.getFileName().toString())
        .containsExactlyElementsOf(crds);
  }

  /** On the left a schema of {@code spec.a}, in the middle what it becomes. */
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {type: string}                    | {type: integer}                  | v1.spec.a: type was string, is integer
          {type: integer}                   | {type: number}                   |
          {type: number}                    | {type: integer}                  | v1.spec.a: type was number, is integer
          {type: integer}                   | {type: integer, minimum: 0}      | v1.spec.a: minimum is new or higher: 0
          {type: integer, minimum: 1}       | {type: integer, minimum: 0}      |
          {type: integer, maximum: 9}       | {type: integer, maximum: 8}      | v1.spec.a: maximum is new or lower: 8
          {type: integer, maximum: 9}       | {type: integer, maximum: 10}     |
          {type: string, maxLength: 9}      | {type: string}                   |
          {type: string}                    | {type: string, pattern: a}       | v1.spec.a: pattern is new or another one: "a"
          {type: string, pattern: a}        | {type: string}                   |
          {type: string, format: date}      | {type: string, format: date}     |
          {type: string, enum: [a, b]}      | {type: string, enum: [b, c]}     | v1.spec.a: enum has a no more
          {type: string}                    | {type: string, enum: [b]}        | v1.spec.a: enum is new
          {type: string, default: a}        | {type: string, default: b}       | v1.spec.a: default was "a", is "b"
          {type: string, nullable: true}    | {type: string}                   | v1.spec.a: nullable is gone
          {type: string}                    | {type: string, nullable: true}   |
          {type: array, items: {type: string}} | {type: array, items: {type: integer}} | v1.spec.a[]: type was string, is integer
          {type: array, items: {type: string}} | {type: array, items: {type: string}, x-kubernetes-list-type: set} | v1.spec.a: x-kubernetes-list-type was , is "set"
          {type: object, properties: {b: {type: string}}} | {type: object} | v1.spec.a.b is gone
          {type: object} | {type: object, properties: {b: {type: string}}} |
          {type: object, properties: {b: {type: string}}} | {type: object, x-kubernetes-preserve-unknown-fields: true} |
          {type: object, x-kubernetes-preserve-unknown-fields: true} | {type: object} | v1.spec.a: x-kubernetes-preserve-unknown-fields is gone
          {type: object, x-kubernetes-preserve-unknown-fields: true} | {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {b: {type: string}}} | v1.spec.a.b was free, and is checked now
          {type: object, additionalProperties: {type: string}} | {type: object, additionalProperties: {type: integer}} | v1.spec.a.*: type was string, is integer
          {type: object, additionalProperties: {type: string}} | {type: object} | v1.spec.a.* is gone
          {type: object, properties: {b: {type: string}}} | {type: object, required: [b], properties: {b: {type: string}}} | v1.spec.a.b is required now
          {type: object, properties: {b: {type: string}}} | {type: object, required: [b], properties: {b: {type: string, default: x}}} | v1.spec.a.b: default was , is "x"
          {type: object, required: [b], properties: {b: {type: string}}} | {type: object, properties: {b: {type: string}}} |
          {type: string} | {type: string, x-kubernetes-validations: [{rule: self.size() > 0}]} | v1.spec.a: rule is new: self.size() > 0
          {type: string, x-kubernetes-validations: [{rule: self.size() > 0}]} | {type: string} |
          {x-kubernetes-int-or-string: true} | {type: integer} | v1.spec.a: type was any, is integer; v1.spec.a: x-kubernetes-int-or-string is gone
          """)
  void aStricterCheckIsSeenAndALooserOneIsNot(
      String before, String after, @Nullable String changes) {
    List<String> expected = changes == null ? List.of() : List.of(changes.split("; "));
    assertThat(CrdChanges.between(crd(before), crd(after)))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  private static JsonNode crd(String schemaOfA) {
    return ChartFiles.documents(
            """
            spec:
              group: example.com
              scope: Namespaced
              names: {kind: Thing, plural: things}
              versions:
              - name: v1
                served: true
                storage: true
                subresources: {status: {}}
                schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: %s}}}}}
            """
                .formatted(schemaOfA))
        .get(0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /spec                | scope   | Cluster | scope is another one
          /spec/versions/0     | served  | false   | v1 is not served any more
          /spec/versions/0     | storage | false   | v1 was the stored version, or is now
          /spec/versions/0     | name    | v2      | v1 is gone
          """)
  void aVersionStaysServedAndStored(String place, String field, String value, String change) {
    JsonNode after = crd("{type: string}");
    ObjectNode changed = (ObjectNode) after.at(place);
    if (changed.path(field).isBoolean()) {
      changed.put(field, Boolean.parseBoolean(value));
    } else {
      changed.put(field, value);
    }
    assertThat(CrdChanges.between(crd("{type: string}"), after))
        .singleElement()
        .asString()
        .startsWith(change);
  }

  @Test
  void aFurtherVersionIsNoHarmAndASubresourceStays() {
    JsonNode after = crd("{type: string}");
    ArrayNode versions = (ArrayNode) after.at("/spec/versions");
    versions.addObject().put("name", "v2").put("served", true).put("storage", false);
    assertThat(CrdChanges.between(crd("{type: string}"), after)).isEmpty();

    ((ObjectNode) versions.get(0)).remove("subresources");
    assertThat(CrdChanges.between(crd("{type: string}"), after))
        .containsExactly("v1: subresource status is gone or another one");
  }
}
