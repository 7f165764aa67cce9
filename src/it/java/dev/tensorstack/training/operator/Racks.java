package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.docs.CodeBlock;
import dev.tensorstack.training.docs.Page;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Three racks of four nodes with eight accelerators each, behind a taint, and the manifests of
 * docs/tasks/topology.md, whose pods need a node each.
 */
final class Racks implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(90);

  private static final Path PAGE = Path.of("docs/tasks/topology.md");
  private static final int NODES = 4;
  private static final String LABEL = "topology.example.com/rack";

  /** By rack, in the block {@code b1} but for the last one. */
  private final Map<String, FakeKubelet> kubelets = new LinkedHashMap<>();

  private final ControlPlane plane;
  private final String prefix;

  private Racks(ControlPlane plane, String prefix) {
    this.plane = plane;
    this.prefix = prefix;
  }

  /** Registers nodes with the names {@code <prefix>-r1-0} to {@code <prefix>-r3-3}. */
  static Racks start(ControlPlane plane, String prefix) {
    Racks racks = new Racks(plane, prefix);
    for (String rack : List.of("r1", "r2", "r3")) {
      racks.kubelets.put(
          rack,
          FakeKubelet.start(
              plane.client(),
              FakeKubeletOptions.nodes(NODES)
                  .namePrefix(prefix + "-" + rack)
                  .resource("nvidia.com/gpu", "8")
                  .label("nvidia.com/gpu.present", "true")
                  .label("topology.example.com/block", rack.equals("r3") ? "b2" : "b1")
                  .label(LABEL, rack)));
    }
    racks.taint();
    return racks;
  }

  private void taint() {
    plane
        .kubectl("taint", "nodes", "-l", LABEL, "nvidia.com/gpu=present:NoSchedule", "--overwrite")
        .orThrow();
  }

  @Override
  public void close() {
    kubelets.values().forEach(FakeKubelet::close);
  }

  /**
   * A manifest of the page.
   *
   * @param file the name under which the reader is told to save it
   */
  static String manifest(String file) {
    return Page.read(PAGE).blocks().stream()
        .filter(block -> file.equals(block.file()))
        .map(CodeBlock::text)
        .findFirst()
        .orElseThrow();
  }

  /** The node of a rack. */
  String node(String rack, int number) {
    return prefix + "-" + rack + "-" + number;
  }

  /** The kubelet of a rack's nodes. */
  FakeKubelet kubelet(String rack) {
    return Objects.requireNonNull(kubelets.get(rack));
  }

  /** A lost node is back, with its taint. */
  void restore(String rack, int number) {
    kubelet(rack).restoreNode(node(rack, number));
    taint();
  }

  /** Pods of another job use all but so many nodes of each rack: the first ones are free. */
  void leave(String namespace, int ofFirst, int ofSecond, int ofThird) {
    Map<String, Integer> free = Map.of("r1", ofFirst, "r2", ofSecond, "r3", ofThird);
    List<String> pods = new ArrayList<>();
    free.forEach(
        (rack, nodes) -> {
          for (int node = nodes; node < NODES; node++) {
            pods.add(
                """
                apiVersion: v1
                kind: Pod
                metadata: {name: used-%1$s-%2$d, labels: {tensorstack.dev/owner-name: others, rack: %1$s}}
                spec:
                  nodeName: %3$s
                  containers:
                  - name: python
                    image: registry.example/train:1
                    resources: {limits: {nvidia.com/gpu: 8}}
                """
                    .formatted(rack, node, node(rack, node)));
          }
        });
    if (!pods.isEmpty()) {
      plane
          .kubectlWithInput(String.join("---\n", pods), "create", "-n", namespace, "-f", "-")
          .orThrow();
    }
  }

  /** The pods of other jobs in a rack end. */
  void free(String namespace, String rack) {
    plane.kubectl("delete", "pods", "-n", namespace, "-l", "rack=" + rack).orThrow();
  }

  /** All jobs and pods go: the next test has all nodes. */
  void clear(String namespace) {
    plane.kubectl("delete", "pj,pytorchjobs", "--all", "-n", namespace).orThrow();
    plane.kubectl("delete", "pods", "-n", namespace, "-l", "rack", "--wait=false").orThrow();
    await("the pods are gone")
        .atMost(PATIENCE)
        .until(() -> plane.client().pods().inNamespace(namespace).list().getItems().isEmpty());
  }

  /** Where pods are, in their order; null where one has no node. */
  List<String> racksOf(List<Pod> pods) {
    List<String> racks = new ArrayList<>();
    for (Pod pod : pods) {
      String node = pod.getSpec().getNodeName();
      racks.add(
          node == null
              ? null
              : plane
                  .client()
                  .nodes()
                  .withName(node)
                  .get()
                  .getMetadata()
                  .getLabels()
                  .getOrDefault(LABEL, "none"));
    }
    return racks;
  }

  /** All pods of a job run in one rack, on a node each. */
  void awaitInRack(Jobs jobs, String job, int pods, String rack) {
    jobs.awaitPhase(job, "Running");
    assertThat(racksOf(jobs.pods(job))).hasSize(pods).containsOnly(rack);
    assertThat(jobs.pods(job))
        .extracting(pod -> pod.getSpec().getNodeName())
        .doesNotHaveDuplicates();
  }

  /** What the job says of itself. */
  static JobCondition running(PyTorchTrainingJobStatus status) {
    return Objects.requireNonNull(status.conditions()).stream()
        .filter(condition -> "Running".equals(condition.type()))
        .findFirst()
        .orElseThrow();
  }

  /** A job is Pending for one of these reasons, and says so in words. */
  static String awaitWaiting(Jobs jobs, String job, String... reasons) {
    return Objects.requireNonNull(
        running(
                Objects.requireNonNull(
                    jobs.await(
                            job,
                            "waits for one of " + List.of(reasons),
                            status ->
                                "Pending".equals(status.phase())
                                    && List.of(reasons).contains(running(status).reason())
                                    && running(status).message() != null)
                        .getStatus()))
            .message());
  }
}
