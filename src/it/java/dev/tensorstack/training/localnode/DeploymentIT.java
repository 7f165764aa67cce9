package dev.tensorstack.training.localnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import dev.tensorstack.training.controlplane.LoopbackPorts;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A server beside a job, of the shape that TensorBoard's has: a Deployment whose pod reads the
 * volume that another pod writes, without rights of its own, and is ready when it answers.
 */
@ExtendWith(ControlPlaneExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeploymentIT {
  private static final String NODE = "local-deployment";
  private static final Map<String, String> LABELS = Map.of("app.kubernetes.io/name", "logs");

  private final KubernetesClient client;
  private final String namespace;
  private final LocalNode node;
  private final LocalPods pods;
  private final int port = LoopbackPorts.next();

  DeploymentIT(ControlPlane controlPlane, KubernetesClient client) {
    this.client = client;
    this.namespace = controlPlane.createNamespace("deployment");
    this.node =
        LocalNode.start(
            controlPlane.clientConfig(),
            LocalNodeOptions.named(NODE).withTimes(Duration.ofSeconds(1), Duration.ofSeconds(1)));
    this.pods = new LocalPods(client, namespace, NODE);
  }

  @AfterAll
  void stop() {
    node.close();
    client.nodes().withName(NODE).delete();
    client.persistentVolumes().withName(namespace).delete();
  }

  @Test
  void aDeploymentServesWhatAnotherPodWritesIntoTheSameVolume() {
    claim();
    client.apps().deployments().inNamespace(namespace).resource(server()).create();

    Pod waiting = awaitPod(pod -> "Running".equals(pod.getStatus().getPhase()));
    assertThat(pods.condition(waiting, "Ready").getStatus())
        .as("ready, though it answers 503 while there are no files")
        .isEqualTo("False");
    assertThat(waiting.getSpec().getVolumes()).as("volumes, none with a token").hasSize(2);

    pods.create(
        "writer",
        pod ->
            pod.addNewVolume()
                .withName("data")
                .withNewPersistentVolumeClaim("logs", false)
                .endVolume()
                .withContainers(
                    pods.container("main", "data", "mkdir -p /data/runs; echo 1 >/data/runs/a")));
    pods.awaitPhase("writer", "Succeeded");

    Pod ready = awaitPod(pod -> "True".equals(pods.condition(pod, "Ready").getStatus()));
    assertThat(answer(ready)).isEqualTo("a");
    client
        .apps()
        .deployments()
        .inNamespace(namespace)
        .withName("logs")
        .waitUntilCondition(
            deployment -> Integer.valueOf(1).equals(deployment.getStatus().getAvailableReplicas()),
            LocalPods.PATIENCE.toSeconds(),
            TimeUnit.SECONDS);

    client.apps().deployments().inNamespace(namespace).withName("logs").scale(0);
    pods.awaitGone(ready.getMetadata().getName());
    await()
        .atMost(LocalPods.PATIENCE)
        .untilAsserted(() -> assertThat(listens(ready)).as("listens after its end").isFalse());
  }

  private void claim() {
    Map<String, Quantity> size = Map.of("storage", new Quantity("1Gi"));
    client
        .resource(
            new PersistentVolumeBuilder()
                .withNewMetadata()
                .withName(namespace)
                .endMetadata()
                .withNewSpec()
                .withCapacity(size)
                .withAccessModes("ReadWriteOnce")
                .withNewHostPath()
                .withPath("/nonexistent")
                .endHostPath()
                .withNewClaimRef()
                .withNamespace(namespace)
                .withName("logs")
                .endClaimRef()
                .endSpec()
                .build())
        .create();
    client
        .resource(
            new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName("logs")
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .withStorageClassName("")
                .withVolumeName(namespace)
                .withNewResources()
                .withRequests(size)
                .endResources()
                .endSpec()
                .build())
        .create();
  }

  private Deployment server() {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    PodSpecBuilder pod =
        new PodSpecBuilder()
            .withAutomountServiceAccountToken(false)
            .withEnableServiceLinks(false)
            .addToNodeSelector("kubernetes.io/hostname", NODE)
            .withNewSecurityContext()
            .withRunAsNonRoot(true)
            .withRunAsUser(1000L)
            .withNewSeccompProfile()
            .withType("RuntimeDefault")
            .endSeccompProfile()
            .endSecurityContext()
            .addNewVolume()
            .withName("scratch")
            .withNewEmptyDir()
            .endEmptyDir()
            .endVolume()
            .addNewVolume()
            .withName("logs-0")
            .withNewPersistentVolumeClaim("logs", true)
            .endVolume()
            .addNewContainer()
            .withName("tensorboard")
            .withImage("any")
            .withCommand(
                java.toString(),
                "-cp",
                Path.of("target/test-classes").toAbsolutePath().toString(),
                DirectoryServer.class.getName())
            .withArgs("--logdir=/logs/logs/runs", "--host=$(POD_IP)", "--port=" + port)
            .addNewEnv()
            .withName("HOME")
            .withValue("/scratch")
            .endEnv()
            .addNewEnv()
            .withName("POD_IP")
            .withNewValueFrom()
            .withNewFieldRef("v1", "status.podIP")
            .endValueFrom()
            .endEnv()
            .addNewPort()
            .withName("http")
            .withContainerPort(port)
            .endPort()
            .withNewReadinessProbe()
            .withNewHttpGet()
            .withPath("/")
            .withNewPort("http")
            .endHttpGet()
            .withPeriodSeconds(1)
            .endReadinessProbe()
            .addNewVolumeMount()
            .withName("scratch")
            .withMountPath("/scratch")
            .endVolumeMount()
            .addNewVolumeMount()
            .withName("logs-0")
            .withMountPath("/logs/logs")
            .withReadOnly(true)
            .endVolumeMount()
            .withNewSecurityContext()
            .withAllowPrivilegeEscalation(false)
            .withReadOnlyRootFilesystem(true)
            .withNewCapabilities()
            .withDrop("ALL")
            .endCapabilities()
            .endSecurityContext()
            .endContainer();
    return new DeploymentBuilder()
        .withNewMetadata()
        .withName("logs")
        .endMetadata()
        .withNewSpec()
        .withReplicas(1)
        .withNewSelector()
        .withMatchLabels(LABELS)
        .endSelector()
        .withNewStrategy()
        .withType("Recreate")
        .endStrategy()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(LABELS)
        .endMetadata()
        .withSpec(pod.build())
        .endTemplate()
        .endSpec()
        .build();
  }

  private Pod awaitPod(Predicate<Pod> wanted) {
    List<Pod> found = new CopyOnWriteArrayList<>();
    await()
        .atMost(LocalPods.PATIENCE)
        .until(
            () -> {
              found.clear();
              client.pods().inNamespace(namespace).withLabels(LABELS).list().getItems().stream()
                  .filter(pod -> !pod.getStatus().getConditions().isEmpty())
                  .filter(wanted)
                  .forEach(found::add);
              return !found.isEmpty();
            });
    return found.get(0);
  }

  private String answer(Pod pod) {
    try {
      return HttpClient.newHttpClient()
          .send(
              HttpRequest.newBuilder(
                      URI.create("http://" + pod.getStatus().getPodIP() + ":" + port + "/"))
                  .timeout(LocalPods.PATIENCE)
                  .build(),
              HttpResponse.BodyHandlers.ofString())
          .body()
          .strip();
    } catch (IOException e) {
      return e.toString();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return e.toString();
    }
  }

  private boolean listens(Pod pod) {
    try (Socket socket = new Socket(pod.getStatus().getPodIP(), port)) {
      return socket.isConnected();
    } catch (IOException closed) {
      return false;
    }
  }
}
