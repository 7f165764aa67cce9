package dev.tensorstack.training.fakekubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ControlPlaneExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FakeKubeletIT {
  private final KubernetesClient client;
  private final String namespace;
  private final FakeKubelet kubelet;

  FakeKubeletIT(ControlPlane controlPlane, KubernetesClient client) {
    this.client = client;
    namespace = controlPlane.createNamespace("fake-kubelet");
    kubelet =
        FakeKubelet.start(client, FakeKubeletOptions.nodes(3).resource("example.com/chip", "7"));
  }

  @AfterEach
  void forgetRules() {
    kubelet.clearRules();
  }

  @AfterAll
  void stop() {
    kubelet.close();
    assertThat(client.nodes().list().getItems()).isEmpty();
    assertThat(client.pods().inNamespace(namespace).list().getItems())
        .extracting(pod -> pod.getSpec().getNodeName())
        .containsOnlyNulls();
  }

  @Test
  void aPodRunsAndEndsAsTold() {
    create("runs", "Never");

    Pod running = awaitPod("runs", FakeKubeletIT::isReady);
    assertThat(running.getStatus().getPhase()).isEqualTo("Running");
    assertThat(running.getStatus().getPodIP()).isNotEmpty();
    assertThat(running.getStatus().getConditions())
        .extracting(PodCondition::getType)
        .contains("PodScheduled", "Initialized", "Ready");

    kubelet.finish(namespace, "runs", 3);

    Pod ended = awaitPhase("runs", "Failed");
    assertThat(mainContainer(ended).getState().getTerminated().getExitCode()).isEqualTo(3);
    assertThat(mainContainer(ended).getState().getTerminated().getReason()).isEqualTo("Error");
  }

  @Test
  void aRuleLetsPodsSucceed() {
    kubelet.rule(named("succeeds"), Behaviour.succeedAfter(Duration.ofMillis(50)));

    create("succeeds", "OnFailure");

    Pod ended = awaitPhase("succeeds", "Succeeded");
    assertThat(mainContainer(ended).getState().getTerminated().getReason()).isEqualTo("Completed");
  }

  @Test
  void aContainerThatIsKilledForItsMemorySaysSo() {
    kubelet.rule(named("greedy"), Behaviour.oomKilledAfter(Duration.ZERO));

    create("greedy", "Never");

    Pod ended = awaitPhase("greedy", "Failed");
    assertThat(mainContainer(ended).getState().getTerminated().getReason()).isEqualTo("OOMKilled");
    assertThat(mainContainer(ended).getState().getTerminated().getExitCode()).isEqualTo(137);
  }

  @Test
  void theRestartPolicyRestartsInPlace() {
    create("restarts", "OnFailure");

    kubelet.finish(namespace, "restarts", 1);

    Pod again = awaitPod("restarts", pod -> mainContainer(pod).getRestartCount() == 1);
    assertThat(again.getStatus().getPhase()).isEqualTo("Running");
    assertThat(mainContainer(again).getLastState().getTerminated().getExitCode()).isEqualTo(1);
    kubelet.finish(namespace, "restarts", 0);
    Pod unused = awaitPhase("restarts", "Succeeded");
  }

  @Test
  void anEvictedPodIsADisruptionTarget() {
    kubelet.rule(named("evicted"), Behaviour.evictedAfter(Duration.ZERO));

    create("evicted", "OnFailure");

    Pod evicted = awaitPhase("evicted", "Failed");
    assertThat(evicted.getStatus().getReason()).isEqualTo("Evicted");
    assertThat(evicted.getStatus().getConditions())
        .filteredOn(condition -> condition.getType().equals("DisruptionTarget"))
        .extracting(PodCondition::getReason)
        .containsExactly("TerminationByKubelet");
  }

  @Test
  void anImageThatCannotBePulledKeepsThePodWaiting() {
    kubelet.rule(named("no-image"), Behaviour.imagePullBackOff());

    create("no-image", "Never");

    Pod waiting = awaitPod("no-image", pod -> !pod.getStatus().getContainerStatuses().isEmpty());
    assertThat(waiting.getStatus().getPhase()).isEqualTo("Pending");
    assertThat(mainContainer(waiting).getState().getWaiting().getReason())
        .isEqualTo("ImagePullBackOff");
  }

  @Test
  void aDeletedPodVanishes() {
    create("deleted", "Always");
    Pod unused = awaitPod("deleted", FakeKubeletIT::isReady);

    client.pods().inNamespace(namespace).withName("deleted").delete();

    limited().until(() -> pod("deleted") == null);
  }

  @Test
  void aPodThatAsksForMoreThanThereIsStaysUnscheduled() {
    create("fits", "Never", Map.of("example.com/chip", new Quantity("7")));
    create("too-big", "Never", Map.of("example.com/chip", new Quantity("8")));

    Pod fits = awaitPod("fits", FakeKubeletIT::isReady);
    assertThat(kubelet.nodeNames()).contains(fits.getSpec().getNodeName());
    Pod tooBig =
        awaitPod(
            "too-big",
            pod ->
                pod.getStatus().getConditions().stream()
                    .anyMatch(condition -> "Unschedulable".equals(condition.getReason())));
    assertThat(tooBig.getSpec().getNodeName()).isNull();
  }

  @Test
  void theDeletionOfPodsOnALostNodeIsConfirmedWhenItIsBack() {
    create("stranded", "Always");
    String node = awaitPod("stranded", FakeKubeletIT::isReady).getSpec().getNodeName();

    kubelet.loseNode(node);

    Pod evicted = awaitPod("stranded", pod -> pod.getMetadata().getDeletionTimestamp() != null);
    assertThat(evicted.getStatus().getPhase()).isEqualTo("Running");
    assertThat(evicted.getStatus().getConditions())
        .extracting(PodCondition::getType)
        .contains("DisruptionTarget");
    await()
        .during(Duration.ofSeconds(1))
        .atMost(Duration.ofSeconds(20))
        .until(() -> pod("stranded") != null);

    kubelet.restoreNode(node);

    limited().until(() -> pod("stranded") == null);
    limited().until(() -> client.nodes().withName(node).get().getSpec().getTaints().isEmpty());
  }

  @Test
  void manyPodsRunSoon() throws Exception {
    int count = 500;
    ExecutorService creators = Executors.newFixedThreadPool(16);
    long began = System.nanoTime();
    try {
      List<Future<?>> creations =
          IntStream.range(0, count)
              .<Future<?>>mapToObj(i -> creators.submit(() -> create("many-" + i, "Never")))
              .toList();
      for (Future<?> creation : creations) {
        Object unused = creation.get();
      }
    } finally {
      creators.shutdown();
    }
    long created = System.nanoTime();

    await()
        .atMost(Duration.ofSeconds(120))
        .pollInterval(Duration.ofMillis(200))
        .until(
            () ->
                client
                        .pods()
                        .inNamespace(namespace)
                        .withLabel("many")
                        .withField("status.phase", "Running")
                        .list()
                        .getItems()
                        .size()
                    == count);
    System.err.printf(
        "%d pods: created in %d ms, all running %d ms later%n",
        count,
        Duration.ofNanos(created - began).toMillis(),
        Duration.ofNanos(System.nanoTime() - created).toMillis());
  }

  private void create(String name, String restartPolicy) {
    create(name, restartPolicy, Map.of());
  }

  private void create(String name, String restartPolicy, Map<String, Quantity> limits) {
    client
        .pods()
        .inNamespace(namespace)
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .addToLabels(name.startsWith("many-") ? "many" : "one", "")
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy(restartPolicy)
                .addNewContainer()
                .withName("main")
                .withImage("nothing")
                .withNewResources()
                .withLimits(limits)
                .endResources()
                .endContainer()
                .endSpec()
                .build())
        .create();
  }

  private static Predicate<Pod> named(String name) {
    return pod -> pod.getMetadata().getName().equals(name);
  }

  private static ConditionFactory limited() {
    return await().atMost(Duration.ofSeconds(60));
  }

  private @Nullable Pod pod(String name) {
    return client.pods().inNamespace(namespace).withName(name).get();
  }

  private Pod awaitPhase(String name, String phase) {
    return awaitPod(name, pod -> phase.equals(pod.getStatus().getPhase()));
  }

  private Pod awaitPod(String name, Predicate<Pod> condition) {
    return Objects.requireNonNull(
        limited().until(() -> pod(name), pod -> pod != null && condition.test(pod)));
  }

  private static boolean isReady(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(
            condition ->
                condition.getType().equals("Ready") && condition.getStatus().equals("True"));
  }

  private static ContainerStatus mainContainer(Pod pod) {
    return pod.getStatus().getContainerStatuses().get(0);
  }
}
