package dev.tensorstack.training.schedulers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.tensorstack.training.controlplane.ControlPlane;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The objects that a program comes with. */
final class Manifests {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final String FIELD_MANAGER = "testkit";

  private final List<ObjectNode> objects;

  private Manifests(List<ObjectNode> objects) {
    this.objects = objects;
  }

  /**
   * Reads a file.
   *
   * @param file YAML documents, some of which may be empty
   * @return its objects, in order
   */
  static Manifests read(Path file) {
    List<ObjectNode> objects = new ArrayList<>();
    try (MappingIterator<JsonNode> documents =
        YAML.readerFor(JsonNode.class).readValues(file.toFile())) {
      while (documents.hasNextValue()) {
        if (documents.nextValue() instanceof ObjectNode object) {
          objects.add(object);
        }
      }
    } catch (IOException problem) {
      throw new UncheckedIOException("the manifests in " + file + " cannot be read", problem);
    }
    return new Manifests(objects);
  }

  /**
   * Those of one kind.
   *
   * @return at least one; they may be changed
   * @throws IllegalStateException when there is none
   */
  List<ObjectNode> ofKind(String kind) {
    List<ObjectNode> found =
        objects.stream().filter(object -> object.path("kind").asText().equals(kind)).toList();
    if (found.isEmpty()) {
      throw new IllegalStateException("there is no " + kind + " among the manifests");
    }
    return found;
  }

  /** The CRDs; they may be changed. */
  List<ObjectNode> crds() {
    return ofKind("CustomResourceDefinition");
  }

  /** The name of an object. */
  static String name(JsonNode object) {
    return object.path("metadata").path("name").asText();
  }

  /** A piece of YAML as a tree. */
  static ObjectNode parse(String yaml) {
    try {
      return (ObjectNode) YAML.readTree(yaml);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /** Creates CRDs, or changes those that are there, and waits until they are served. */
  static void install(ControlPlane plane, List<ObjectNode> crds) {
    ObjectNode list = YAML.createObjectNode().put("apiVersion", "v1").put("kind", "List");
    ArrayNode items = list.putArray("items");
    crds.forEach(items::add);
    apply(plane, list.toString());
    crds.forEach(crd -> plane.awaitCrd(name(crd)));
  }

  /**
   * Creates objects, or gives those that are there the fields that are named.
   *
   * @param manifest YAML or JSON
   */
  static void apply(ControlPlane plane, String manifest) {
    plane
        .kubectlWithInput(
            manifest,
            "apply",
            "--server-side",
            "--force-conflicts",
            "--field-manager=" + FIELD_MANAGER,
            "-f",
            "-")
        .orThrow();
  }
}
