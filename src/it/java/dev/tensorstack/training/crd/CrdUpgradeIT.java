package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Example.WORKER;
import static dev.tensorstack.training.crd.Example.jobOf;
import static dev.tensorstack.training.crd.StoredJobs.completed;
import static dev.tensorstack.training.crd.StoredJobs.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.operator.OperatorProcess;
import dev.tensorstack.training.reference.CrdManifest;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

/**
 * Jobs that were stored before the CRD had rules: whatever is wrong with them, their life goes on.
 * It has a control plane of its own, because it changes the CRD.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CrdUpgradeIT {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String TWICE = "two entries of one type";

  private final ControlPlane controlPlane =
      ControlPlane.builder().controllerManager(false).scheduler(false).start();
  private final KubernetesClient client = controlPlane.client();
  private final Map<String, StoredJobs> namespaces = new LinkedHashMap<>();

  /** A job and why it is invalid. */
  record Old(String what, String name, String spec) {
    @Override
    public String toString() {
      return what;
    }
  }

  static List<Old> invalidJobs() {
    List<Old> jobs = new ArrayList<>();
    for (CelRule rule : CrdRules.rules()) {
      if (rule.before() == null) {
        jobs.add(
            new Old(rule + ": " + rule.violation().message(), rule.exampleName(), rule.example()));
      }
    }
    jobs.add(new Old(TWICE, "mnist", jobOf(WORKER + ", " + WORKER, "")));
    return jobs;
  }

  CrdUpgradeIT() throws IOException {
    controlPlane.kubectlWithInput(withoutRules(), "create", "-f", "-").orThrow();
    controlPlane.awaitCrd("pytorchtrainingjobs.batch.tensorstack.dev");
    for (Old old : invalidJobs()) {
      StoredJobs jobs = new StoredJobs(client, controlPlane.createNamespace("old"));
      await(old.what())
          .atMost(LIMIT)
          .ignoreExceptions()
          .until(() -> jobs.create(StoredJobs.job(old.name(), spec(old.spec()))).isEmpty());
      namespaces.put(old.what(), jobs);
    }
    OperatorProcess.installCrds(client);
    StoredJobs probe = new StoredJobs(client, controlPlane.createNamespace("probe"));
    probe.awaitPolicy();
  }

  @AfterAll
  void stop() {
    controlPlane.close();
  }

  /** The CRD as it would be without CEL, and without lists that are maps. */
  private static String withoutRules() throws IOException {
    Object crd = new Yaml().load(Files.readString(CrdManifest.FILE));
    strip(crd);
    return new Yaml().dump(crd);
  }

  private static void strip(Object node) {
    if (node instanceof Map<?, ?> map) {
      map.remove("x-kubernetes-validations");
      map.remove("x-kubernetes-list-type");
      map.remove("x-kubernetes-list-map-keys");
      map.values().forEach(CrdUpgradeIT::strip);
    } else if (node instanceof List<?> list) {
      list.forEach(CrdUpgradeIT::strip);
    }
  }

  private StoredJobs jobs(Old old) {
    return Objects.requireNonNull(namespaces.get(old.what()));
  }

  @ParameterizedTest
  @MethodSource("invalidJobs")
  void anInvalidJobOfOldTimesLivesOn(Old old) {
    StoredJobs jobs = jobs(old);
    String name = old.name();

    // Somebody labels it, something holds on to it.
    ObjectNode job = jobs.get(name);
    ((ObjectNode) job.get("metadata")).putObject("labels").put("team", "vision");
    ((ObjectNode) job.get("metadata")).putArray("finalizers").add("example.com/backup");
    assertThat(jobs.replace(name, "", job)).isEmpty();

    // The operator reports.
    job = jobs.get(name);
    job.putObject("status").put("phase", "Running").put("attempt", 1);
    assertThat(jobs.replace(name, "/status", job)).isEmpty();
    job = jobs.get(name);
    ((ObjectNode) job.get("status")).put("phase", "Failed");
    assertThat(jobs.replace(name, "/status", job)).isEmpty();

    // It is paused as it is, and through the webhook, which adds every default.
    if (!old.what().startsWith("run-mode") && !old.what().equals(TWICE)) {
      assertThat(jobs.update(name, paused(jobs.get(name).get("spec"), true))).isEmpty();
      assertThat(jobs.update(name, completed(paused(jobs.get(name).get("spec"), false)))).isEmpty();
    }

    // It is deleted, and nothing holds on to it any more.
    jobs.delete(name);
    job = jobs.get(name);
    assertThat(job.at("/metadata/deletionTimestamp").isMissingNode()).isFalse();
    ((ObjectNode) job.get("metadata")).putArray("finalizers");
    assertThat(jobs.replace(name, "", job)).isEmpty();
    assertThat(jobs.exists(name)).isFalse();
  }

  private static JsonNode paused(JsonNode spec, boolean paused) {
    ObjectNode changed = spec.deepCopy();
    changed.withObject("/runMode").withObject("/pause").put("enabled", paused);
    return changed;
  }
}
