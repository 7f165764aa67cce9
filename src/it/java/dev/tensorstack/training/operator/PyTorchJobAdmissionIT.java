package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobAdmission;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobSettings;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.StatusCause;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the webhooks of PyTorchJob refuse, admit and leave as it is, by a real API server. */
@OperatorTest(value = "pytorchjob-admission", webhooks = true, nodes = 0)
class PyTorchJobAdmissionIT {

  private static final Path EXAMPLES = Path.of("examples/pytorchjob");
  private static final Path INVALID = Path.of("examples/pytorchjob/invalid");
  private static final Path WARNINGS = Path.of("examples/pytorchjob/warnings");

  private final PyTorchJobScene scene;

  PyTorchJobAdmissionIT(ControlPlane controlPlane, Jobs jobs) {
    this.scene = new PyTorchJobScene(controlPlane, jobs.namespace());
  }

  static Stream<Path> examples() throws IOException {
    return files(EXAMPLES).filter(Files::isRegularFile);
  }

  static Stream<Path> invalid() throws IOException {
    return files(INVALID);
  }

  static Stream<Path> warnings() throws IOException {
    return files(WARNINGS);
  }

  private static Stream<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList().stream();
    }
  }

  private Resource<GenericKubernetesResource> generic(String yaml) {
    return scene
        .client
        .resource(Serialization.unmarshal("---\n" + yaml, GenericKubernetesResource.class))
        .inNamespace(scene.namespace);
  }

  @ParameterizedTest
  @MethodSource("invalid")
  void eachRuleIsAppliedByTheApiServerWithFieldAndRemedy(Path file) throws IOException {
    List<String> documents = List.of(Files.readString(file).split("(?m)^---$", -1));
    PyTorchJobAdmission admission =
        new PyTorchJobAdmission(PyTorchJobSettings.PLAIN, ClusterDefaults.NONE);
    String last = documents.get(documents.size() - 1);
    PyTorchJob wrong = Serialization.unmarshal("---\n" + last, PyTorchJob.class);
    boolean change = documents.size() > 1;
    PyTorchJob before = Serialization.unmarshal("---\n" + documents.get(0), PyTorchJob.class);
    List<Violation> expected =
        admission.violations(
            wrong.getMetadata().getName(),
            admission.complete(admission.spec(wrong), null),
            change ? admission.complete(admission.spec(before), null) : null);
    String rule = file.getFileName().toString().replace(".yaml", "");
    assertThat(expected).extracting(Violation::rule).contains(rule);
    if (change) {
      generic(documents.get(0)).create();
    }

    KubernetesClientException refusal =
        Assertions.catchThrowableOfType(
            KubernetesClientException.class,
            () -> {
              if (change) {
                generic(last).forceConflicts().serverSideApply();
              } else {
                generic(last).create();
              }
            });

    assertThat(refusal).as("refusal").isNotNull();
    assertThat(refusal.getCode()).isEqualTo(422);
    assertThat(refusal.getStatus().getDetails().getKind()).isEqualTo("PyTorchJob");
    assertThat(refusal.getStatus().getDetails().getCauses())
        .extracting(StatusCause::getField, StatusCause::getReason, StatusCause::getMessage)
        .containsExactlyElementsOf(
            expected.stream()
                .map(one -> tuple(one.field(), one.reason().name(), one.message()))
                .toList());
  }

  @ParameterizedTest
  @MethodSource("examples")
  void everyExampleIsAdmittedWithoutAWarning(Path file) throws IOException {
    KubectlResult applied = scene.tryToApply(Files.readString(file));

    assertThat(applied.exitCode()).as(applied.stderr()).isZero();
    assertThat(applied.stderr()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("warnings")
  void aJobThatIsWarnedOfIsAdmittedAndStoredAsItWasWritten(Path file) throws IOException {
    String yaml = Files.readString(file);
    GenericKubernetesResource written =
        Serialization.unmarshal("---\n" + yaml, GenericKubernetesResource.class);
    KubectlResult applied = scene.tryToApply(yaml);
    assertThat(applied.exitCode()).as(applied.stderr()).isZero();
    if (!file.endsWith("other-scheduler.yaml")) {
      assertThat(applied.stderr()).containsPattern("^Warning: (spec\\.|metadata\\.annotations\\[)");
    }
    GenericKubernetesResource stored =
        scene
            .client
            .genericKubernetesResources("kubeflow.org/v1", "PyTorchJob")
            .inNamespace(scene.namespace)
            .withName(written.getMetadata().getName())
            .get();
    assertThat(stored.getAdditionalProperties().get("spec"))
        .as("no default is stored, but those of the schema")
        .isEqualTo(written.getAdditionalProperties().get("spec"));
  }

  @Test
  void applyingTwiceChangesNothingAndFieldsOfATemplateThatNobodyKnowsSurvive() {
    String yaml =
        PyTorchJobScene.manifest("twice", "OnFailure", 1, "{suspend: true}")
            .replace("image: \"registry", "fieldOfTomorrow: {a: [1, 2]}, image: \"registry");
    scene.apply(yaml);
    assertThat(scene.tryToApply(yaml).stdout()).endsWith("unchanged\n");
    assertThat(
            scene.get(
                "twice",
                "{.spec.pytorchReplicaSpecs.Master.template.spec.containers[0].fieldOfTomorrow}"))
        .isEqualTo("{\"a\":[1,2]}");
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "3, 0"})
  void aJobIsNotScaledToNothing(int replicas, int exitCode) {
    String name = "scaled-to-" + replicas;
    scene.apply(PyTorchJobScene.manifest(name, "OnFailure", 1, "{suspend: true}"));
    KubectlResult scaled =
        scene.controlPlane.kubectl(
            "scale", "pytorchjob", name, "-n", scene.namespace, "--replicas=" + replicas);
    assertThat(scaled.exitCode()).as(scaled.stderr()).isEqualTo(exitCode);
    if (exitCode != 0) {
      assertThat(scaled.stderr()).contains("pytorchReplicaSpecs[Worker].replicas");
    }
  }

  /**
   * Kueue sets node selectors in templates and resumes, and takes both back, in one update each.
   */
  @Test
  void templatesChangeInTheUpdateThatResumesOrSuspendsAndNotWhileTheJobRuns() {
    scene.apply(PyTorchJobScene.manifest("queued", "OnFailure", 1, "{suspend: true}"));
    assertThat(scene.patch("queued", selector("a", false)).exitCode()).isZero();
    KubectlResult running = scene.patch("queued", selector("b", false));
    assertThat(running.exitCode()).isEqualTo(1);
    assertThat(running.stderr()).contains("spec.pytorchReplicaSpecs[Worker].template");
    assertThat(scene.patch("queued", selector("c", true)).exitCode()).isZero();
    KubectlResult wrong =
        scene.patch(
            "queued",
            """
            {"spec": {"pytorchReplicaSpecs": {"Worker": {"template": {"spec":
              {"nodeSelector": {"not a label": "x"}}}}}}}""");
    assertThat(wrong.exitCode()).as("the pods are tried again").isEqualTo(1);
    assertThat(wrong.stderr()).contains("nodeSelector");
  }

  private static String selector(String value, boolean suspend) {
    return """
    {"spec": {"runPolicy": {"suspend": %s}, "pytorchReplicaSpecs": {"Worker": {"template":
      {"spec": {"nodeSelector": {"pool": "%s"}}}}}}}"""
        .formatted(suspend, value);
  }
}
