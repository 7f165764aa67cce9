package dev.tensorstack.training.tryout;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.localnode.LocalNode;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/** What is done to the job of {@code examples/digits-elastic.yaml}, one after the other. */
final class ElasticScenario {

  private static final String MASTER = "master-0";
  private static final String WORKER = "worker-0";

  private final ControlPlane controlPlane;
  private final LocalNode node;
  private final String namespace;
  private final String job;

  /**
   * The scenario of one job.
   *
   * @param controlPlane where the job is
   * @param node where its pods run
   * @param namespace the job's namespace
   * @param job its name
   */
  ElasticScenario(ControlPlane controlPlane, LocalNode node, String namespace, String job) {
    this.controlPlane = controlPlane;
    this.node = node;
    this.namespace = namespace;
    this.job = job;
  }

  /** Grows from 2 nodes to 4, shrinks to 2, loses a worker, loses the master. */
  List<ElasticStep> steps() {
    return List.of(
        new ElasticStep("train with 2 nodes", nothing -> {}, 2, Set.of(), 0, 0),
        scale(4),
        scale(2),
        new ElasticStep("SIGKILL to pod " + WORKER, kill(WORKER), 2, Set.of(WORKER), 0, 1),
        new ElasticStep("SIGKILL to pod " + MASTER, kill(MASTER), 2, Set.of(MASTER, WORKER), 1, 1));
  }

  private ElasticStep scale(int nodes) {
    String[] command = {"scale", "pj/" + job, "-n", namespace, "--replicas=" + nodes};
    Consumer<ElasticView> action =
        view -> {
          KubectlResult result = controlPlane.kubectl(command);
          if (result.exitCode() != 0) {
            throw new StepFailedException("kubectl scale: " + result.stderr());
          }
        };
    return new ElasticStep("kubectl " + String.join(" ", command), action, nodes, Set.of(), 0, 0);
  }

  private Consumer<ElasticView> kill(String replica) {
    return view -> {
      Pod pod = Objects.requireNonNull(view.live().get(replica), replica);
      String container = pod.getSpec().getContainers().get(0).getName();
      node.killContainer(namespace, pod.getMetadata().getName(), container, "KILL");
    };
  }
}
