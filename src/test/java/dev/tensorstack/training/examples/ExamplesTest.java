package dev.tensorstack.training.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobAdmission;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobSettings;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

class ExamplesTest {

  private static final Path EXAMPLES = Path.of("examples");
  private static final Path PROGRESS = EXAMPLES.resolve("progress");
  private static final Path CHECKPOINT = EXAMPLES.resolve("checkpoint");
  private static final Path SCRIPT = EXAMPLES.resolve("digits/train.py");
  private static final ObjectMapper JSON = new ObjectMapper();

  /** With {@code -Dexamples.update=true} the copies are written instead of compared. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "digits-elastic.yaml",
        "digits-env.yaml",
        "digits-recovers.yaml",
        "digits-pause.yaml",
        "digits-debug.yaml",
        "pytorchjob/digits.yaml",
        "pytorchjob/digits-elastic.yaml"
      })
  void theConfigMapHoldsTheTrainingScript(String name) throws IOException {
    Path manifest = EXAMPLES.resolve(name);
    String script = Files.readString(SCRIPT);
    if (Boolean.getBoolean("examples.update")) {
      Files.writeString(manifest, withScript(Files.readString(manifest), "train.py", script));
    }

    assertThat(only(manifest, "ConfigMap").at("/data/train.py").asText())
        .as(
            "the script in %s; to copy it again: ./mvnw test -Dtest=ExamplesTest"
                + " -Dexamples.update=true",
            manifest)
        .isEqualTo(script);
  }

  /** These have scripts of their own. */
  @ParameterizedTest
  @CsvSource({
    "train.yaml, train.py",
    "transformers.yaml, transformers_train.py",
    "hang.yaml, hang.py"
  })
  void theConfigMapOfAReportingJobHoldsItsScript(String name, String file) throws IOException {
    Path manifest = PROGRESS.resolve(name);
    String script = Files.readString(PROGRESS.resolve(file));
    if (Boolean.getBoolean("examples.update")) {
      Files.writeString(manifest, withScript(Files.readString(manifest), file, script));
    }

    JsonNode data = only(manifest, "ConfigMap").path("data");
    assertThat(data.properties()).hasSize(1);
    assertThat(data.path(file).asText()).as("the script in %s", manifest).isEqualTo(script);
    JsonNode args = job(manifest).findValue("containers").path(0).path("args");
    assertThat(args.get(0).asText()).isEqualTo("/opt/progress/" + file);
    assertThat(
            StreamSupport.stream(args.spliterator(), false)
                .skip(1)
                .map(argument -> argument.asText().replaceFirst("=.*", "")))
        .isNotEmpty()
        .allSatisfy(option -> assertThat(script).contains("add_argument(\"" + option + "\""));
  }

  @Test
  void theConfigMapOfTheCheckpointHoldsItsScript() throws IOException {
    Path manifest = CHECKPOINT.resolve("train.yaml");
    String script = Files.readString(CHECKPOINT.resolve("train.py"));
    if (Boolean.getBoolean("examples.update")) {
      Files.writeString(manifest, withScript(Files.readString(manifest), "train.py", script));
    }

    assertThat(only(manifest, "ConfigMap").at("/data/train.py").asText())
        .as("the script in %s", manifest)
        .isEqualTo(script);
    for (JsonNode containers : job(manifest).findValues("containers")) {
      JsonNode args = containers.path(0).path("args");
      assertThat(args.get(0).asText()).isEqualTo("/opt/checkpoint/train.py");
      assertThat(
              StreamSupport.stream(args.spliterator(), false)
                  .skip(1)
                  .map(argument -> argument.asText().replaceFirst("=.*", "")))
          .isNotEmpty()
          .allSatisfy(option -> assertThat(script).contains("add_argument(\"" + option + "\""));
    }
  }

  /** Pods of one type may be on different nodes, so a claim of one node is for types of one pod. */
  @Test
  void theClaimOfTheCheckpointIsUsedByOnePod() throws IOException {
    JsonNode job = job(CHECKPOINT.resolve("train.yaml"));
    List<String> types = new ArrayList<>();
    for (JsonNode type : job.at("/spec/replicaSpecs")) {
      if (!type.findValues("persistentVolumeClaim").isEmpty()) {
        types.add(type.path("type").asText() + " " + type.path("replicas").asInt());
      }
    }
    assertThat(types).containsExactly("master 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"quick-start.yaml", "checkpoint/train.yaml"})
  void noDeadlineCountsTheTimeInWhichImagesArePulled(String name) throws IOException {
    assertThat(job(EXAMPLES.resolve(name)).findValues("activeDeadlineSeconds")).isEmpty();
  }

  @ParameterizedTest
  @MethodSource({"manifests", "reporting", "checkpoints", "pyTorchJobs"})
  void everyVolumeRefersToAnObjectOfTheSameFile(Path manifest) throws IOException {
    Set<String> defined = new TreeSet<>();
    documents(manifest)
        .forEach(
            object ->
                defined.add(
                    object.at("/kind").asText() + "/" + object.at("/metadata/name").asText()));
    Set<String> used = new TreeSet<>();
    job(manifest)
        .findValues("volumes")
        .forEach(
            volumes ->
                volumes.forEach(
                    volume -> {
                      if (volume.has("configMap")) {
                        used.add("ConfigMap/" + volume.at("/configMap/name").asText());
                      }
                      if (volume.has("persistentVolumeClaim")) {
                        used.add(
                            "PersistentVolumeClaim/"
                                + volume.at("/persistentVolumeClaim/claimName").asText());
                      }
                    }));
    assertThat(defined).containsAll(used);
  }

  @ParameterizedTest
  @MethodSource({"manifests", "reporting", "checkpoints"})
  void everyExampleIsAJobWithAMasterAndIsExplained(Path manifest) throws IOException {
    JsonNode job = only(manifest, "PyTorchTrainingJob");
    assertThat(job.at("/apiVersion").asText()).isEqualTo("batch.tensorstack.dev/v1beta1");
    assertThat(job.at("/spec/replicaSpecs/0/type").asText()).isEqualTo("master");
    assertThat(Files.readString(EXAMPLES.resolve("README.md")))
        .contains("(" + EXAMPLES.relativize(manifest) + ")");
  }

  @ParameterizedTest
  @MethodSource("pyTorchJobs")
  void everyPyTorchJobIsAcceptedWithoutAWarningAndIsExplained(Path manifest) throws IOException {
    PyTorchJobAdmission admission =
        new PyTorchJobAdmission(PyTorchJobSettings.PLAIN, ClusterDefaults.NONE);
    PyTorchJob job = JSON.treeToValue(job(manifest), PyTorchJob.class);
    PyTorchJobSpec given = admission.spec(job);
    String name = job.getMetadata().getName();
    PyTorchJobSpec spec = admission.complete(given, null);

    assertThat(admission.unreadable(job)).isNull();
    assertThat(admission.violations(name, spec, null)).isEmpty();
    assertThat(admission.warnings(given, Map.of(), Map.of(), name, spec, null)).isEmpty();
    assertThat(Files.readString(EXAMPLES.resolve("README.md")))
        .contains(EXAMPLES.relativize(manifest).toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "digits-elastic.yaml",
        "digits-env.yaml",
        "digits-recovers.yaml",
        "digits-pause.yaml",
        "digits-debug.yaml",
        "pytorchjob/digits.yaml",
        "pytorchjob/digits-elastic.yaml"
      })
  void everyArgumentIsOneTheScriptKnows(String name) throws IOException {
    Set<String> known =
        Pattern.compile("add_argument\\(\\s*\"(--[a-z-]+)\"")
            .matcher(Files.readString(SCRIPT))
            .results()
            .map(found -> found.group(1))
            .collect(Collectors.toSet());
    JsonNode args = job(EXAMPLES.resolve(name)).findValue("containers").path(0).path("args");
    assertThat(args.get(0).asText()).isEqualTo("/opt/digits/train.py");
    assertThat(
            StreamSupport.stream(args.spliterator(), false)
                .skip(1)
                .map(argument -> argument.asText().replaceFirst("=.*", "")))
        .isNotEmpty()
        .allSatisfy(option -> assertThat(known).contains(option));
  }

  static List<Path> manifests() throws IOException {
    return manifests(EXAMPLES);
  }

  static List<Path> reporting() throws IOException {
    return manifests(PROGRESS);
  }

  static List<Path> checkpoints() throws IOException {
    return manifests(CHECKPOINT);
  }

  static List<Path> pyTorchJobs() throws IOException {
    return manifests(EXAMPLES.resolve("pytorchjob"));
  }

  private static List<Path> manifests(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }

  private static List<JsonNode> documents(Path manifest) throws IOException {
    // Jackson's own YAML parser does not follow anchors.
    Iterable<Object> documents = new Yaml().loadAll(Files.readString(manifest));
    return StreamSupport.stream(documents.spliterator(), false)
        .map(document -> JSON.<JsonNode>valueToTree(document))
        .toList();
  }

  /** The job of a manifest, of whichever kind. */
  private static JsonNode job(Path manifest) throws IOException {
    boolean kubeflows = manifest.startsWith(EXAMPLES.resolve("pytorchjob"));
    return only(manifest, kubeflows ? "PyTorchJob" : "PyTorchTrainingJob");
  }

  private static JsonNode only(Path manifest, String kind) throws IOException {
    List<JsonNode> found =
        documents(manifest).stream()
            .filter(object -> kind.equals(object.at("/kind").asText()))
            .toList();
    assertThat(found).as("%s in %s", kind, manifest).hasSize(1);
    return found.get(0);
  }

  private static String withScript(String manifest, String file, String script) {
    String block =
        script
            .lines()
            .map(line -> line.isEmpty() ? "" : "    " + line)
            .collect(Collectors.joining("\n"));
    return Pattern.compile("(?ms)^  " + Pattern.quote(file) + ": \\|\\n.*?\\n---$")
        .matcher(manifest)
        .replaceFirst(Matcher.quoteReplacement("  " + file + ": |\n" + block + "\n---"));
  }
}
