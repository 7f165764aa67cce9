package dev.tensorstack.training.chart;

import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobLabels;
import dev.tensorstack.training.operator.StuckPod;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Jobs of Kubeflow's kind that need each thing that the operator can do for them. */
final class PyTorchJobUses {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final FakeKubelet kubelet;

  /**
   * Jobs of a namespace.
   *
   * @param kubelet runs the pods; none of them ends by itself
   */
  PyTorchJobUses(ControlPlane controlPlane, String namespace, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    this.namespace = namespace;
    this.kubelet = kubelet;
  }

  /**
   * Has jobs scaled by an autoscaler, fail, suspended, deleted, and kept from starting.
   *
   * @param waits the name of a job whose pod shall not start; its events are read after a while
   */
  void play(String waits) {
    kubelet.rule(
        pod -> waits.equals(pod.getMetadata().getLabels().get(PyTorchJobLabels.JOB_NAME)),
        Behaviour.stayPending());
    create(waits, "", "", "");
    StuckPod.report(
        client,
        await("a pod on a node")
            .atMost(PATIENCE)
            .until(
                () -> pod(waits + "-master-0"),
                pod -> pod != null && pod.getSpec().getNodeName() != null),
        "configmap \"nothing\" not found");
    namesTaken();

    create("deleted", "ttlSecondsAfterFinished: 0", "", "");
    awaitState("deleted", "Running");
    kubelet.finish(namespace, "deleted-master-0", 0);
    await("the job that ended is deleted").atMost(PATIENCE).until(() -> state("deleted") == null);

    gangOfTwoPriorities();
    create(
        "scales",
        "",
        """
        elasticPolicy:
          minReplicas: 1
          maxReplicas: 4
          metrics:
          - type: Resource
            resource: {name: cpu, target: {type: AverageValue, averageValue: 1}}
        """,
        "");
    awaitState("scales", "Running");
    // The event about the second one changes that about the first.
    replaced("scales-worker-0");
    replaced("scales-worker-1");
    controlPlane
        .kubectl(
            "patch",
            "pytorchjob",
            "scales",
            "-n",
            namespace,
            "--type=merge",
            "-p",
            "{\"spec\": {\"runPolicy\": {\"suspend\": true}}}")
        .orThrow();
    awaitState("scales", "Suspended");
    await("no autoscaler")
        .atMost(PATIENCE)
        .until(
            () ->
                client
                    .autoscaling()
                    .v2()
                    .horizontalPodAutoscalers()
                    .inNamespace(namespace)
                    .list()
                    .getItems()
                    .stream()
                    .noneMatch(autoscaler -> autoscaler.getMetadata().getName().equals("scales")));
  }

  /** A pod that is lost with its node makes room for the next one of its name. */
  void loseANode() {
    try (FakeKubelet others =
        FakeKubelet.start(
            client, FakeKubeletOptions.nodes(2).namePrefix("lost").label("pool", "lost"))) {
      create("loses", "", "", "nodeSelector: {pool: lost}, ");
      awaitState("loses", "Running");
      Pod first = Objects.requireNonNull(pod("loses-worker-0"));
      others.loseNode(first.getSpec().getNodeName());
      awaitAnother(first);
    }
  }

  /** Of pod and Service: the operator has to look whose they are. */
  private void namesTaken() {
    controlPlane
        .kubectlWithInput(
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: taken-master-0}
            spec:
              schedulerName: nobody
              containers: [{name: c, image: i}]
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: taken-master-0}
            spec: {clusterIP: None, selector: {nobody: nothing}}
            """,
            "create",
            "-n",
            namespace,
            "-f",
            "-")
        .orThrow();
    create("taken", "", "", "");
  }

  private void replaced(String name) {
    Pod first = Objects.requireNonNull(pod(name));
    kubelet.finish(namespace, name, 137);
    awaitAnother(first);
  }

  private void awaitAnother(Pod first) {
    String name = first.getMetadata().getName();
    await("another pod " + name)
        .atMost(PATIENCE)
        .until(
            () -> {
              Pod now = pod(name);
              return now != null
                  && !now.getMetadata().getUid().equals(first.getMetadata().getUid())
                  && "Running".equals(now.getStatus().getPhase());
            });
  }

  /**
   * Creates a job with a master and two workers.
   *
   * @param policy the members of {@code runPolicy}
   * @param spec further members of {@code spec}
   * @param pod further members of the pods' specs, each with a comma behind it
   */
  /** Smaller than its job: its PodGroup depends on the PriorityClasses. */
  private void gangOfTwoPriorities() {
    controlPlane
        .kubectlWithInput(
            """
            apiVersion: scheduling.k8s.io/v1
            kind: PriorityClass
            metadata: {name: important}
            value: 1000
            ---
            apiVersion: kubeflow.org/v1
            kind: PyTorchJob
            metadata: {name: gang}
            spec:
              runPolicy: {schedulingPolicy: {minAvailable: 1}}
              pytorchReplicaSpecs:
                Master:
                  template: {spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}}
                Worker:
                  template:
                    spec:
                      priorityClassName: important
                      containers: [{name: pytorch, image: "registry.example/train:1"}]
            """,
            "create",
            "-n",
            namespace,
            "-f",
            "-")
        .orThrow();
    awaitState("gang", "Running");
  }

  private void create(String name, String policy, String spec, String pod) {
    controlPlane
        .kubectlWithInput(
            """
            apiVersion: kubeflow.org/v1
            kind: PyTorchJob
            metadata: {name: %1$s}
            spec:
              runPolicy: {%2$s}
              pytorchReplicaSpecs:
                Master: &replicas
                  restartPolicy: ExitCode
                  template:
                    spec: {%4$s containers: [{name: pytorch, image: "registry.example/train:1"}]}
                Worker: {<<: *replicas, replicas: 2}
            %3$s
            """
                .formatted(name, policy, spec.indent(2), pod),
            "create",
            "-n",
            namespace,
            "-f",
            "-")
        .orThrow();
  }

  private void awaitState(String name, String state) {
    await(name + " is " + state).atMost(PATIENCE).until(() -> state.equals(state(name)));
  }

  /** The condition that changed last; null when the job is gone. */
  private @Nullable String state(String name) {
    var answer =
        controlPlane.kubectl(
            "get",
            "pytorchjob",
            name,
            "-n",
            namespace,
            "-o",
            "jsonpath={.status.conditions[-1:].type}");
    return answer.exitCode() == 0 ? answer.stdout() : null;
  }

  private @Nullable Pod pod(String name) {
    return client.pods().inNamespace(namespace).withName(name).get();
  }
}
