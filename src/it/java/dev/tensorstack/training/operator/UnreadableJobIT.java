package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.reference.AdmissionPolicyManifest;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A job that the operator's types cannot read never stops another one. It has a control plane of
 * its own, because its CRD and its policy, which is not there, let everything in.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UnreadableJobIT {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final ControlPlane controlPlane = ControlPlane.start();
  private final KubernetesClient client = controlPlane.client();
  private final FakeKubelet kubelet =
      FakeKubelet.start(client, FakeKubeletOptions.nodes(1).namePrefix("unreadable"));

  UnreadableJobIT() {
    OperatorProcess.installCrds(client);
    client.resource(AdmissionPolicyManifest.binding()).delete();
    String anything = "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}";
    assertThat(
            controlPlane
                .kubectl(
                    "patch",
                    "crd",
                    "pytorchtrainingjobs.batch.tensorstack.dev",
                    "--type=json",
                    "-p",
                    "[{\"op\":\"replace\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema\","
                        + "\"value\":"
                        + anything
                        + "},{\"op\":\"remove\",\"path\":\"/spec/versions/0/subresources\"},"
                        + "{\"op\":\"add\",\"path\":\"/spec/versions/0/subresources\","
                        + "\"value\":{\"status\":{}}}]")
                .exitCode())
        .isZero();
  }

  @AfterAll
  void stop() {
    kubelet.close();
    controlPlane.close();
  }

  private void store(String namespace, String manifest) {
    await("the schema lets it in")
        .atMost(LIMIT)
        .ignoreExceptions()
        .until(
            () ->
                controlPlane
                        .kubectlWithInput(
                            manifest, "create", "--validate=false", "-n", namespace, "-f", "-")
                        .exitCode()
                    == 0);
  }

  @Test
  void anUnreadableJobIsReportedAndTheOthersGoOnAlsoAfterARestart() throws IOException {
    String namespace = controlPlane.createNamespace("unreadable");
    Jobs jobs = new Jobs(client, namespace);
    Map<String, String> environment = Map.of("OPERATOR_WATCH_NAMESPACES", namespace);
    try (OperatorProcess operator = OperatorProcess.start(controlPlane.kubeconfig(), environment)) {
      jobs.create(Jobs.simple("earlier", 1, "Never"));
      store(namespace, Jobs.simple("bad", 1, "Never").replace("replicas: 1", "replicas: three"));
      assertReported(operator, namespace, jobs);
      jobs.create(Jobs.simple("later", 1, "Never"));
      jobs.awaitPhase("earlier", "Running");
      jobs.awaitPhase("later", "Running");
      operator.kill();
    }
    try (OperatorProcess again = OperatorProcess.start(controlPlane.kubeconfig(), environment)) {
      assertReported(again, namespace, jobs);
      kubelet.finish(namespace, jobs.base("earlier") + "-worker-0", 0);
      jobs.awaitPhase("earlier", "Succeeded");
      jobs.create(Jobs.simple("latest", 1, "Never"));
      jobs.awaitPhase("latest", "Running");
      assertThat(again.isAlive()).isTrue();
    }
    assertThat(client.pods().inNamespace(namespace).withLabel("tensorstack.dev/owner-name", "bad"))
        .satisfies(pods -> assertThat(pods.list().getItems()).isEmpty());
  }

  private void assertReported(OperatorProcess operator, String namespace, Jobs jobs)
      throws IOException {
    await("metric")
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(
                        operator
                            .get("/q/metrics")
                            .body()
                            .lines()
                            .filter(line -> line.contains("_unreadable_"))
                            .collect(Collectors.joining("\n")))
                    .containsPattern(
                        "pytorchtrainingjob_unreadable_total\\{[^}]*namespace=\""
                            + namespace
                            + "\"[^}]*} 1\\.0"));
    await("event")
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(jobs.events("bad"))
                    .singleElement()
                    .satisfies(
                        event -> {
                          assertThat(event.getType()).isEqualTo("Warning");
                          assertThat(event.getCount()).isEqualTo(1);
                          assertThat(event.getMessage())
                              .contains("cannot be read")
                              .contains("spec.replicaSpecs[0].replicas");
                        }));
    assertThat(Files.readString(operator.log()))
        .contains(namespace + "/bad cannot be read")
        .contains("spec.replicaSpecs[0].replicas");
  }

  /** Not even the API's types can hold these. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "spec: [1, 2]",
        "spec: nonsense",
        "spec: {replicaSpecs: {type: worker}}",
        "spec: {replicaSpecs: [{type: worker, template: text}]}",
        "spec: {replicaSpecs: [{type: worker, replicas: 3000000000, template: {spec: {}}}]}",
      })
  void aSpecThatCannotBeReadIsReportedAndLeftAsItIs(String part) {
    Jobs jobs = besidesAGoodJob(part);
    assertOddIsReportedAndLeftAlone(jobs);
    assertThat(jobs.get("odd").getStatus()).isNull();
  }

  /** These can be read; what is wrong with them is said by the rules. */
  @ParameterizedTest
  @ValueSource(strings = {"spec: {replicaSpecs: [null]}", "spec: {}", "unknown: true"})
  void aSpecThatBreaksTheRulesFailsAndStopsNoOtherJob(String part) {
    Jobs jobs = besidesAGoodJob(part);
    assertThat(jobs.awaitPhase("odd", "Failed").getStatus().columns())
        .satisfies(columns -> assertThat(columns.reason()).isEqualTo("InvalidSpec"));
  }

  private Jobs besidesAGoodJob(String part) {
    String namespace = controlPlane.createNamespace("odd");
    Jobs jobs = new Jobs(client, namespace);
    store(
        namespace,
        """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata:
          name: odd
        %s
        """
            .formatted(part));
    withOperator(namespace, jobs);
    return jobs;
  }

  private void withOperator(String namespace, Jobs jobs) {
    try (OperatorProcess operator =
        OperatorProcess.start(
            controlPlane.kubeconfig(), Map.of("OPERATOR_WATCH_NAMESPACES", namespace))) {
      jobs.create(Jobs.simple("good", 1, "Never"));
      jobs.awaitPhase("good", "Running");
      assertThat(operator.isAlive()).isTrue();
    }
  }

  private static void assertOddIsReportedAndLeftAlone(Jobs jobs) {
    assertThat(jobs.pods("odd")).isEmpty();
    assertThat(jobs.events("odd"))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getType()).isEqualTo("Warning");
              assertThat(event.getMessage()).contains("cannot be read");
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"attempt\":\"first\"}", "{\"conditions\":\"none\"}", "{\"tasks\":[7]}"})
  void aStatusThatCannotBeReadIsReportedAndKept(String status) {
    String namespace = controlPlane.createNamespace("odd-status");
    Jobs jobs = new Jobs(client, namespace);
    store(namespace, Jobs.simple("odd", 1, "Never"));
    assertThat(
            controlPlane
                .kubectl(
                    "patch",
                    "pj",
                    "odd",
                    "-n",
                    namespace,
                    "--subresource=status",
                    "--type=merge",
                    "-p",
                    "{\"status\":" + status + "}")
                .exitCode())
        .isZero();
    withOperator(namespace, jobs);
    assertOddIsReportedAndLeftAlone(jobs);
    assertThat(
            controlPlane
                .kubectl("get", "pj", "odd", "-n", namespace, "-o", "jsonpath={.status}")
                .stdout())
        .isEqualTo(status);
  }
}
