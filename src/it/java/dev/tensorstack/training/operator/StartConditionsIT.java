package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What must be so before a kind is worked on. On a control plane of its own: CRDs come and go, and
 * the traces of Kubeflow's Training Operator hold for the whole cluster.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StartConditionsIT {

  private static final String CRDS = "src/main/kubernetes/";
  private static final String TRAINING_JOBS = "pytorchtrainingjobs.batch.tensorstack.dev-v1";
  private static final String PYTORCH_JOBS = "pytorchjobs.kubeflow.org-v1";
  private static final String LEASE = "1ca428e5.training-operator.kubeflow.org";
  private static final Duration A_MINUTE_WITHOUT_A_SIGN = Duration.ofMinutes(2);
  private static final String POD_UID = "6f1b8a5e-3c52-4d38-9f0a-1d3a1f0e2b77";

  private final ControlPlane controlPlane = ControlPlane.builder().scheduler(false).start();
  private final KubernetesClient client = controlPlane.client();

  @AfterAll
  void stop() {
    controlPlane.close();
  }

  @AfterEach
  void removeTraces() {
    kubectl("delete", "validatingwebhookconfiguration", "--all");
    kubectl("delete", "lease", LEASE, "-n", "default", "--ignore-not-found");
    // A job without an operator that defends it goes with its CRD.
    kubectl("delete", "crd", "pytorchjobs.kubeflow.org", "--ignore-not-found");
  }

  private String kubectl(String... arguments) {
    return controlPlane.kubectl(arguments).orThrow();
  }

  private void install(String crd) {
    kubectl("apply", "--server-side", "--force-conflicts", "-f", CRDS + crd + ".yml");
    controlPlane.awaitCrd(crd.substring(0, crd.lastIndexOf('-')));
  }

  private PyTorchJobScene scene(String name) {
    return new PyTorchJobScene(controlPlane, controlPlane.createNamespace(name));
  }

  private OperatorProcess operator(PyTorchJobScene scene, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(OperatorProcess.SHORT_DELAYS);
    settings.put("OPERATOR_NAMESPACE", scene.namespace);
    settings.put("OPERATOR_LEADER_ELECTION_ENABLED", "false");
    settings.put("OPERATOR_OWN_POD_NAME", "operator-0");
    settings.put("OPERATOR_OWN_POD_UID", POD_UID);
    settings.putAll(more);
    return OperatorProcess.launch(controlPlane.kubeconfig(), settings);
  }

  private static boolean hasQueue(OperatorProcess operator) {
    return MetricsPage.of(operator).samples().stream()
        .anyMatch(
            sample -> sample.name().equals("operator_sdk_reconciliations_queue_size_pytorchjob"));
  }

  private static double waits(OperatorProcess operator, String kind) {
    return MetricsPage.of(operator).samples().stream()
        .filter(
            sample ->
                sample.name().equals("pytorchtrainingjob_operator_kind_waits")
                    && kind.equals(sample.labels().get("kind")))
        .mapToDouble(MetricsPage.Sample::value)
        .sum();
  }

  private void awaitWaiting(PyTorchJobScene scene, OperatorProcess operator, String why) {
    await("the event; log: " + operator.log())
        .atMost(PyTorchJobScene.PATIENCE)
        .until(
            () ->
                scene.events("operator-0").stream()
                    .anyMatch(
                        event ->
                            event.getReason().equals("KindNotWorkedOn")
                                && event.getInvolvedObject().getUid().equals(POD_UID)
                                && event.getMessage().contains("PyTorchJob.kubeflow.org")
                                && event.getMessage().contains(why)));
    await("the metric").until(() -> waits(operator, "PyTorchJob") == 1);
    assertThat(waits(operator, "PyTorchTrainingJob")).isZero();
    assertThat(operator.get("/q/health/ready").body()).contains("kinds").contains(why);
  }

  private void renewLease() {
    Lease lease =
        new LeaseBuilder()
            .withMetadata(new ObjectMetaBuilder().withName(LEASE).withNamespace("default").build())
            .withNewSpec()
            .withHolderIdentity("training-operator-7f")
            .withLeaseDurationSeconds(15)
            .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
            .endSpec()
            .build();
    client.resource(lease).createOr(existing -> existing.patch());
  }

  /** As Kubeflow's manifests leave them, with an endpoint. */
  private void installWebhooksOfTheTrainingOperator(String namespace) {
    controlPlane
        .kubectlWithInput(
            """
            apiVersion: admissionregistration.k8s.io/v1
            kind: ValidatingWebhookConfiguration
            metadata: {name: validator.training-operator.kubeflow.org}
            webhooks:
            - name: validator.pytorchjob.training-operator.kubeflow.org
              admissionReviewVersions: [v1]
              sideEffects: None
              failurePolicy: Ignore
              timeoutSeconds: 1
              clientConfig:
                service: {name: training-operator, namespace: %1$s, path: /validate}
              rules:
              - apiGroups: [kubeflow.org]
                apiVersions: [v1]
                operations: [CREATE, UPDATE]
                resources: [pytorchjobs]
            ---
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata:
              name: training-operator-1
              namespace: %1$s
              labels: {kubernetes.io/service-name: training-operator}
            addressType: IPv4
            ports: [{name: webhook, port: 9443}]
            endpoints: [{addresses: [192.0.2.7], conditions: {ready: true}}]
            """
                .formatted(namespace),
            "apply",
            "-f",
            "-")
        .orThrow();
  }

  private static JSONSchemaProps schema(CustomResourceDefinition crd) {
    return crd.getSpec().getVersions().get(0).getSchema().getOpenAPIV3Schema();
  }

  private void assertNoPods(PyTorchJobScene scene, String job) {
    await("nothing is done for " + job)
        .during(Duration.ofSeconds(4))
        .atMost(PyTorchJobScene.PATIENCE)
        .until(() -> scene.pods(job).isEmpty() && scene.state(job).isEmpty());
  }

  private void awaitPods(PyTorchJobScene scene, String job) {
    await("the pods of " + job)
        .atMost(A_MINUTE_WITHOUT_A_SIGN)
        .until(() -> scene.pods(job).size() == 2);
    scene.awaitThat(
        job + " is Created", () -> scene.get(job, "{.status.conditions}").contains("Created"));
  }

  @Test
  void aMissingCrdHoldsUpNoOtherKindAndItsJobsAreWorkedOnOnceItIsThere() {
    install(TRAINING_JOBS);
    PyTorchJobScene scene = scene("late-kind");
    Jobs jobs = new Jobs(client, scene.namespace);
    try (OperatorProcess operator = operator(scene, Map.of())) {
      jobs.create(Jobs.simple("ours", 1, "Never"));
      assertThat(jobs.awaitPods("ours", 1)).hasSize(1);
      awaitWaiting(scene, operator, "install the CRD");

      install(PYTORCH_JOBS);
      scene.apply(PyTorchJobScene.manifest("theirs", "OnFailure", 1, "{}"));
      awaitPods(scene, "theirs");
      assertThat(operator.isAlive()).isTrue();
      assertThat(waits(operator, "PyTorchJob")).isZero();
    }
  }

  @Test
  void anotherProgramsCrdThatDropsTheCountsIsNotWorkedWith() {
    install(TRAINING_JOBS);
    CustomResourceDefinition foreign =
        client
            .apiextensions()
            .v1()
            .customResourceDefinitions()
            .load(Path.of(CRDS + PYTORCH_JOBS + ".yml").toFile())
            .item();
    Objects.requireNonNull(schema(foreign).getProperties().get("status"))
        .getProperties()
        .remove("ledger");
    client.resource(foreign).create();
    controlPlane.awaitCrd("pytorchjobs.kubeflow.org");
    await("its schema is published")
        .ignoreExceptions()
        .until(
            () -> !kubectl("get", "--raw", "/openapi/v3/apis/kubeflow.org/v1").contains("ledger"));
    PyTorchJobScene scene = scene("foreign-crd");
    scene.apply(PyTorchJobScene.manifest("theirs", "OnFailure", 1, "{}"));
    try (OperatorProcess operator = operator(scene, Map.of())) {
      awaitWaiting(scene, operator, "status.ledger");
      assertNoPods(scene, "theirs");

      install(PYTORCH_JOBS);
      awaitPods(scene, "theirs");
      assertThat(scene.get("theirs", "{.status.ledger}")).isNotEmpty();
    }
  }

  @Test
  void jobsAreLeftAloneWhileKubeflowsTrainingOperatorHoldsItsLease() {
    install(TRAINING_JOBS);
    install(PYTORCH_JOBS);
    renewLease();
    PyTorchJobScene scene = scene("lease");
    Jobs jobs = new Jobs(client, scene.namespace);
    scene.apply(PyTorchJobScene.manifest("theirs", "OnFailure", 1, "{}"));
    try (OperatorProcess operator = operator(scene, Map.of())) {
      awaitWaiting(scene, operator, "holds the Lease default/" + LEASE);
      jobs.create(Jobs.simple("ours", 1, "Never"));
      assertThat(jobs.awaitPods("ours", 1)).as("the other kind").hasSize(1);
      assertNoPods(scene, "theirs");

      kubectl("delete", "lease", LEASE, "-n", "default");
      awaitPods(scene, "theirs");
    }
  }

  @Test
  void aTrainingOperatorThatComesBackIsLeftTheJobsAsTheyAreUntilItGoesAgain() {
    install(TRAINING_JOBS);
    install(PYTORCH_JOBS);
    PyTorchJobScene scene = scene("comes-back");
    scene.apply(PyTorchJobScene.manifest("before", "OnFailure", 1, "{}"));
    try (OperatorProcess operator = operator(scene, Map.of())) {
      awaitPods(scene, "before");
      Set<String> uids = Set.of(scene.uid("before-master-0"), scene.uid("before-worker-0"));

      installWebhooksOfTheTrainingOperator(scene.namespace);
      awaitWaiting(scene, operator, scene.namespace + "/training-operator");
      scene.apply(PyTorchJobScene.manifest("meanwhile", "OnFailure", 1, "{}"));
      kubectl("delete", "pod", "before-worker-0", "-n", scene.namespace, "--force");
      assertNoPods(scene, "meanwhile");
      assertThat(scene.pods("before")).as("nor is a pod replaced").hasSize(1);
      assertThat(hasQueue(operator)).as("nothing is told of a queue that is gone").isFalse();

      kubectl("delete", "endpointslice", "training-operator-1", "-n", scene.namespace);
      awaitPods(scene, "meanwhile");
      awaitPods(scene, "before");
      assertThat(uids).contains(scene.uid("before-master-0"));
      assertThat(waits(operator, "PyTorchJob")).isZero();
      assertThat(hasQueue(operator)).as("the queue of the second controller").isTrue();
      assertThat(MetricsPage.of(operator).sum("training_operator_jobs_deleted_total")).isZero();
    }
  }

  @Test
  void whoSaysSoWorksBesideTheTrainingOperator() {
    install(TRAINING_JOBS);
    install(PYTORCH_JOBS);
    renewLease();
    PyTorchJobScene scene = scene("beside");
    scene.apply(PyTorchJobScene.manifest("theirs", "OnFailure", 1, "{}"));
    try (OperatorProcess operator =
        operator(scene, Map.of("OPERATOR_PYTORCHJOB_TRAINING_OPERATOR_CHECK", "false"))) {
      awaitPods(scene, "theirs");
      assertThat(operator.isAlive()).isTrue();
    }
  }
}
