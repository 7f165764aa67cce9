package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.schedulers.Kueue;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * PyTorchJobs of Kubeflow's kind in a queue of the real Kueue: with a Workload of the operator's
 * own, and with Kueue's built-in integration (contract of PyTorchJob, section 9; contract, section
 * 10).
 */
@Tag("schedulers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QueuedPyTorchJobsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Longer than that Kueue does not say that something is in use that is not. */
  private static final Duration GIVEN_BACK = Duration.ofSeconds(10);

  private static final int QUOTA = 4;
  private static final String QUEUE = "team";

  /** Of its own: Kueue's webhooks are about the whole cluster. */
  private final ControlPlane plane = ControlPlane.builder().memoryForTime(true).start();

  private Kueue kueue;
  private FakeKubelet kubelet;
  private OperatorProcess operator;
  private String namespace;
  private String clusterQueue;
  private PyTorchJobScene scene;
  private RunningPods running;

  @BeforeAll
  void start() {
    OperatorProcess.installCrds(plane.client());
    kueue = Kueue.start(plane);
    kubelet =
        FakeKubelet.start(
            plane.client(),
            FakeKubeletOptions.nodes(4)
                .resource("cpu", "100")
                .namePrefix("queued")
                .label("pool", "a100")
                .deletion(Duration.ofSeconds(2), 143));
    operator = OperatorProcess.start(plane.kubeconfig(), OperatorProcess.SHORT_DELAYS);
    apply(
        """
        apiVersion: kueue.x-k8s.io/v1beta2
        kind: WorkloadPriorityClass
        metadata: {name: urgent}
        value: 1000
        """);
  }

  @AfterAll
  void stop() {
    try {
      operator.close();
      kubelet.close();
      kueue.close();
    } finally {
      plane.close();
    }
  }

  @BeforeEach
  void makeQueues() {
    namespace = plane.createNamespace("queuedpytorch");
    scene = new PyTorchJobScene(plane, namespace);
    clusterQueue = "of-" + namespace;
    apply(
        """
        apiVersion: kueue.x-k8s.io/v1beta2
        kind: ResourceFlavor
        metadata: {name: a100-%1$s}
        spec:
          nodeLabels: {pool: a100}
        ---
        apiVersion: kueue.x-k8s.io/v1beta2
        kind: ClusterQueue
        metadata: {name: %1$s}
        spec:
          namespaceSelector: {}
          preemption: {withinClusterQueue: LowerPriority}
          resourceGroups:
          - coveredResources: [cpu]
            flavors:
            - name: a100-%1$s
              resources: [{name: cpu, nominalQuota: %2$d}]
        """
            .formatted(clusterQueue, QUOTA));
    kueue.queues().localQueue(namespace, QUEUE, clusterQueue);
    running = RunningPods.watch(plane.client(), namespace);
  }

  @AfterEach
  void neverMoreThanTheQuota() {
    int most = running.most();
    running.close();
    plane.kubectl("delete", "pytorchjobs", "--all", "-n", namespace).orThrow();
    kubelet.clearRules();
    assertThat(most).as("pods at the same moment, of one CPU each").isLessThanOrEqualTo(QUOTA);
  }

  private void apply(String manifest) {
    plane.kubectlWithInput(manifest, "apply", "-f", "-").orThrow();
  }

  /** A master and workers with one CPU each. */
  private static String job(String name, int workers, String policy, String labels) {
    return """
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {name: %s, labels: {kueue.x-k8s.io/queue-name: %s%s}}
        spec:
          pytorchReplicaSpecs:
            Master:
              restartPolicy: %s
              template: &template
                spec:
                  containers:
                  - name: pytorch
                    image: registry.example/train:1
                    resources: {requests: {cpu: 1}}
            Worker:
              replicas: %d
              restartPolicy: %4$s
              template: *template
        """
        .formatted(name, QUEUE, labels, policy, workers);
  }

  private void awaitInUse(int pods) {
    await(pods + " CPU in use of " + clusterQueue)
        .atMost(GIVEN_BACK)
        .until(() -> kueue.queues().usage(clusterQueue).reserved("cpu") == pods);
    assertThat(running.now()).isLessThanOrEqualTo(pods);
  }

  private long live(String job) {
    return scene.pods(job).stream()
        .map(scene::pod)
        .filter(
            pod ->
                pod != null
                    && pod.getMetadata().getDeletionTimestamp() == null
                    && "Running".equals(pod.getStatus().getPhase()))
        .count();
  }

  private void awaitRunning(String job, int pods) {
    await(pods + " pods of " + job + " run").atMost(PATIENCE).until(() -> live(job) == pods);
    scene.awaitState(job, "Running");
  }

  private List<String> workloads() {
    return plane
        .kubectl("get", "workloads.kueue.x-k8s.io", "-n", namespace, "-o", "name")
        .orThrow()
        .lines()
        .toList();
  }

  private String told(String job) {
    return scene.events(job).stream()
        .map(event -> event.getReason() + ": " + event.getMessage())
        .toList()
        .toString();
  }

  @Test
  void aJobWaitsWithoutPodsAndStartsWhenThereIsRoom() {
    scene.apply(job("first", 2, "OnFailure", ""));
    awaitRunning("first", 3);
    awaitInUse(3);
    scene.apply(job("second", 1, "OnFailure", ""));
    scene.awaitThat(
        "second says why it waits", () -> told("second").contains("WaitingForQueue: LocalQueue"));
    assertThat(scene.pods("second")).isEmpty();
    assertThat(scene.state("second")).isEqualTo("Created");
    assertThat(scene.get("second", "{.status.startTime}")).isEmpty();

    kubelet.finish(namespace, "first-master-0", 0);
    scene.awaitState("first", "Succeeded");
    awaitRunning("second", 2);
    awaitInUse(4);
    plane.kubectl("delete", "pytorchjob", "first", "-n", namespace).orThrow();
    awaitInUse(2);
    plane.kubectl("delete", "pytorchjob", "second", "-n", namespace).orThrow();
    awaitInUse(0);
  }

  @Test
  void aPreemptedJobEndsItsPodsWaitsAndComesBackForNothingAlsoUnderNever() {
    scene.apply(job("low", 2, "Never", ""));
    awaitRunning("low", 3);
    scene.apply(job("high", 3, "Never", ", kueue.x-k8s.io/priority-class: urgent"));
    awaitRunning("high", 4);
    awaitInUse(4);
    assertThat(scene.state("low")).isEqualTo("Created");
    assertThat(scene.get("low", "{.status.conditions[?(@.type=='Running')].status}"))
        .isEqualTo("False");
    assertThat(scene.get("low", "{.status.conditions[?(@.type=='Running')].reason}"))
        .isEqualTo("WaitingForQueue");
    assertThat(scene.get("low", "{.status.replicaStatuses.Worker.active}")).isIn("", "0");
    assertThat(told("low")).contains("Evicted: ", "Preempted");

    plane.kubectl("delete", "pytorchjob", "high", "-n", namespace).orThrow();
    awaitRunning("low", 3);
    awaitInUse(3);
    assertThat(scene.reasons("low")).contains("Admitted").doesNotContain("PyTorchJobRestarting");
    kubelet.finish(namespace, "low-master-0", 0);
    scene.awaitState("low", "Succeeded");
  }

  @Test
  void aSuspensionGivesTheQuotaBackOnceThePodsHaveEndedAndAResumeQueuesAnew() {
    scene.apply(job("paused", 2, "OnFailure", ""));
    awaitRunning("paused", 3);
    awaitInUse(3);
    scene.patch("paused", "{\"spec\":{\"runPolicy\":{\"suspend\":true}}}").orThrow();
    scene.awaitState("paused", "Suspended");
    awaitInUse(0);
    assertThat(workloads()).isEmpty();

    scene.apply(job("other", 3, "OnFailure", ""));
    awaitRunning("other", 4);
    scene.patch("paused", "{\"spec\":{\"runPolicy\":{\"suspend\":false}}}").orThrow();
    scene.awaitThat("it waits", () -> told("paused").contains("WaitingForQueue: LocalQueue"));
    assertThat(live("paused")).isZero();
    plane.kubectl("delete", "pytorchjob", "other", "-n", namespace).orThrow();
    awaitRunning("paused", 3);
    awaitInUse(3);
  }

  @Test
  void moreWorkersComeOnceTheQueueHasRoomForThem() {
    scene.apply(job("grows", 1, "OnFailure", ""));
    awaitRunning("grows", 2);
    String master = scene.uid("grows-master-0");
    scene.apply(job("other", 1, "OnFailure", ""));
    awaitRunning("other", 2);
    plane.kubectl("scale", "pytorchjob/grows", "--replicas=3", "-n", namespace).orThrow();
    await("two Workloads of it").atMost(PATIENCE).until(() -> workloads().size() == 3);
    assertThat(live("grows")).isEqualTo(2);
    plane.kubectl("delete", "pytorchjob", "other", "-n", namespace).orThrow();
    awaitRunning("grows", 4);
    awaitInUse(4);
    assertThat(scene.uid("grows-master-0")).as("nothing was stopped for it").isEqualTo(master);

    plane.kubectl("scale", "pytorchjob/grows", "--replicas=1", "-n", namespace).orThrow();
    awaitRunning("grows", 2);
    awaitInUse(2);

    plane.kubectl("scale", "pytorchjob/grows", "--replicas=2", "-n", namespace).orThrow();
    awaitRunning("grows", 3);
    awaitInUse(3);
    assertThat(scene.uid("grows-master-0")).isEqualTo(master);
  }

  @Test
  void withKueuesIntegrationTheOperatorMakesNoWorkloadAndTheQuotaIsExact() {
    kueue.close();
    kueue = Kueue.builder().frameworks("batch/job", "kubeflow.org/pytorchjob").start(plane);
    try {
      scene.apply(job("low", 2, "Never", ""));
      awaitRunning("low", 3);
      assertThat(workloads()).hasSize(1).allMatch(name -> name.contains("pytorchjob-low-"));
      assertThat(scene.pod("low-worker-0").getSpec().getNodeSelector())
          .containsEntry("pool", "a100");
      scene.apply(job("high", 3, "Never", ", kueue.x-k8s.io/priority-class: urgent"));
      awaitRunning("high", 4);
      awaitInUse(4);
      scene.awaitState("low", "Suspended");
      assertThat(workloads()).hasSize(2);
      for (int worker = 0; worker < 3; worker++) {
        kubelet.finish(namespace, "high-worker-" + worker, 0);
      }
      kubelet.finish(namespace, "high-master-0", 0);
      scene.awaitState("high", "Succeeded");
      awaitRunning("low", 3);
      awaitInUse(3);
      assertThat(workloads()).hasSize(2).allMatch(name -> name.contains("/pytorchjob-"));
      kubelet.finish(namespace, "low-worker-0", 0);
      kubelet.finish(namespace, "low-worker-1", 0);
      kubelet.finish(namespace, "low-master-0", 0);
      scene.awaitState("low", "Succeeded");
      awaitInUse(0);
    } finally {
      kueue.close();
      kueue = Kueue.start(plane);
    }
  }
}
