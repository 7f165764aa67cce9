package dev.tensorstack.training.release;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What of a new CRD an object that the old one has accepted may not survive: a field that is gone,
 * or a check that is stricter. New fields, and checks that are gone, are no such changes.
 */
final class CrdChanges {

  /** Bounds that are stricter when they are higher. */
  private static final Set<String> LOWER =
      Set.of("minimum", "minLength", "minItems", "minProperties");

  /** Bounds that are stricter when they are lower. */
  private static final Set<String> UPPER =
      Set.of("maximum", "maxLength", "maxItems", "maxProperties");

  /** What is a stricter check as soon as it is there, or another one. */
  private static final Set<String> CHECKS =
      Set.of(
          "pattern",
          "format",
          "multipleOf",
          "uniqueItems",
          "exclusiveMinimum",
          "exclusiveMaximum",
          "oneOf",
          "anyOf",
          "allOf",
          "not",
          "x-kubernetes-embedded-resource");

  /** What neither comes nor goes nor changes without meaning another thing to stored objects. */
  private static final Set<String> SAME =
      Set.of(
          "default",
          "x-kubernetes-list-type",
          "x-kubernetes-list-map-keys",
          "x-kubernetes-map-type");

  /** What allows more, and therefore must not go. */
  private static final Set<String> FREEDOMS =
      Set.of("nullable", "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields");

  private static final String UNKNOWN = "x-kubernetes-preserve-unknown-fields";

  private final List<String> found = new ArrayList<>();

  private CrdChanges() {}

  /** The changes, each with its place. */
  static List<String> between(JsonNode before, JsonNode after) {
    CrdChanges changes = new CrdChanges();
    changes.crd(before.path("spec"), after.path("spec"));
    return changes.found;
  }

  private void crd(JsonNode before, JsonNode after) {
    for (String fixed : List.of("/group", "/scope", "/names/kind", "/names/plural")) {
      if (!before.at(fixed).equals(after.at(fixed))) {
        found.add(fixed.substring(1) + " is another one: " + after.at(fixed));
      }
    }
    Map<String, JsonNode> versions = versions(after);
    for (var entry : versions(before).entrySet()) {
      String name = entry.getKey();
      JsonNode old = entry.getValue();
      JsonNode version = versions.get(name);
      if (version == null) {
        found.add(name + " is gone");
        continue;
      }
      if (old.path("served").asBoolean() && !version.path("served").asBoolean()) {
        found.add(name + " is not served any more");
      }
      if (old.path("storage").asBoolean() != version.path("storage").asBoolean()) {
        found.add(name + " was the stored version, or is now: storage " + version.path("storage"));
      }
      old.path("subresources")
          .properties()
          .forEach(
              part -> {
                if (!part.getValue().equals(version.path("subresources").path(part.getKey()))) {
                  found.add(name + ": subresource " + part.getKey() + " is gone or another one");
                }
              });
      schema(name, old.at("/schema/openAPIV3Schema"), version.at("/schema/openAPIV3Schema"));
    }
  }

  private static Map<String, JsonNode> versions(JsonNode crd) {
    Map<String, JsonNode> versions = new TreeMap<>();
    crd.path("versions").forEach(version -> versions.put(version.path("name").asText(), version));
    return versions;
  }

  private void schema(String path, JsonNode before, JsonNode after) {
    type(path, before, after);
    bounds(path, before, after);
    for (String check : CHECKS) {
      if (after.has(check)
          && !isFalse(after.path(check))
          && !before.path(check).equals(after.path(check))) {
        found.add(path + ": " + check + " is new or another one: " + after.path(check));
      }
    }
    for (String same : SAME) {
      if (!before.path(same).equals(after.path(same))) {
        found.add(path + ": " + same + " was " + before.path(same) + ", is " + after.path(same));
      }
    }
    for (String freedom : FREEDOMS) {
      if (before.path(freedom).asBoolean() && !after.path(freedom).asBoolean()) {
        found.add(path + ": " + freedom + " is gone");
      }
    }
    enumeration(path, before, after);
    required(path, before, after);
    rules(path, before, after);
    properties(path, before, after);
    items(path, before, after);
    additional(path, before, after);
  }

  private static boolean isFalse(JsonNode value) {
    return value.isBoolean() && !value.asBoolean();
  }

  private void type(String path, JsonNode before, JsonNode after) {
    String old = before.path("type").asText();
    String type = after.path("type").asText();
    boolean wider = type.isEmpty() || (old.equals("integer") && type.equals("number"));
    if (!Objects.equals(old, type) && !wider) {
      found.add(path + ": type was " + (old.isEmpty() ? "any" : old) + ", is " + type);
    }
  }

  private void bounds(String path, JsonNode before, JsonNode after) {
    for (String bound : LOWER) {
      if (after.has(bound)
          && (!before.has(bound)
              || after.path(bound).decimalValue().compareTo(before.path(bound).decimalValue())
                  > 0)) {
        found.add(path + ": " + bound + " is new or higher: " + after.path(bound));
      }
    }
    for (String bound : UPPER) {
      if (after.has(bound)
          && (!before.has(bound)
              || after.path(bound).decimalValue().compareTo(before.path(bound).decimalValue())
                  < 0)) {
        found.add(path + ": " + bound + " is new or lower: " + after.path(bound));
      }
    }
  }

  private void enumeration(String path, JsonNode before, JsonNode after) {
    if (!after.has("enum")) {
      return;
    }
    if (!before.has("enum")) {
      found.add(path + ": enum is new");
      return;
    }
    Set<String> gone = strings(before.path("enum"));
    gone.removeAll(strings(after.path("enum")));
    gone.forEach(value -> found.add(path + ": enum has " + value + " no more"));
  }

  /** A field with a default is there as soon as the object is read. */
  private void required(String path, JsonNode before, JsonNode after) {
    Set<String> required = strings(after.path("required"));
    required.removeAll(strings(before.path("required")));
    for (String field : required) {
      if (!after.path("properties").path(field).has("default")) {
        found.add(path + "." + field + " is required now");
      }
    }
  }

  private void rules(String path, JsonNode before, JsonNode after) {
    Set<String> rules = rules(after);
    rules.removeAll(rules(before));
    rules.forEach(rule -> found.add(path + ": rule is new: " + rule));
  }

  private static Set<String> rules(JsonNode schema) {
    Set<String> rules = new TreeSet<>();
    schema.path("x-kubernetes-validations").forEach(rule -> rules.add(rule.path("rule").asText()));
    return rules;
  }

  private void properties(String path, JsonNode before, JsonNode after) {
    boolean keepsUnknown =
        after.path(UNKNOWN).asBoolean() || isOpen(after.path("additionalProperties"));
    for (var property : before.path("properties").properties()) {
      String name = path + "." + property.getKey();
      JsonNode now = after.path("properties").path(property.getKey());
      if (!now.isMissingNode()) {
        schema(name, property.getValue(), now);
      } else if (!keepsUnknown) {
        found.add(name + " is gone");
      }
    }
    if (before.path(UNKNOWN).asBoolean()) {
      for (var property : after.path("properties").properties()) {
        if (!before.path("properties").has(property.getKey())) {
          found.add(path + "." + property.getKey() + " was free, and is checked now");
        }
      }
    }
  }

  private void items(String path, JsonNode before, JsonNode after) {
    if (before.has("items") && after.has("items")) {
      schema(path + "[]", before.path("items"), after.path("items"));
    } else if (after.has("items") && before.path(UNKNOWN).asBoolean()) {
      found.add(path + "[] was free, and is checked now");
    }
  }

  private static boolean isOpen(JsonNode additional) {
    return additional.isObject() || additional.asBoolean();
  }

  private void additional(String path, JsonNode before, JsonNode after) {
    JsonNode old = before.path("additionalProperties");
    JsonNode now = after.path("additionalProperties");
    if (old.isObject() && now.isObject()) {
      schema(path + ".*", old, now);
    } else if (isOpen(old) && !isOpen(now) && !after.path(UNKNOWN).asBoolean()) {
      found.add(path + ".* is gone");
    } else if (now.isObject() && (old.asBoolean() || before.path(UNKNOWN).asBoolean())) {
      found.add(path + ".* was free, and is checked now");
    }
  }

  private static Set<String> strings(JsonNode list) {
    Set<String> strings = new TreeSet<>();
    list.forEach(entry -> strings.add(entry.asText()));
    return strings;
  }
}
