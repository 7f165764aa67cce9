package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** How the API server gets to know the webhooks; on a control plane of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebhookRegistrationIT {

  /** The CRD alone lets it pass. */
  private static final String WRONG =
      Jobs.simple("wrong", 1, "Never")
          .replace(
              "spec:\n  replicaSpecs", "spec:\n  torchrunConfig: {enabled: true}\n  replicaSpecs")
          .replace("[python, train.py]", "[bash, run.sh]");

  /** With the garbage collector, which takes finalizers away. */
  private final ControlPlane controlPlane = ControlPlane.builder().scheduler(false).start();

  private final KubernetesClient client = controlPlane.client();
  private final Webhooks byUrl = new Webhooks(client, Webhooks.BY_URL);
  private final Webhooks inCluster = new Webhooks(client, Webhooks.IN_CLUSTER);

  WebhookRegistrationIT() {
    OperatorProcess.installCrds(client);
  }

  @AfterEach
  void removeConfigurations() {
    byUrl.delete();
    inCluster.delete();
  }

  @AfterAll
  void stop() {
    controlPlane.close();
  }

  @Test
  void withAUrlTheApiServerCallsTheWebhooksAsSoonAsTheOperatorIsReady() {
    String namespace = controlPlane.createNamespace("url");
    try (OperatorProcess operator = startByUrl(namespace)) {
      Jobs jobs = new Jobs(client, namespace);
      assertThatThrownBy(() -> jobs.create(WRONG))
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("admission webhook")
          .hasMessageContaining("torchrun needs to know what to run");
      assertThat(jobs.create(Jobs.simple("right", 1, "Never")).getSpec().runPolicy())
          .as("defaults are stored")
          .isNotNull();
      assertThat(byUrl.urls())
          .containsExactly(
              operator.webhookUrl() + "/mutate",
              operator.webhookUrl() + "/mutate/pytorchjobs",
              operator.webhookUrl() + "/validate",
              operator.webhookUrl() + "/validate/pytorchjobs");
      assertThat(operator.get("/q/metrics").body())
          .containsPattern(
              "(?m)^pytorchtrainingjob_webhook_certificate_expiry_timestamp_seconds [1-9]");
    }
  }

  @Test
  void aCleanStopTakesTheWebhooksBackAndAKillLeavesThem() {
    String namespace = controlPlane.createNamespace("stop");
    OperatorProcess killed = startByUrl(namespace);
    killed.kill();
    assertThat(byUrl.urls()).hasSize(Webhooks.ALL);
    KubectlResult refused =
        controlPlane.kubectlWithInput(
            Jobs.simple("a", 1, "Never"), "create", "-n", namespace, "-f", "-");
    assertThat(refused.stderr()).contains("failed calling webhook");

    // Whatever the dead one has left: another port, an authority that is gone.
    client.secrets().inNamespace(namespace).withName(Webhooks.SECRET).delete();
    String stale = byUrl.bundles().get(0);
    try (OperatorProcess next = startByUrl(namespace)) {
      new Jobs(client, namespace).create(Jobs.simple("b", 1, "Never"));
      assertThat(byUrl.urls().get(0)).startsWith(next.webhookUrl());
      assertThat(byUrl.bundles())
          .containsExactly(byUrl.secret(namespace, "ca.crt"))
          .doesNotContain(stale);
    }
    assertThat(byUrl.clientConfigs()).isEmpty();
    new Jobs(client, namespace).create(WRONG);
  }

  @Test
  void aJobIsDeletedInTheForegroundWhileTheOperatorIsAway() {
    String namespace = controlPlane.createNamespace("away");
    OperatorProcess killed = startByUrl(namespace);
    PyTorchTrainingJob job = new Jobs(client, namespace).create(Jobs.simple("a", 1, "Never"));
    client
        .configMaps()
        .inNamespace(namespace)
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName("owned")
                .addNewOwnerReference()
                .withApiVersion(job.getApiVersion())
                .withKind(job.getKind())
                .withName("a")
                .withUid(job.getMetadata().getUid())
                .withBlockOwnerDeletion(true)
                .endOwnerReference()
                .endMetadata()
                .build())
        .create();
    killed.kill();
    assertThat(byUrl.urls()).as("still registered").hasSize(Webhooks.ALL);

    controlPlane
        .kubectl(
            "delete",
            "pytorchtrainingjob",
            "a",
            "-n",
            namespace,
            "--cascade=foreground",
            "--wait=false")
        .orThrow();

    Awaitility.await("the job is gone")
        .untilAsserted(
            () ->
                assertThat(
                        client
                            .resources(PyTorchTrainingJob.class)
                            .inNamespace(namespace)
                            .list()
                            .getItems())
                    .extracting(one -> one.getMetadata().getFinalizers())
                    .isEmpty());
    KubectlResult refused =
        controlPlane.kubectlWithInput(
            Jobs.simple("b", 1, "Never")
                .replace("metadata:\n", "metadata:\n  deletionTimestamp: 2026-01-01T00:00:00Z\n"),
            "create",
            "-n",
            namespace,
            "-f",
            "-");
    assertThat(refused.stderr())
        .as("a time of deletion that somebody writes is not one")
        .contains("failed calling webhook \"mutate.");
  }

  @Test
  void aJobIsLabelledWhileTheOperatorIsAwayAndItsSpecIsNotChanged() {
    String namespace = controlPlane.createNamespace("label");
    OperatorProcess killed = startByUrl(namespace);
    new Jobs(client, namespace).create(Jobs.simple("a", 1, "Never"));
    killed.kill();
    assertThat(byUrl.urls()).as("still registered").hasSize(Webhooks.ALL);

    controlPlane
        .kubectl("label", "pytorchtrainingjob", "a", "team=vision", "-n", namespace)
        .orThrow();
    String pause = "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}";
    assertThat(
            controlPlane
                .kubectl(
                    "patch",
                    "pytorchtrainingjob",
                    "a",
                    "-n",
                    namespace,
                    "--type=merge",
                    "-p",
                    pause)
                .stderr())
        .contains("failed calling webhook \"mutate.");
  }

  @Test
  void operatorsWithDifferentUrlsShareOneRegistrationAndTheNextTakesOver() {
    String namespace = controlPlane.createNamespace("two");
    try (OperatorProcess first = startByUrl(namespace);
        OperatorProcess second = startByUrl(namespace)) {
      assertThat(byUrl.urls().get(0)).startsWith(first.webhookUrl());
      first.kill();
      Awaitility.await("the second takes over; log: " + second.log())
          .until(() -> byUrl.urls().get(0).startsWith(second.webhookUrl()));
      assertThat(byUrl.bundles()).containsExactly(byUrl.secret(namespace, "ca.crt"));
    }
    assertThat(byUrl.clientConfigs()).isEmpty();
  }

  @Test
  void operatorsThatStartTogetherAgreeOnOneSecret() throws IOException {
    String namespace = controlPlane.createNamespace("agree");
    applyManifests();
    Map<String, String> settings = inNamespace(namespace);
    try (OperatorProcess one = OperatorProcess.launch(controlPlane.kubeconfig(), settings);
        OperatorProcess other = OperatorProcess.launch(controlPlane.kubeconfig(), settings)) {
      one.awaitReady();
      other.awaitReady();
      String trust = inCluster.secret(namespace, "ca.crt");
      inCluster.awaitBundle(trust);
      String service = Webhooks.SECRET + "." + namespace + ".svc";
      assertThat(WebhookClient.call(one.webhookUrl() + "/mutate", trust, service).certificate())
          .isEqualTo(
              WebhookClient.call(other.webhookUrl() + "/mutate", trust, service).certificate());
    }
  }

  @Test
  void inAClusterTheCaBundleOfTheManifestsIsKeptCurrentWithTheRightsOfTheManifests()
      throws IOException {
    String namespace = "pytorchtrainingjob-system";
    String account = "pytorchtrainingjob-operator";
    controlPlane.kubectl("create", "namespace", namespace).orThrow();
    controlPlane.kubectl("create", "serviceaccount", account, "-n", namespace).orThrow();
    for (String manifest :
        List.of("webhook-rbac.yml", "leader-election-rbac.yml", "webhook-service.yml")) {
      controlPlane.kubectl("apply", "-f", "src/main/kubernetes/" + manifest).orThrow();
    }
    Path kubeconfig = controlPlane.serviceAccountKubeconfig(namespace, account);
    try (OperatorProcess operator = OperatorProcess.launch(kubeconfig, inNamespace(namespace))) {
      Awaitility.await("the missing configuration is told; log: " + operator.log())
          .until(() -> Files.readString(operator.log()).contains("does not exist"));
      assertThat(operator.get("/q/health/ready").body()).contains("does not exist", "DOWN");

      applyManifests();
      operator.awaitReady();
      inCluster.awaitBundle(inCluster.secret(namespace, "ca.crt"));

      inCluster.overwriteBundles("");
      inCluster.awaitBundle(inCluster.secret(namespace, "ca.crt"));
      assertThat(inCluster.clientConfigs())
          .allSatisfy(config -> assertThat(config.getService().getName()).isNotEmpty());

      String damaged = inCluster.secret(namespace, "ca.crt");
      damageSecret(namespace);
      Awaitility.await("the damaged Secret is repaired; log: " + operator.log())
          .until(() -> inCluster.secret(namespace, "ca.crt").contains("BEGIN CERTIFICATE"));
      String repaired = inCluster.secret(namespace, "ca.crt");
      assertThat(repaired).isNotEqualTo(damaged);
      inCluster.awaitBundle(repaired + damaged);
      assertThat(Files.readString(operator.log()))
          .contains("is replaced: it does not hold certificates of the operator");
      assertThat(operator.get("/q/health/ready").statusCode()).isEqualTo(200);
    }
    assertThat(inCluster.clientConfigs()).as("not the operator's to remove").hasSize(Webhooks.ALL);
  }

  @Test
  void anOperatorWithoutClusterAndUrlListensAndWritesNothing() throws IOException {
    String namespace = controlPlane.createNamespace("nothing");
    try (OperatorProcess operator =
        OperatorProcess.start(
            controlPlane.kubeconfig(), Map.of("OPERATOR_WATCH_NAMESPACES", namespace))) {
      assertThat(
              client
                  .secrets()
                  .inAnyNamespace()
                  .withLabel("app.kubernetes.io/managed-by")
                  .list()
                  .getItems()
                  .stream()
                  .map(Secret::getMetadata)
                  .filter(metadata -> metadata.getName().equals(Webhooks.SECRET))
                  .filter(metadata -> metadata.getNamespace().equals("default")))
          .isEmpty();
      assertThat(byUrl.clientConfigs()).isEmpty();
      assertThat(operator.get("/q/metrics").body())
          .containsPattern(
              "(?m)^pytorchtrainingjob_webhook_certificate_expiry_timestamp_seconds [1-9]");
    }
  }

  private OperatorProcess startByUrl(String namespace) {
    return OperatorProcess.startWithWebhooks(
        controlPlane.kubeconfig(),
        Map.of(
            "OPERATOR_NAMESPACE", namespace,
            "OPERATOR_WATCH_NAMESPACES", namespace,
            "OPERATOR_WEBHOOKS_CHECK_INTERVAL", "1s"));
  }

  private static Map<String, String> inNamespace(String namespace) {
    return Map.of(
        "OPERATOR_NAMESPACE", namespace,
        "OPERATOR_WATCH_NAMESPACES", namespace,
        "OPERATOR_WEBHOOKS_CHECK_INTERVAL", "500ms");
  }

  private void applyManifests() throws IOException {
    for (String file :
        List.of("mutatingwebhookconfiguration.yml", "validatingwebhookconfiguration.yml")) {
      client
          .resource(
              client
                  .getKubernetesSerialization()
                  .unmarshal(
                      Files.readString(Path.of("src/main/kubernetes", file)),
                      GenericKubernetesResource.class))
          .create();
    }
  }

  private void damageSecret(String namespace) {
    Secret secret =
        Objects.requireNonNull(
            client.secrets().inNamespace(namespace).withName(Webhooks.SECRET).get());
    client.resource(new SecretBuilder(secret).addToData("ca.crt", "bm9uZQ==").build()).update();
  }
}
