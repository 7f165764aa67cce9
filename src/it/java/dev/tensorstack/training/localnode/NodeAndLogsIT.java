package dev.tensorstack.training.localnode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ControlPlaneExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NodeAndLogsIT {
  private static final String NODE = "local-logs";
  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final LocalPods pods;
  private final LocalNode node;

  NodeAndLogsIT(ControlPlane controlPlane, KubernetesClient client) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.node =
        LocalNode.start(
            client,
            LocalNodeOptions.named(NODE)
                .withCapacity("nvidia.com/gpu", "4")
                .withTimes(Duration.ofSeconds(1), Duration.ofMillis(100)));
    this.pods = new LocalPods(client, controlPlane.createNamespace("logs"), NODE);
  }

  @AfterAll
  void stop() {
    node.close();
    client.nodes().withName(NODE).delete();
  }

  @Test
  void nodeIsReadyAndItsLeaseIsRenewed() {
    Node shown = client.nodes().withName(NODE).get();
    assertThat(shown.getStatus().getAllocatable()).containsKey("nvidia.com/gpu");
    assertThat(shown.getStatus().getDaemonEndpoints().getKubeletEndpoint().getPort())
        .isEqualTo(node.port());
    assertThat(shown.getStatus().getConditions())
        .filteredOn(condition -> condition.getType().equals("Ready"))
        .extracting(NodeCondition::getStatus)
        .containsExactly("True");
    var lease = client.leases().inNamespace("kube-node-lease").withName(NODE);
    await().atMost(LocalPods.PATIENCE).until(() -> lease.get() != null);
    ZonedDateTime first = lease.get().getSpec().getRenewTime();
    await()
        .atMost(LocalPods.PATIENCE)
        .untilAsserted(
            () -> {
              Lease renewed = lease.get();
              assertThat(renewed.getSpec().getRenewTime()).isAfter(first);
            });
  }

  @Test
  void kubectlShowsLogsAsOfAnyPod() {
    pods.create(
        "speaker",
        pod ->
            pod.withContainers(pods.container("main", null, "for i in 1 2 3; do echo $i; done")));
    pods.awaitPhase("speaker", "Succeeded");
    assertThat(kubectl("logs", "speaker")).isEqualTo("1\n2\n3\n");
    assertThat(kubectl("logs", "speaker", "--tail=2")).isEqualTo("2\n3\n");
    assertThat(kubectl("logs", "speaker", "--tail=1", "--timestamps"))
        .matches("\\d{4}-\\d\\d-\\d\\dT\\S+Z 3\n");
    assertThat(kubectl("logs", "speaker", "--since=1h", "--limit-bytes=3")).isEqualTo("1\n2");
    assertThat(kubectl("logs", "-f", "speaker")).isEqualTo("1\n2\n3\n");
  }

  @Test
  void kubectlFollowsWhatARunningPodSaysUntilItEnds() throws Exception {
    Pod pod =
        pods.create(
            "slow",
            spec ->
                spec.withContainers(
                    pods.container(
                        "main",
                        null,
                        "echo first; until [ -e go ]; do sleep 0.05; done; echo second")));
    pods.awaitPhase("slow", "Running");
    List<String> command = new ArrayList<>();
    command.add(controlPlane.kubectlBinary().toString());
    command.add("--kubeconfig=" + controlPlane.kubeconfig());
    command.addAll(List.of("-n", pods.namespace(), "logs", "-f", "slow"));
    Process kubectl = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(kubectl.getInputStream(), UTF_8))) {
      assertThat(lines.readLine()).isEqualTo("first");
      touch(pod.getMetadata().getName(), "go");
      assertThat(lines.readLine()).isEqualTo("second");
      assertThat(lines.readLine()).isNull();
      assertThat(kubectl.waitFor()).isZero();
    } finally {
      kubectl.destroyForcibly();
    }
  }

  @Test
  void kubectlShowsThePreviousRunAndSaysWhyThereIsNoLog() {
    pods.create(
        "restarting",
        pod ->
            pod.withRestartPolicy("OnFailure")
                .withContainers(
                    pods.container(
                        "main",
                        null,
                        "if [ -e again ]; then echo new; sleep inf; fi; touch again; echo old; exit 1")));
    pods.await(
        "restarting",
        pod ->
            pods.status(pod, "main").getRestartCount() == 1
                && pods.status(pod, "main").getState().getRunning() != null);
    await()
        .atMost(LocalPods.PATIENCE)
        .untilAsserted(() -> assertThat(kubectl("logs", "restarting")).isEqualTo("new\n"));
    assertThat(kubectl("logs", "-p", "restarting")).isEqualTo("old\n");

    pods.create("mute", pod -> pod.editFirstContainer().withImage("unpullable/x").endContainer());
    pods.awaitWaiting("mute", "ImagePullBackOff");
    var refused = controlPlane.kubectl("-n", pods.namespace(), "logs", "mute");
    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.toString()).contains("is waiting to start: ImagePullBackOff");
  }

  @Test
  void execIsRefusedInWords() {
    pods.create("no-exec", pods::sleeping);
    pods.awaitPhase("no-exec", "Running");
    var refused = controlPlane.kubectl("-n", pods.namespace(), "exec", "no-exec", "--", "true");
    assertThat(refused.exitCode()).isNotZero();
  }

  @Test
  void killedNodeLeavesNoProcessesBehind(@org.junit.jupiter.api.io.TempDir Path state)
      throws IOException {
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                LocalNodeMain.class.getName(),
                "--kubeconfig",
                controlPlane.kubeconfig().toString(),
                "--name",
                "local-killed",
                "--state",
                state.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    LocalPods own = new LocalPods(client, pods.namespace(), "local-killed");
    Pod pod =
        own.create(
            "orphan",
            spec ->
                spec.withContainers(
                    own.container("main", null, "setsid sleep 1000 & sleep 1000 & wait")));
    String uid = pod.getMetadata().getUid();
    try {
      await().atMost(LocalPods.PATIENCE).until(() -> ProcessTree.marked(uid).size() >= 3);
    } finally {
      jvm.destroyForcibly();
    }
    await().atMost(LocalPods.PATIENCE).until(() -> ProcessTree.marked(uid).isEmpty());
    client.resource(pod).withGracePeriod(0).delete();
    client.nodes().withName("local-killed").delete();
  }

  private void touch(String pod, String file) throws IOException {
    Files.createFile(node.podDirectory(pods.namespace(), pod).resolve("work").resolve(file));
  }

  private String kubectl(String... arguments) {
    List<String> all = new ArrayList<>(List.of("-n", pods.namespace()));
    all.addAll(Arrays.asList(arguments));
    var result = controlPlane.kubectl(all.toArray(String[]::new));
    assertThat(result.exitCode()).as("%s", result).isZero();
    return result.stdout();
  }
}
