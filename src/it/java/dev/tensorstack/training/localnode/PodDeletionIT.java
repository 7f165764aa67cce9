package dev.tensorstack.training.localnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ControlPlaneExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PodDeletionIT {
  private static final String NODE = "local-deletion";
  private final KubernetesClient client;
  private final LocalPods pods;
  private final LocalNode node;

  PodDeletionIT(ControlPlane controlPlane, KubernetesClient client) {
    this.client = client;
    this.node = LocalNode.start(client, LocalNodeOptions.named(NODE));
    this.pods = new LocalPods(client, controlPlane.createNamespace("deletion"), NODE);
  }

  @AfterAll
  void stop() {
    node.close();
    client.nodes().withName(NODE).delete();
  }

  @Test
  void processesAreAskedToEndAndTheirExitCodeIsReportedBeforeThePodGoes() {
    pods.create(
        "polite",
        pod ->
            pod.withTerminationGracePeriodSeconds(30L)
                .editFirstContainer()
                .withCommand(
                    "sh", "-c", "trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done")
                .endContainer());
    assertThat(exitCodeOfDeleted("polite")).isEqualTo(7);
  }

  @Test
  void processesThatDoNotEndAreKilledAfterTheGracePeriod() {
    Pod pod =
        pods.create(
            "stubborn",
            spec ->
                spec.withTerminationGracePeriodSeconds(1L)
                    .editFirstContainer()
                    .withCommand(
                        "sh",
                        "-c",
                        "trap '' TERM; setsid sleep 1000 & echo ready; while :; do sleep 1; done")
                    .endContainer());
    assertThat(exitCodeOfDeleted("stubborn")).isEqualTo(137);
    assertThat(ProcessTree.marked(pod.getMetadata().getUid())).isEmpty();
  }

  @Test
  void podThatIsDeletedByForceLeavesNoProcesses() {
    Pod pod = pods.create("forced", pods::sleeping);
    pods.awaitPhase("forced", "Running");
    client.pods().inNamespace(pods.namespace()).withName("forced").withGracePeriod(0).delete();
    pods.awaitGone("forced");
    await()
        .atMost(LocalPods.PATIENCE)
        .until(() -> ProcessTree.marked(pod.getMetadata().getUid()).isEmpty());
  }

  @Test
  void podThatNeverStartedGoesAtOnce() {
    pods.create("never", pod -> pod.editFirstContainer().withImage("unpullable/x").endContainer());
    pods.awaitWaiting("never", "ImagePullBackOff");
    client.pods().inNamespace(pods.namespace()).withName("never").delete();
    pods.awaitGone("never");
  }

  @Test
  void lostNodeConfirmsNothingUntilItReturns() {
    try (LocalNode lost = LocalNode.start(client, LocalNodeOptions.named("local-lost"))) {
      LocalPods own = new LocalPods(client, pods.namespace(), "local-lost");
      Pod pod = own.create("cut-off", own::sleeping);
      own.awaitPhase("cut-off", "Running");
      lost.markLost();
      client.pods().inNamespace(own.namespace()).withName("cut-off").withGracePeriod(1).delete();
      await()
          .during(Duration.ofSeconds(3))
          .atMost(LocalPods.PATIENCE)
          .until(() -> client.resource(pod).get() != null);
      assertThat(ProcessTree.marked(pod.getMetadata().getUid())).isNotEmpty();
      lost.returnFromLoss();
      own.awaitGone("cut-off");
      assertThat(ProcessTree.marked(pod.getMetadata().getUid())).isEmpty();
    } finally {
      client.nodes().withName("local-lost").delete();
    }
  }

  @Test
  void restartedNodeReportsPodsWhoseProcessesAreGone() {
    LocalNodeOptions options = LocalNodeOptions.named("local-restarted");
    LocalPods own = new LocalPods(client, pods.namespace(), "local-restarted");
    Pod pod;
    try (LocalNode first = LocalNode.start(client, options)) {
      pod = own.create("forgotten", own::sleeping);
      own.awaitPhase("forgotten", "Running");
      assertThat(first.processes(own.namespace(), "forgotten")).isNotEmpty();
    }
    assertThat(ProcessTree.marked(pod.getMetadata().getUid())).isEmpty();
    try (LocalNode second = LocalNode.start(client, options)) {
      Pod failed = own.awaitPhase("forgotten", "Failed");
      var end = own.status(failed, "main").getState().getTerminated();
      assertThat(end.getExitCode()).isEqualTo(137);
      assertThat(end.getReason()).isEqualTo("ContainerStatusUnknown");
      assertThat(second.processes(own.namespace(), "forgotten")).isEmpty();
    } finally {
      client.nodes().withName("local-restarted").delete();
    }
  }

  /** Deletes a running pod and returns the exit code that it showed last. */
  private int exitCodeOfDeleted(String name) {
    pods.awaitPhase(name, "Running");
    await().atMost(LocalPods.PATIENCE).until(() -> pods.logs(name, "main").equals("ready\n"));
    List<Integer> codes = new CopyOnWriteArrayList<>();
    Watcher<Pod> watcher =
        new Watcher<>() {
          @Override
          public void eventReceived(Action action, Pod pod) {
            var end = pods.status(pod, "main").getState().getTerminated();
            if (end != null) {
              codes.add(end.getExitCode());
            }
          }

          @Override
          public void onClose(WatcherException cause) {}
        };
    try (Watch watch = client.pods().inNamespace(pods.namespace()).withName(name).watch(watcher)) {
      assertThat(watch).isNotNull();
      client.pods().inNamespace(pods.namespace()).withName(name).delete();
      pods.awaitGone(name);
      await().atMost(LocalPods.PATIENCE).until(() -> !codes.isEmpty());
    }
    return codes.get(codes.size() - 1);
  }
}
