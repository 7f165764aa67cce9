package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.schedulers.Kueue;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The recipe of docs/tasks/topology.md for Kueue, with the topology-aware scheduling of the real
 * one.
 */
@Tag("schedulers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OneRackKueueIT {

  private static final String JOB = "kueue-rack";
  private static final String REQUIRED =
      "kueue.x-k8s.io/podset-required-topology: topology.example.com/rack";

  /** Of its own: Kueue's webhooks are about the whole cluster. */
  private final ControlPlane plane = ControlPlane.builder().memoryForTime(true).start();

  private Kueue kueue;
  private Racks racks;
  private OperatorProcess operator;
  private String namespace;
  private Jobs jobs;
  private PyTorchJobScene kubeflow;

  @BeforeAll
  void start() {
    kueue = Kueue.start(plane);
    racks = Racks.start(plane, "tas");
    OperatorProcess.installCrds(plane.client());
    Map<String, String> settings = new LinkedHashMap<>(OperatorProcess.SHORT_DELAYS);
    settings.put("OPERATOR_NODE_LOSS_GRACE", "3s");
    operator = OperatorProcess.start(plane.kubeconfig(), settings);
  }

  @AfterAll
  void stop() {
    try {
      operator.close();
      racks.close();
      kueue.close();
    } finally {
      plane.close();
    }
  }

  @BeforeEach
  void makeQueue() {
    namespace = plane.createNamespace("tas");
    jobs = new Jobs(plane.client(), namespace);
    kubeflow = new PyTorchJobScene(plane, namespace);
    apply(Racks.manifest("racks.yaml"));
  }

  @AfterEach
  void clear() {
    racks.clear(namespace);
  }

  private void apply(String manifest) {
    plane.kubectlWithInput(manifest, "apply", "-n", namespace, "-f", "-").orThrow();
  }

  private static String manifest(int replicas, String moreSpec) {
    String manifest = Racks.manifest("kueue-rack.yaml");
    assertThat(manifest).contains("replicas: 3\n", REQUIRED);
    return manifest
        .replace("replicas: 3\n", "replicas: " + replicas + "\n")
        .replace("\nspec:\n", "\nspec:\n" + moreSpec.indent(2));
  }

  private List<String> nodes() {
    return jobs.pods(JOB).stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> !"Failed".equals(pod.getStatus().getPhase()))
        .map(pod -> String.valueOf(pod.getSpec().getNodeName()))
        .toList();
  }

  private List<String> of(String rack, int... numbers) {
    return java.util.Arrays.stream(numbers).mapToObj(number -> racks.node(rack, number)).toList();
  }

  private void awaitNodes(List<String> nodes) {
    await("the pods of " + JOB + " run on " + nodes)
        .atMost(Racks.PATIENCE)
        .untilAsserted(() -> assertThat(nodes()).as(this::seen).isEqualTo(nodes));
    jobs.awaitPhase(JOB, "Running");
  }

  /** What Kueue has assigned, and what the pods want. */
  private String seen() {
    return plane
            .kubectl(
                "get",
                "workloads.kueue.x-k8s.io",
                "-n",
                namespace,
                "-o",
                "jsonpath={.items[*].status}")
            .stdout()
        + jobs.pods(JOB).stream()
            .map(
                pod ->
                    "\n"
                        + pod.getMetadata().getName()
                        + pod.getMetadata().getCreationTimestamp()
                        + pod.getSpec().getNodeSelector()
                        + pod.getStatus().getPhase())
            .toList();
  }

  private void awaitSaid(String words) {
    jobs.await(
        JOB,
        "says " + words,
        status -> String.valueOf(Racks.running(status).message()).contains(words));
  }

  @Test
  void aJobIsInTheRackThatHasRoomForItAndItsPodsAreOnTheNodesThatKueueHasChosen() {
    racks.leave(namespace, 1, 2, 3);
    apply(manifest(3, ""));
    racks.awaitInRack(jobs, JOB, 3, "r3");
    awaitNodes(of("r3", 0, 1, 2));
    assertThat(jobs.pods(JOB))
        .allSatisfy(
            pod -> {
              assertThat(pod.getSpec().getNodeSelector())
                  .containsEntry("kubernetes.io/hostname", pod.getSpec().getNodeName());
              assertThat(pod.getSpec().getTolerations())
                  .as("of the flavor")
                  .anyMatch(toleration -> "nvidia.com/gpu".equals(toleration.getKey()));
            });
    assertThat(
            plane
                .kubectl(
                    "get",
                    "workloads.kueue.x-k8s.io",
                    "-n",
                    namespace,
                    "-o",
                    "jsonpath={.items[*].spec.podSets[*].topologyRequest}")
                .orThrow())
        .isEqualTo("{\"required\":\"topology.example.com/rack\"}");
  }

  @Test
  void aJobThatNoRackCanHoldHasNoPodsSaysSoAndRunsOnceOneCan() {
    racks.leave(namespace, 1, 2, 2);
    apply(manifest(3, ""));
    Racks.awaitWaiting(jobs, JOB, "WaitingForQueue");
    awaitSaid("topology \"racks\"");
    awaitSaid("2 out of 3 pod(s)");
    assertThat(jobs.pods(JOB)).isEmpty();

    racks.free(namespace, "r2");

    racks.awaitInRack(jobs, JOB, 3, "r2");
  }

  @Test
  void aJobThatOnlyPrefersOneRackStaysInABlockAndElseSpreads() {
    racks.leave(namespace, 2, 2, 2);
    apply(manifest(3, "").replace("podset-required-topology", "podset-preferred-topology"));
    jobs.awaitPhase(JOB, "Running");
    assertThat(racks.racksOf(jobs.pods(JOB)))
        .as("no rack has room for three, the block of both does")
        .hasSize(3)
        .containsOnly("r1", "r2");
    plane.kubectl("delete", "pj", JOB, "-n", namespace).orThrow();

    apply(manifest(5, "").replace("podset-required-topology", "podset-preferred-topology"));
    jobs.awaitPhase(JOB, "Running");
    assertThat(racks.racksOf(jobs.pods(JOB))).hasSize(5).contains("r1", "r2", "r3");
  }

  @Test
  void neighbouringRanksAreOnNeighbouringPlaces() {
    racks.leave(namespace, 1, 2, 3);
    apply(manifest(6, "").replace("nvidia.com/gpu: 8", "nvidia.com/gpu: 4"));
    awaitNodes(of("r3", 0, 0, 1, 1, 2, 2));
  }

  @Test
  void aWorkerThatFailsAndAJobThatStartsAnewComeBackToTheirPlaces() {
    racks.leave(namespace, 1, 2, 3);
    apply(manifest(3, "runPolicy: {backoffLimit: 3, restartScope: Replica}"));
    awaitNodes(of("r3", 0, 1, 2));
    String before = uid("1");

    racks.kubelet("r3").finish(namespace, jobs.base(JOB) + "-node-1", 1);
    await("a new pod").atMost(Racks.PATIENCE).until(() -> !before.equals(uid("1")));
    awaitNodes(of("r3", 0, 1, 2));

    plane.kubectl("delete", "pj", JOB, "-n", namespace).orThrow();
    apply(manifest(3, "runPolicy: {backoffLimit: 3, restartScope: Job}"));
    awaitNodes(of("r3", 0, 1, 2));
    String master = uid("0");
    racks.kubelet("r3").finish(namespace, jobs.base(JOB) + "-node-2", 1);
    await("all pods are new").atMost(Racks.PATIENCE).until(() -> !master.equals(uid("0")));
    awaitNodes(of("r3", 0, 1, 2));
  }

  /** The uid of the newest pod of a replica; empty when there is none. */
  private String uid(String index) {
    return jobs.pods(JOB).stream()
        .filter(pod -> pod.getMetadata().getName().contains("-node-" + index))
        .reduce((one, other) -> other)
        .map(pod -> pod.getMetadata().getUid())
        .orElse("");
  }

  /** Kueue moves the places behind the lost one up; pods stay where they are. */
  @Test
  void aLostNodeIsExchangedForOneOfTheSameRackThatNobodyIsOn() {
    racks.leave(namespace, 0, 0, 4);
    apply(manifest(3, "runPolicy: {backoffLimit: 0, restartScope: Replica}"));
    awaitNodes(of("r3", 0, 1, 2));
    String master = uid("0");
    try {
      racks.kubelet("r3").loseNode(racks.node("r3", 1));
      awaitNodes(of("r3", 0, 3, 2));
      assertThat(uid("0")).as("the others go on").isEqualTo(master);
    } finally {
      racks.restore("r3", 1);
    }
  }

  @Test
  void aNodeThatIsCordonedTakesNothingFromAJobThatRunsOnIt() {
    racks.leave(namespace, 0, 0, 4);
    apply(manifest(3, "runPolicy: {backoffLimit: 0, restartScope: Replica}"));
    awaitNodes(of("r3", 0, 1, 2));
    String second = uid("1");
    String node = racks.node("r3", 1);
    plane.kubectl("cordon", node).orThrow();
    try {
      // Kueue looks at a node within a second of its change.
      await("Kueue takes the node for a healthy one")
          .atMost(Racks.PATIENCE)
          .during(Duration.ofSeconds(5))
          .until(() -> unhealthy().isEmpty());
      assertThat(nodes()).isEqualTo(of("r3", 0, 1, 2));
      assertThat(uid("1")).isEqualTo(second);
      jobs.awaitPhase(JOB, "Running");
    } finally {
      plane.kubectl("uncordon", node).orThrow();
    }
  }

  /** The nodes that Kueue wants to exchange, and why it has taken the job back. */
  private String unhealthy() {
    return plane
        .kubectl(
            "get",
            "workloads.kueue.x-k8s.io",
            jobs.base(JOB),
            "-n",
            namespace,
            "-o",
            "jsonpath={.status.unhealthyNodes}{.status.conditions[?(@.type==\"Evicted\")].message}")
        .orThrow();
  }

  @Test
  void aPyTorchJobIsInOneRackWithItsMaster() {
    racks.leave(namespace, 1, 2, 3);
    kubeflow.apply(Racks.manifest("kueue-rack-kubeflow.yaml"));
    kubeflow.awaitState(JOB, "Running");
    List<Pod> pods = kubeflow.pods(JOB).stream().sorted().map(kubeflow::pod).toList();
    assertThat(racks.racksOf(pods)).hasSize(3).containsOnly("r3");
  }

  @Test
  void eachSliceOfRanksIsInOneRack() {
    racks.leave(namespace, 1, 2, 3);
    apply(Racks.manifest("kueue-slices.yaml"));
    jobs.awaitPhase("kueue-slices", "Running");
    List<String> where = racks.racksOf(jobs.pods("kueue-slices"));
    assertThat(where).hasSize(4);
    assertThat(where.get(0)).isEqualTo(where.get(1));
    assertThat(where.get(2)).isEqualTo(where.get(3));
    assertThat(new TreeSet<>(where)).containsExactly("r2", "r3");
  }

  @Test
  void aWrongSizeOfSlicesIsRefusedByKueueAndTheJobSaysSo() {
    apply(
        Racks.manifest("kueue-slices.yaml")
            .replace("podset-slice-size: \"2\"", "podset-slice-size: two"));
    jobs.await(
        "kueue-slices",
        "says what Kueue says",
        status ->
            String.valueOf(Racks.running(status).message())
                .contains("must be set when podSetSliceRequiredTopology is specified"));
    assertThat(Objects.requireNonNull(jobs.get("kueue-slices").getStatus()).phase())
        .isEqualTo("Pending");
  }
}
