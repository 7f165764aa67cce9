package dev.tensorstack.training.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(ControlPlaneExtension.class)
class ControlPlaneIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final ControlPlane controlPlane;
  private final KubernetesClient client;

  ControlPlaneIT(ControlPlane controlPlane, KubernetesClient client) {
    this.controlPlane = controlPlane;
    this.client = client;
  }

  @Test
  void theSchedulerLeavesPodsPendingWhenThereAreNoNodes() {
    String namespace = controlPlane.createNamespace("pending");
    client
        .pods()
        .inNamespace(namespace)
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName("waiting")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .withImage("nothing")
                .endContainer()
                .endSpec()
                .build())
        .create();

    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(
                        client.pods().inNamespace(namespace).withName("waiting").get().getStatus())
                    .satisfies(
                        status -> {
                          assertThat(status.getPhase()).isEqualTo("Pending");
                          assertThat(status.getConditions())
                              .extracting(PodCondition::getMessage)
                              .anySatisfy(
                                  message -> assertThat(message).contains("no nodes available"));
                        }));
  }

  @Test
  void whatAnObjectOwnsIsGarbageCollectedAfterIt() {
    String namespace = controlPlane.createNamespace("garbage");
    ConfigMap owner =
        client.configMaps().inNamespace(namespace).resource(configMap("owner")).create();
    ConfigMap owned =
        new ConfigMapBuilder(configMap("owned"))
            .editMetadata()
            .addNewOwnerReference()
            .withApiVersion("v1")
            .withKind("ConfigMap")
            .withName("owner")
            .withUid(owner.getMetadata().getUid())
            .endOwnerReference()
            .endMetadata()
            .build();
    client.configMaps().inNamespace(namespace).resource(owned).create();

    client.configMaps().inNamespace(namespace).withName("owner").delete();

    await()
        .atMost(LIMIT)
        .until(() -> client.configMaps().inNamespace(namespace).withName("owned").get() == null);
  }

  @Test
  void kubectlWorksWithInputAndReportsFailures() {
    String namespace = controlPlane.createNamespace("kubectl");

    String created =
        controlPlane
            .kubectlWithInput(
                """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: typed}
                """,
                "-n",
                namespace,
                "apply",
                "-f",
                "-")
            .orThrow();
    KubectlResult missing = controlPlane.kubectl("-n", namespace, "get", "configmap", "absent");

    assertThat(created).contains("configmap/typed created");
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.stderr()).contains("NotFound");
    assertThatThrownBy(missing::orThrow).isInstanceOf(ControlPlaneException.class);
  }

  @Test
  void aServiceAccountHasOnlyTheRightsItWasGiven() throws IOException {
    String namespace = controlPlane.createNamespace("rbac");
    controlPlane
        .kubectl("-n", namespace, "create", "role", "reader", "--verb=list", "--resource=pods")
        .orThrow();
    controlPlane
        .kubectl(
            "-n",
            namespace,
            "create",
            "rolebinding",
            "reader",
            "--role=reader",
            "--serviceaccount=" + namespace + ":default")
        .orThrow();

    Path kubeconfig = controlPlane.serviceAccountKubeconfig(namespace, "default");

    try (KubernetesClient limited =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(Files.readString(kubeconfig)))
            .build()) {
      await()
          .atMost(LIMIT)
          .ignoreExceptions()
          .until(() -> limited.pods().inNamespace(namespace).list().getItems().isEmpty());
      assertThatThrownBy(() -> limited.configMaps().inNamespace(namespace).list())
          .isInstanceOfSatisfying(
              KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(403));
    }
  }

  @Test
  void theAuditLogHasEachWriteBeforeItsAnswer() throws IOException {
    String namespace = controlPlane.createNamespace("audit");

    client.configMaps().inNamespace(namespace).resource(configMap("counted")).create();

    assertThat(Files.readString(controlPlane.auditLog()).lines())
        .filteredOn(line -> line.contains(namespace) && line.contains("\"verb\":\"create\""))
        .filteredOn(line -> line.contains("\"name\":\"counted\""))
        .hasSize(1);
  }

  @Test
  @NeedsKubernetes(value = 36, because = "PodGroups of Kubernetes")
  void nativePodGroupsAreThereWhenSwitchedOnAndObjectsOutliveARestart(@TempDir Path directory) {
    try (ControlPlane first = ControlPlane.builder().directory(directory).podGroups(true).start()) {
      assertThat(first.kubectl("api-resources", "--api-group=scheduling.k8s.io").orThrow())
          .contains("PodGroup");
      first.kubectl("create", "namespace", "stays").orThrow();
    }
    try (ControlPlane second =
        ControlPlane.builder()
            .directory(directory)
            .controllerManager(false)
            .scheduler(false)
            .start()) {
      assertThat(second.kubectl("get", "namespace", "stays").exitCode()).isZero();
    }
  }

  @Test
  void aFailedStartTellsWhatTheProgramSaid() {
    assertThatThrownBy(
            () -> ControlPlane.builder().apiServerArguments("--no-such-flag").start().close())
        .isInstanceOf(ControlPlaneException.class)
        .hasMessageContaining("kube-apiserver ended")
        .hasMessageContaining("no-such-flag");
  }

  private static ConfigMap configMap(String name) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).endMetadata().build();
  }
}
