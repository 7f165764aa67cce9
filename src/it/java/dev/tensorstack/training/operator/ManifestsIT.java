package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.core.gang.PodGroupSchemas;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Columns;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Manifests as people publish them, applied with kubectl and compared with {@code
 * manifests/expected/pods.yaml}, which was written by hand.
 */
@OperatorTest(value = "manifests", proxy = true, operator = false)
class ManifestsIT {

  private static final Path FOLDER = Path.of("src/test/resources/manifests");
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LEAST_PATIENCE = Duration.ofSeconds(2);
  private static final String T9K_CRD = PodGroupSchemas.manifest("scheduler.tensorstack.dev");
  private static final JsonNode EXPECTED = yaml(FOLDER.resolve("expected/pods.yaml"));

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final ApiProxy proxy;
  private final OperatorProcess operator;
  private final Map<String, String> namespaces = new ConcurrentHashMap<>();
  private Instant applied = Instant.EPOCH;
  private final Map<String, String> refusals = new ConcurrentHashMap<>();

  ManifestsIT(ControlPlane controlPlane, KubernetesClient client, ApiProxy proxy) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.proxy = proxy.keepBodies();
    controlPlane.kubectlWithInput(T9K_CRD, "apply", "-f", "-").orThrow();
    operator =
        OperatorProcess.start(
            proxy.kubeconfig(), Map.of("OPERATOR_WATCH_NAMESPACES", "JOSDK_ALL_NAMESPACES"));
  }

  /** All of them at once: fifty jobs side by side are a test of their own. */
  @BeforeAll
  void applyAll() {
    manifests()
        .parallel()
        .forEach(
            name -> {
              String namespace = controlPlane.createNamespace("manifest");
              namespaces.put(name, namespace);
              List<String> arguments =
                  new ArrayList<>(List.of("apply", "-n", namespace, "-f", file(name).toString()));
              String more = expected(name).path("apply").asText();
              if (!more.isEmpty()) {
                arguments.add(more);
              }
              var applied = controlPlane.kubectl(arguments.toArray(String[]::new));
              if (applied.exitCode() != 0) {
                refusals.put(name, applied.stderr());
              }
            });
    applied = Instant.now();
  }

  @AfterAll
  void stop() {
    operator.close();
    namespaces.values().forEach(name -> client.namespaces().withName(name).delete());
    controlPlane.kubectlWithInput(T9K_CRD, "delete", "-f", "-").orThrow();
  }

  /** All jobs began together: one patience for all, so that many failures do not take long. */
  private Duration patience() {
    Duration left = Duration.between(Instant.now(), applied.plus(PATIENCE));
    return left.compareTo(LEAST_PATIENCE) < 0 ? LEAST_PATIENCE : left;
  }

  static Stream<String> manifests() {
    List<String> names = new ArrayList<>();
    EXPECTED.get("manifests").fieldNames().forEachRemaining(names::add);
    return names.stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("manifests")
  void becomesThePodsOfTheTable(String name) {
    JsonNode expected = expected(name);
    if (expected.has("refused")) {
      assertThat(refusals.get(name)).contains(expected.get("refused").asText());
      return;
    }
    assertThat(refusals.get(name)).as("kubectl apply").isNull();
    JsonNode manifest = yaml(file(name));
    String jobName = manifest.at("/metadata/name").asText();
    Jobs jobs = new Jobs(client, Objects.requireNonNull(namespaces.get(name)));
    List<String> replicas = texts(expected.get("pods"));

    String phaseAndReason = expected.get("job").asText();
    await(phaseAndReason + " with " + replicas)
        .atMost(patience())
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(
            () -> {
              var status = jobs.get(jobName).getStatus();
              assertThat(status).isNotNull();
              assertThat(status.phase() + " " + reason(status.columns()))
                  .as(() -> String.valueOf(status.conditions()))
                  .isEqualTo(phaseAndReason);
              assertThat(jobs.pods(jobName)).hasSameSizeAs(replicas);
            });
    PyTorchTrainingJob job = jobs.get(jobName);
    if (expected.has("message")) {
      assertThat(runningCondition(job).message()).contains(expected.get("message").asText());
    }

    String uid = job.getMetadata().getUid();
    String base = jobName + "-" + hash(jobName + uid);
    List<Pod> pods = jobs.pods(jobName);
    assertThat(pods)
        .extracting(pod -> pod.getMetadata().getName())
        .containsExactlyInAnyOrderElementsOf(
            replicas.stream().map(replica -> base + "-" + replica).toList());
    for (Pod pod : pods) {
      String replica = pod.getMetadata().getName().substring(base.length() + 1);
      int rank = replicas.indexOf(replica);
      Map<String, String> places =
          Map.of(
              "<master>",
              base
                  + "-"
                  + replicas.get(0)
                  + "."
                  + base
                  + "."
                  + jobs.get(jobName).getMetadata().getNamespace()
                  + ".svc",
              "<uid>",
              uid,
              "<job>",
              jobName,
              "<rank>",
              Integer.toString(rank),
              "<pods>",
              Integer.toString(replicas.size()),
              "<is-master>",
              Boolean.toString(rank == 0),
              "<patience>",
              rank == 0 ? "" : ",read_timeout=600");
      new Comparison(manifest, expected, pod, replica, places).all(base, job);
    }
    // The Service and the pods, and the status.
    assertThat(new WrittenJson(proxy).assertAsHere(job)).isGreaterThan(pods.size());
  }

  /** One pod beside what the table says about it. */
  private static final class Comparison {
    private final JsonNode manifest;
    private final JsonNode expected;
    private final Pod pod;
    private final String type;
    private final String index;
    private final Map<String, String> places;

    private Comparison(
        JsonNode manifest, JsonNode expected, Pod pod, String replica, Map<String, String> places) {
      this.manifest = manifest;
      this.expected = expected;
      this.pod = pod;
      this.type = replica.substring(0, replica.lastIndexOf('-'));
      this.index = replica.substring(replica.lastIndexOf('-') + 1);
      this.places = places;
    }

    void all(String base, PyTorchTrainingJob job) {
      String name = pod.getMetadata().getName();
      assertThat(pod.getSpec().getHostname()).isEqualTo(base + "-" + type + "-" + index);
      assertThat(pod.getSpec().getSubdomain()).isEqualTo(base);
      assertThat(pod.getSpec().getRestartPolicy()).isEqualTo("Never");
      labels(base, job);
      owner(job);
      scheduler();
      Container training = training();
      assertThat(training.getCommand()).as("command of %s", name).isEqualTo(words("command"));
      assertThat(training.getArgs()).as("args of %s", name).isEqualTo(words("args"));
      assertThat(training.getLivenessProbe()).isNull();
      environment(training);
      keepsTheTemplate();
    }

    private void labels(String base, PyTorchTrainingJob job) {
      Map<String, String> labels = new LinkedHashMap<>();
      labels.put("tensorstack.dev/owner-name", job.getMetadata().getName());
      labels.put("replica-type", type);
      labels.put("replica-index", index);
      labels.put("batch.tensorstack.dev/job-uid", job.getMetadata().getUid());
      labels.put("batch.tensorstack.dev/attempt", "0");
      labels.put("app.kubernetes.io/managed-by", "pytorchtrainingjob-operator");
      if ("true".equals(places.get("<is-master>"))) {
        labels.put("job-role", "master");
      }
      if (expected.has("scheduler")) {
        labels.put("scheduler.tensorstack.dev/group-name", base);
        labels.put("scheduler.tensorstack.dev/queue", expected.get("scheduler").asText());
        labels.put("scheduler.tensorstack.dev/role", type);
      }
      if (expected.get("job").asText().contains("Debugging")
          || manifest.at("/spec/runMode").has("debug")) {
        labels.put("batch.tensorstack.dev/run-mode", "debug");
      }
      assertThat(pod.getMetadata().getLabels()).isEqualTo(labels);
    }

    private void owner(PyTorchTrainingJob job) {
      assertThat(pod.getMetadata().getOwnerReferences())
          .containsExactly(
              new OwnerReference(
                  "batch.tensorstack.dev/v1beta1",
                  true,
                  true,
                  "PyTorchTrainingJob",
                  job.getMetadata().getName(),
                  job.getMetadata().getUid()));
    }

    private void scheduler() {
      assertThat(pod.getSpec().getSchedulerName())
          .isEqualTo(expected.has("scheduler") ? "t9k-scheduler" : "default-scheduler");
    }

    private Container training() {
      assertThat(pod.getSpec().getContainers()).hasSize(1);
      return pod.getSpec().getContainers().get(0);
    }

    private List<String> words(String key) {
      JsonNode words = expected.get(key);
      return texts(words.isObject() ? words.get(type) : words).stream().map(this::fill).toList();
    }

    /** The operator's entries in any order, then the user's in theirs. */
    private void environment(Container container) {
      Map<String, String> operators = new LinkedHashMap<>();
      EXPECTED
          .at("/environments/" + expected.get("env").asText())
          .properties()
          .forEach(entry -> operators.put(entry.getKey(), fill(entry.getValue().asText())));
      List<String> users = texts(expected.path("userEnv"));
      List<EnvVar> env = container.getEnv();
      assertThat(env).hasSize(operators.size() + users.size());
      Map<String, String> first = new LinkedHashMap<>();
      env.subList(0, operators.size())
          .forEach(entry -> first.put(entry.getName(), entry.getValue()));
      assertThat(first).isEqualTo(operators);
      assertThat(env.subList(operators.size(), env.size()))
          .extracting(entry -> entry.getName() + "=" + entry.getValue())
          .isEqualTo(users);
    }

    /** Everything else that the user wrote in the template is in the pod as it was. */
    private void keepsTheTemplate() {
      for (JsonNode spec : manifest.at("/spec/replicaSpecs")) {
        if (spec.get("type").asText().equals(type)) {
          JsonNode stored = parsed(Serialization.asJson(pod.getSpec()));
          assertContains(stored, spec.at("/template/spec"), "spec");
        }
      }
    }

    private static void assertContains(JsonNode stored, JsonNode written, String path) {
      if (path.matches("spec\\.containers\\[\\d+]\\.(command|args|env)")) {
        return;
      }
      if (written.isObject()) {
        written
            .properties()
            .forEach(
                entry ->
                    assertContains(
                        stored.path(entry.getKey()),
                        entry.getValue(),
                        path + "." + entry.getKey()));
      } else if (written.isArray()) {
        for (int i = 0; i < written.size(); i++) {
          assertContains(stored.path(i), written.get(i), path + "[" + i + "]");
        }
      } else if (path.matches(".*\\.(limits|requests|emptyDir)\\..*") && !path.endsWith("medium")) {
        assertThat(new Quantity(stored.asText()))
            .as(path)
            .isEqualTo(new Quantity(written.asText()));
      } else {
        assertThat(stored.asText()).as(path).isEqualTo(written.asText());
      }
    }

    private String fill(String text) {
      String filled = text;
      for (Map.Entry<String, String> place : places.entrySet()) {
        filled = filled.replace(place.getKey(), place.getValue());
      }
      return filled;
    }
  }

  /** FNV-1a, 64 bits, of the text; the first five hex digits. */
  private static String hash(String text) {
    long hash = 0xcbf29ce484222325L;
    for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (one & 0xff)) * 0x100000001b3L;
    }
    return String.format("%016x", hash).substring(0, 5);
  }

  private static JobCondition runningCondition(PyTorchTrainingJob job) {
    return Objects.requireNonNull(job.getStatus().conditions()).stream()
        .filter(condition -> "Running".equals(condition.type()))
        .findFirst()
        .orElseThrow();
  }

  private static String reason(@Nullable Columns columns) {
    return columns == null ? "" : Objects.requireNonNullElse(columns.reason(), "");
  }

  private static JsonNode expected(String name) {
    return EXPECTED.get("manifests").get(name);
  }

  private static Path file(String name) {
    return FOLDER.resolve(name + ".yaml");
  }

  private static List<String> texts(JsonNode array) {
    return IntStream.range(0, array.size()).mapToObj(i -> array.get(i).asText()).toList();
  }

  private static JsonNode yaml(Path file) {
    try {
      return Serialization.yamlMapper().readTree(Files.readString(file));
    } catch (IOException problem) {
      throw new IllegalStateException(file.toString(), problem);
    }
  }

  private static JsonNode parsed(String json) {
    try {
      return Serialization.jsonMapper().readTree(json);
    } catch (IOException problem) {
      throw new IllegalStateException(json, problem);
    }
  }
}
