package dev.tensorstack.training.kind.trainingjob.admission;

import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The manifests of the tests, as people publish them. */
public final class Manifests {

  private static final Path FOLDER = Path.of("src/test/resources/manifests");

  private Manifests() {}

  /**
   * Their names.
   *
   * @return those of the files, without the ending
   */
  public static List<String> names() {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".yaml"))
          .map(name -> name.substring(0, name.length() - ".yaml".length()))
          .sorted()
          .toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /**
   * A manifest.
   *
   * @param name its name
   * @return its text
   */
  public static String text(String name) {
    return read(FOLDER.resolve(name + ".yaml"));
  }

  /**
   * What is said of each manifest that anything is said of.
   *
   * @param table a table of {@code expected/admission.yaml}
   * @return texts by manifest
   */
  @SuppressWarnings("unchecked")
  public static Map<String, List<String>> expected(String table) {
    Map<String, Map<String, List<String>>> all =
        Serialization.unmarshal(read(FOLDER.resolve("expected/admission.yaml")), Map.class);
    return all.getOrDefault(table, Map.of());
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
