package dev.tensorstack.training.localnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ControlPlaneExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LocalNodeIT {
  private final LocalPods pods;
  private final KubernetesClient client;
  private final LocalNode node;

  LocalNodeIT(ControlPlane controlPlane, KubernetesClient client) {
    this.client = client;
    this.node =
        LocalNode.start(
            controlPlane.clientConfig(),
            LocalNodeOptions.named("local-1")
                .withCapacity("nvidia.com/gpu", "4")
                .withTimes(Duration.ofSeconds(1), Duration.ofSeconds(1)));
    this.pods = new LocalPods(client, controlPlane.createNamespace("local"), "local-1");
  }

  @BeforeAll
  void nodeIsReady() {
    await()
        .atMost(LocalPods.PATIENCE)
        .untilAsserted(
            () ->
                assertThat(client.nodes().withName("local-1").get().getSpec().getTaints())
                    .isEmpty());
  }

  @AfterAll
  void stop() {
    node.close();
    client.nodes().withName("local-1").delete();
  }

  @Test
  void exitCodeAndLastWordsGetIntoTheStatus() {
    pods.create(
        "failing",
        pod ->
            pod.editFirstContainer()
                .withCommand("sh", "-c", "echo why >/dev/termination-log; exit $(CODE)")
                .addNewEnv()
                .withName("CODE")
                .withValue("42")
                .endEnv()
                .endContainer());
    Pod pod = pods.awaitPhase("failing", "Failed");
    var end = pods.status(pod, "main").getState().getTerminated();
    assertThat(end.getExitCode()).isEqualTo(42);
    assertThat(end.getReason()).isEqualTo("Error");
    assertThat(end.getMessage()).isEqualTo("why\n");
    assertThat(end.getStartedAt()).isNotNull();
    assertThat(end.getFinishedAt()).isNotNull();
    assertThat(pod.getStatus().getPodIP()).startsWith("127.");
    assertThat(pod.getStatus().getHostIP()).isEqualTo("127.0.0.1");
    assertThat(pods.condition(pod, "Ready"))
        .extracting(PodCondition::getStatus, PodCondition::getReason)
        .containsExactly("False", "PodFailed");
    assertThat(pods.condition(pod, "PodScheduled").getStatus()).isEqualTo("True");
  }

  @Test
  void logsReplaceMissingLastWordsWhenAskedFor() {
    pods.create(
        "fallback",
        pod ->
            pod.editFirstContainer()
                .withTerminationMessagePolicy("FallbackToLogsOnError")
                .withCommand("sh", "-c", "echo Traceback; exit 1")
                .endContainer());
    Pod pod = pods.awaitPhase("fallback", "Failed");
    assertThat(pods.status(pod, "main").getState().getTerminated().getMessage())
        .isEqualTo("Traceback\n");
  }

  @Test
  void podIsReadyWhileItRunsAndSucceedsWithExitCodeZero() {
    pods.create(
        "good",
        pod ->
            pod.editFirstContainer()
                .withCommand("sh", "-c", "until [ -e stop ]; do sleep 0.05; done")
                .endContainer());
    Pod running = pods.awaitPhase("good", "Running");
    assertThat(pods.condition(running, "Ready").getStatus()).isEqualTo("True");
    assertThat(pods.status(running, "main").getReady()).isTrue();
    touch("good", "stop");
    Pod pod = pods.awaitPhase("good", "Succeeded");
    assertThat(pods.status(pod, "main").getState().getTerminated().getReason())
        .isEqualTo("Completed");
  }

  @Test
  void initContainersRunInOrderAndBeforeTheOthers() {
    pods.create(
        "ordered",
        pod ->
            pod.addNewVolume()
                .withName("shared")
                .withNewEmptyDir()
                .endEmptyDir()
                .endVolume()
                .addToInitContainers(
                    pods.container("first", "shared", "echo 1 >>/shared/order"),
                    pods.container("second", "shared", "echo 2 >>/shared/order"))
                .withContainers(
                    pods.container("main", "shared", "echo 3 >>/shared/order; cat /shared/order")));
    Pod pod = pods.awaitPhase("ordered", "Succeeded");
    assertThat(pods.logs("ordered", "main")).isEqualTo("1\n2\n3\n");
    assertThat(pod.getStatus().getInitContainerStatuses())
        .allSatisfy(status -> assertThat(status.getState().getTerminated().getExitCode()).isZero());
    assertThat(pods.condition(pod, "Initialized").getStatus()).isEqualTo("True");
  }

  @Test
  void failedInitContainerFailsThePodAndNothingElseStarts() {
    pods.create(
        "init-fails", pod -> pod.addToInitContainers(pods.container("first", null, "exit 9")));
    Pod pod = pods.awaitPhase("init-fails", "Failed");
    assertThat(pod.getStatus().getInitContainerStatuses().get(0).getState().getTerminated())
        .satisfies(end -> assertThat(end.getExitCode()).isEqualTo(9));
    assertThat(pods.status(pod, "main").getState().getWaiting().getReason())
        .isEqualTo("PodInitializing");
  }

  @Test
  void sidecarRunsBesideTheOthersAndEndsAfterThem() {
    pods.create(
        "sidecar",
        pod ->
            pod.addNewVolume()
                .withName("shared")
                .withNewEmptyDir()
                .endEmptyDir()
                .endVolume()
                .addToInitContainers(
                    new io.fabric8.kubernetes.api.model.ContainerBuilder(
                            pods.container(
                                "side",
                                "shared",
                                "trap 'exit 0' TERM; touch /shared/up; while :; do sleep 0.05; done"))
                        .withRestartPolicy("Always")
                        .build())
                .withContainers(
                    pods.container(
                        "main", "shared", "until [ -e /shared/up ]; do sleep 0.05; done")));
    Pod pod = pods.awaitPhase("sidecar", "Succeeded");
    ContainerStatus side = pod.getStatus().getInitContainerStatuses().get(0);
    assertThat(side.getState().getTerminated().getExitCode()).isZero();
  }

  @Test
  void podWithTwoContainersFailsWhenOneFailsButRunsUntilBothHaveEnded() {
    pods.create(
        "two",
        pod ->
            pod.withContainers(
                pods.container("a", null, "exit 5"),
                pods.container("b", null, "until [ -e stop ]; do sleep 0.05; done")));
    Pod running =
        pods.await("two", pod -> pods.status(pod, "a").getState().getTerminated() != null);
    assertThat(running.getStatus().getPhase()).isEqualTo("Running");
    assertThat(pods.condition(running, "Ready").getStatus()).isEqualTo("False");
    touch("two", "stop");
    Pod pod = pods.awaitPhase("two", "Failed");
    assertThat(pods.status(pod, "b").getState().getTerminated().getExitCode()).isZero();
  }

  @Test
  void configMapsAndSecretsAreSeenAsVariablesAndFiles() {
    client
        .configMaps()
        .inNamespace(pods.namespace())
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName("settings")
                .endMetadata()
                .addToData("rate.txt", "0.1")
                .build())
        .create();
    client
        .secrets()
        .inNamespace(pods.namespace())
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withName("keys")
                .endMetadata()
                .addToStringData("password", "s3cret")
                .build())
        .create();
    pods.create(
        "configured",
        pod ->
            pod.addNewVolume()
                .withName("settings")
                .withNewConfigMap()
                .withName("settings")
                .endConfigMap()
                .endVolume()
                .addNewVolume()
                .withName("keys")
                .withNewSecret()
                .withSecretName("keys")
                .endSecret()
                .endVolume()
                .editFirstContainer()
                .addNewVolumeMount()
                .withName("settings")
                .withMountPath("/etc/settings")
                .endVolumeMount()
                .addNewVolumeMount()
                .withName("keys")
                .withMountPath("/etc/keys/password")
                .withSubPath("password")
                .endVolumeMount()
                .addNewEnvFrom()
                .withPrefix("KEY_")
                .withNewSecretRef("keys", false)
                .endEnvFrom()
                .addNewEnv()
                .withName("SETTINGS")
                .withValue("/etc/settings")
                .endEnv()
                .withCommand("sh", "-c")
                .withArgs("cat $SETTINGS/rate.txt /etc/keys/password; echo \" $KEY_password\"")
                .endContainer());
    pods.awaitPhase("configured", "Succeeded");
    assertThat(pods.logs("configured", "main")).isEqualTo("0.1s3cret s3cret\n");
  }

  @Test
  void missingConfigMapIsWaitedFor() {
    pods.create(
        "patient",
        pod ->
            pod.editFirstContainer()
                .withCommand("sh", "-c", "echo $late")
                .addNewEnvFrom()
                .withNewConfigMapRef("late", false)
                .endEnvFrom()
                .endContainer());
    Pod waiting = pods.awaitWaiting("patient", "CreateContainerConfigError");
    assertThat(pods.status(waiting, "main").getState().getWaiting().getMessage())
        .isEqualTo("configmap \"late\" not found");
    client
        .configMaps()
        .inNamespace(pods.namespace())
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName("late")
                .endMetadata()
                .addToData("late", "here")
                .build())
        .create();
    pods.awaitPhase("patient", "Succeeded");
    assertThat(pods.logs("patient", "main")).isEqualTo("here\n");
  }

  @Test
  void imageThatCannotBePulledKeepsThePodPending() {
    pods.create(
        "no-image", pod -> pod.editFirstContainer().withImage("unpullable/torch").endContainer());
    Pod pod = pods.awaitWaiting("no-image", "ImagePullBackOff");
    assertThat(pod.getStatus().getPhase()).isEqualTo("Pending");
  }

  @Test
  void containerWithoutCommandCannotBeCreatedAndOneWithoutProgramCannotStart() {
    pods.create("empty", pod -> pod.editFirstContainer().withCommand().endContainer());
    pods.create("wrong", pod -> pod.editFirstContainer().withCommand("no-such").endContainer());
    pods.awaitWaiting("empty", "CreateContainerError");
    Pod pod = pods.awaitPhase("wrong", "Failed");
    assertThat(pods.status(pod, "main").getState().getTerminated())
        .satisfies(
            end -> {
              assertThat(end.getReason()).isEqualTo("StartError");
              assertThat(end.getExitCode()).isEqualTo(128);
            });
  }

  @Test
  void containerThatIsToRunAlwaysIsStartedAgain() {
    pods.create(
        "again",
        pod ->
            pod.withRestartPolicy("OnFailure")
                .editFirstContainer()
                .withCommand("sh", "-c", "echo try >>count; [ $(wc -l <count) -gt 2 ]")
                .endContainer());
    Pod pod = pods.awaitPhase("again", "Succeeded");
    ContainerStatus status = pods.status(pod, "main");
    assertThat(status.getRestartCount()).isEqualTo(2);
    assertThat(status.getLastState().getTerminated().getExitCode()).isEqualTo(1);
  }

  @Test
  void podsOfAHeadlessServiceReachEachOther() {
    String server =
        "import socket,os; s=socket.socket(); s.bind((os.environ['POD_IP'],0)); print(s.getsockname()[0])";
    pods.create(
        "set-master-0",
        pod ->
            pod.withHostname("set-master-0")
                .withSubdomain("set")
                .editFirstContainer()
                .withCommand("python3", "-c", server)
                .addNewEnv()
                .withName("POD_IP")
                .withNewValueFrom()
                .withNewFieldRef("v1", "status.podIP")
                .endValueFrom()
                .endEnv()
                .endContainer());
    pods.create(
        "set-worker-0",
        pod ->
            pod.withHostname("set-worker-0")
                .withSubdomain("set")
                .editFirstContainer()
                .withCommand("sh", "-c", "echo $HOSTNAME $MASTER_ADDR")
                .addNewEnv()
                .withName("MASTER_ADDR")
                .withValue("set-master-0.set." + pods.namespace() + ".svc")
                .endEnv()
                .endContainer());
    Pod master = pods.awaitPhase("set-master-0", "Succeeded");
    pods.awaitPhase("set-worker-0", "Succeeded");
    String address = master.getStatus().getPodIP();
    assertThat(pods.logs("set-master-0", "main")).isEqualTo(address + "\n");
    assertThat(pods.logs("set-worker-0", "main")).isEqualTo("set-worker-0 " + address + "\n");
  }

  @Test
  void theServiceOfOnePodLeadsToItAndAPodsOwnNameStaysAName() {
    for (String name : List.of("ranks-0", "ranks-1")) {
      client
          .resource(
              new ServiceBuilder()
                  .withNewMetadata()
                  .withName(name)
                  .endMetadata()
                  .withNewSpec()
                  .withClusterIP("None")
                  .addToSelector("rank", name)
                  .endSpec()
                  .build())
          .inNamespace(pods.namespace())
          .create();
    }
    pods.create("ranks-0", pods::sleeping);
    pods.create(
        "ranks-1",
        pod ->
            pod.editFirstContainer()
                .withCommand("sh", "-c", "echo $MASTER_ADDR $POD_NAME")
                .addNewEnv()
                .withName("MASTER_ADDR")
                .withValue("ranks-0")
                .endEnv()
                .addNewEnv()
                .withName("POD_NAME")
                .withNewValueFrom()
                .withNewFieldRef("v1", "metadata.name")
                .endValueFrom()
                .endEnv()
                .endContainer());
    String address = pods.awaitPhase("ranks-0", "Running").getStatus().getPodIP();
    pods.awaitPhase("ranks-1", "Succeeded");
    assertThat(pods.logs("ranks-1", "main")).isEqualTo(address + " ranks-1\n");
  }

  @Test
  void killedContainerAndOneOutOfMemoryAreToldApart() {
    pods.create("killed", pods::sleeping);
    pods.create("greedy", pods::sleeping);
    pods.awaitPhase("killed", "Running");
    pods.awaitPhase("greedy", "Running");
    node.killContainer(pods.namespace(), "killed", "main", "TERM");
    node.oomKill(pods.namespace(), "greedy", "main");
    var killed = pods.status(pods.awaitPhase("killed", "Failed"), "main").getState();
    var greedy = pods.status(pods.awaitPhase("greedy", "Failed"), "main").getState();
    assertThat(killed.getTerminated().getExitCode()).isEqualTo(143);
    assertThat(killed.getTerminated().getReason()).isEqualTo("Error");
    assertThat(greedy.getTerminated().getExitCode()).isEqualTo(137);
    assertThat(greedy.getTerminated().getReason()).isEqualTo("OOMKilled");
  }

  @Test
  void readinessProbeDecides() {
    pods.create(
        "probed",
        pod ->
            pods.sleeping(pod)
                .editFirstContainer()
                .withNewReadinessProbe()
                .withPeriodSeconds(1)
                .withNewExec()
                .withCommand("test", "-e", "ready")
                .endExec()
                .endReadinessProbe()
                .endContainer());
    Pod running = pods.awaitPhase("probed", "Running");
    assertThat(pods.condition(running, "Ready").getStatus()).isEqualTo("False");
    touch("probed", "ready");
    pods.await("probed", pod -> pods.condition(pod, "Ready").getStatus().equals("True"));
  }

  private void touch(String pod, String file) {
    try {
      Files.createFile(node.podDirectory(pods.namespace(), pod).resolve("work").resolve(file));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
