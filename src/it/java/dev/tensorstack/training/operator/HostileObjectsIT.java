package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One object that somebody stores, or tries to, to stall or to blind the operator, beside jobs of
 * others. It has a control plane of its own, because a client with the usual limits cannot list
 * what is stored there; pods are therefore run by hand.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileObjectsIT {

  /** A look at such a job took 16 seconds, or for ever; a broken watch 40 seconds and more. */
  private static final Duration AT_ONCE = Duration.ofSeconds(15);

  private static final String DEEP = "{\"a\":".repeat(1_000) + "1" + "}".repeat(1_000);
  private static final String LONG = "{\"" + "k".repeat(50_001) + "\":1}";

  private final ControlPlane controlPlane = ControlPlane.start();
  private final KubernetesClient client = controlPlane.client();

  HostileObjectsIT() {
    OperatorProcess.installCrds(client);
  }

  @AfterAll
  void stop() {
    controlPlane.close();
  }

  private KubectlResult create(String namespace, String manifest) {
    return controlPlane.kubectlWithInput(
        manifest, "create", "--validate=false", "-n", namespace, "-f", "-");
  }

  private static String job(String name, String template) {
    return """
        {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "PyTorchTrainingJob",
         "metadata": {"name": "%s"}, "spec": {"replicaSpecs": [{"type": "worker", "template": %s}]}}
        """
        .formatted(name, template);
  }

  private static String beside(String field) {
    return "{\"spec\": {\"future\": "
        + field
        + ", \"containers\": [{\"name\": \"c\", \"image\": \"i\", \"args\": [\"t.py\"]}]}}";
  }

  private static String limited(String quantity) {
    return """
        {"spec": {"containers": [{"name": "c", "image": "i", "args": ["t.py"], "resources":
          {"limits": {"memory": "%1$s", "nvidia.com/gpu": "%1$s"}}}],
          "volumes": [{"name": "v", "emptyDir": {"sizeLimit": "%1$s"}}]}}
        """
        .formatted(quantity);
  }

  /** Creates a job, runs its only pod by hand, and waits until the job says so. */
  private void work(Jobs jobs, String namespace, String name) {
    jobs.create(Jobs.simple(name, 1, "Never"));
    await("the pod of " + name).atMost(AT_ONCE).until(() -> jobs.pods(name).size() == 1);
    Pod pod = jobs.pods(name).get(0);
    client
        .pods()
        .inNamespace(namespace)
        .withName(pod.getMetadata().getName())
        .subresource("status")
        .patch(
            // Without a version: the scheduler writes into the status as well.
            PatchContext.of(PatchType.JSON_MERGE), "{\"status\": {\"phase\": \"Running\"}}");
    await(name + " runs")
        .atMost(AT_ONCE)
        .until(
            () ->
                jobs.get(name).getStatus() != null
                    && "Running".equals(jobs.get(name).getStatus().phase()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e10000000", "1e300000000", "-1e-99999999"})
  void aStoredQuantityThatNoResourceHasFailsItsJobAndStallsNoOther(String quantity)
      throws IOException {
    String namespace = controlPlane.createNamespace("quantity");
    Jobs jobs = new Jobs(client, namespace);
    Map<String, String> environment = Map.of("OPERATOR_WATCH_NAMESPACES", namespace);
    try (OperatorProcess operator = OperatorProcess.start(controlPlane.kubeconfig(), environment)) {
      for (int i = 0; i < 20; i++) {
        create(namespace, job("hostile-" + i, limited(quantity))).orThrow();
      }
      work(jobs, namespace, "healthy");
      for (int i = 0; i < 20; i++) {
        assertThat(jobs.awaitPhase("hostile-" + i, "Failed").getStatus())
            .satisfies(
                status -> {
                  assertThat(status.columns().reason()).isEqualTo("InvalidSpec");
                  assertThat(status.conditions())
                      .anySatisfy(
                          condition ->
                              assertThat(condition.message())
                                  .contains(
                                      "spec.replicaSpecs[0].template.spec.containers[0].resources"
                                          + ".limits[memory]: \""
                                          + quantity
                                          + "\" has an exponent outside -18 to 18"));
                });
      }
      assertThat(Files.readString(operator.log()))
          .doesNotContain("Arithmetic", "NumberFormat", "reconciliation failed");
    }
    try (OperatorProcess again = OperatorProcess.start(controlPlane.kubeconfig(), environment)) {
      work(jobs, namespace, "later");
      assertThat(again.isAlive()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {DEEP_NAME, LONG_NAME})
  void aTemplateBeyondAllReasonIsReportedAndBlindsNobody(String which) throws IOException {
    String hostile = job("hostile", beside(which.equals(DEEP_NAME) ? DEEP : LONG));
    String namespace = controlPlane.createNamespace("hostile");
    Jobs jobs = new Jobs(client, namespace);
    Map<String, String> environment = Map.of("OPERATOR_WATCH_NAMESPACES", namespace);
    try (OperatorProcess operator = OperatorProcess.start(controlPlane.kubeconfig(), environment)) {
      work(jobs, namespace, "earlier");
      create(namespace, hostile).orThrow();
      assertReported(jobs, namespace, operator);
      work(jobs, namespace, "beside");
      operator.kill();
    }
    try (OperatorProcess again = OperatorProcess.start(controlPlane.kubeconfig(), environment)) {
      assertReported(jobs, namespace, again);
      work(jobs, namespace, "later");
      controlPlane.kubectl("delete", "pj", "hostile", "-n", namespace).orThrow();
      create(namespace, job("hostile", beside("1"))).orThrow();
      await("the corrected one has its pod")
          .atMost(AT_ONCE)
          .until(() -> jobs.pods("hostile").size() == 1);
      work(jobs, namespace, "latest");
    }
  }

  private static final String DEEP_NAME = "nested 1,000 levels";
  private static final String LONG_NAME = "a key of 50,001 characters";

  private static void assertReported(Jobs jobs, String namespace, OperatorProcess operator)
      throws IOException {
    await("the event")
        .atMost(AT_ONCE)
        .untilAsserted(
            () ->
                assertThat(jobs.events("hostile"))
                    .anySatisfy(
                        event ->
                            assertThat(event.getMessage())
                                .contains("cannot be read", "spec.replicaSpecs[0].template.spec")));
    await("the metric")
        .atMost(AT_ONCE)
        .until(
            () ->
                operator
                    .get("/q/metrics")
                    .body()
                    .matches("(?s).*unreadable_total\\{[^}]*" + namespace + "[^}]*} 1\\.0.*"));
    assertThat(Files.readString(operator.log())).contains(namespace + "/hostile cannot be read");
  }

  /** Anybody may create a pod with our label, and its managed fields name its variables. */
  @Test
  void aPodWithAVariableOfALongNameBlindsNobody() {
    String namespace = controlPlane.createNamespace("variable");
    Jobs jobs = new Jobs(client, namespace);
    Map<String, String> environment = Map.of("OPERATOR_WATCH_NAMESPACES", namespace);
    String pod =
        """
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "hostile", "labels":
          {"batch.tensorstack.dev/job-uid": "any"}}, "spec": {"containers":
          [{"name": "c", "image": "i", "env": [{"name": "%s", "value": "v"}]}]}}
        """
            .formatted("E".repeat(60_000));
    try (OperatorProcess operator = OperatorProcess.start(controlPlane.kubeconfig(), environment)) {
      create(namespace, pod).orThrow();
      work(jobs, namespace, "beside");
      operator.kill();
    }
    try (OperatorProcess again = OperatorProcess.start(controlPlane.kubeconfig(), environment)) {
      work(jobs, namespace, "later");
      assertThat(again.isAlive()).isTrue();
    }
  }

  /** The configurations of a URL say {@code failurePolicy: Ignore}. */
  @Test
  void withTheWebhooksAllOfThemAreRefused() {
    String namespace = controlPlane.createNamespace("refused");
    Jobs jobs = new Jobs(client, namespace);
    try (OperatorProcess operator =
        OperatorProcess.startWithWebhooks(
            controlPlane.kubeconfig(), Map.of("OPERATOR_WATCH_NAMESPACES", namespace))) {
      Map<String, List<String>> answers =
          Map.of(
              job("deep", beside(DEEP)),
              List.of("spec.replicaSpecs[0].template.spec.future.a.a", "deeper than 100 levels"),
              job("long", beside(LONG)),
              List.of("spec.replicaSpecs[0].template.spec.future", "50001 characters"),
              job("quantity", limited("1e300000000")),
              List.of(
                  "spec.replicaSpecs[0].template.spec.containers[0].resources.limits[memory]",
                  "spec.replicaSpecs[0].template.spec.volumes[0].emptyDir.sizeLimit",
                  "exponent outside -18 to 18"),
              job("pods", beside("1")).replace("\"worker\"", "\"worker\", \"replicas\": 100000"),
              List.of("spec.replicaSpecs[0].replicas", "at most 10000"));
      answers.forEach(
          (manifest, words) -> {
            KubectlResult result = create(namespace, manifest);
            assertThat(result.exitCode()).isNotZero();
            assertThat(result.stderr()).contains(words).contains("is invalid");
          });
      work(jobs, namespace, "good");
      assertThat(operator.isAlive()).isTrue();
    }
  }
}
