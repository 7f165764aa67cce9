package dev.tensorstack.training.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of the chart and of its tests, read. */
public final class ChartFiles {

  /** The chart's folder, relative to the checkout. */
  public static final Path CHART = Path.of("helm/pytorchtrainingjob-operator");

  /** The value sets and their renderings. */
  public static final Path TESTS = Path.of("src/test/resources/helm");

  /** The manifests for those who do not use the chart. */
  public static final Path MANIFESTS = Path.of("src/main/kubernetes");

  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final ObjectMapper JSON = new ObjectMapper();

  private ChartFiles() {}

  /** The names of the value sets: {@code values/<name>.yaml}. */
  public static Stream<String> valueSets() {
    return list(TESTS.resolve("values"))
        .map(file -> file.getFileName().toString().replace(".yaml", ""));
  }

  /** The file of a value set. */
  public static Path values(String set) {
    return TESTS.resolve("values").resolve(set + ".yaml");
  }

  /** The file of a value set's rendering. */
  public static Path golden(String set) {
    return TESTS.resolve("golden").resolve(set + ".yaml");
  }

  /** The files of a folder, sorted. */
  public static Stream<Path> list(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList().stream();
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /** The text of a file. */
  public static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /** A YAML file with one document. */
  public static JsonNode yaml(Path file) {
    return documents(text(file)).get(0);
  }

  /** A JSON file. */
  public static JsonNode json(Path file) {
    try {
      return JSON.readTree(file.toFile());
    } catch (IOException problem) {
      throw new UncheckedIOException(file.toString(), problem);
    }
  }

  /** The documents of a YAML text, without empty ones. */
  public static List<JsonNode> documents(String text) {
    try (MappingIterator<JsonNode> documents = YAML.readerFor(JsonNode.class).readValues(text)) {
      return documents.readAll().stream()
          .filter(document -> document != null && !document.isEmpty() && !document.isNull())
          .toList();
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /** The objects of one kind. */
  public static List<JsonNode> ofKind(List<JsonNode> objects, String kind) {
    return objects.stream().filter(object -> object.path("kind").asText().equals(kind)).toList();
  }

  /** The version in the chart. */
  public static String version() {
    return yaml(CHART.resolve("Chart.yaml")).path("version").asText();
  }
}
