package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubernetesVersion;
import dev.tensorstack.training.controlplane.NeedsKubernetes;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a template says of nodes reaches the scheduler as it is, and the recipes of
 * docs/tasks/topology.md keep a job in one rack: with Kubernetes' own scheduler, and its gangs.
 */
@OperatorTest(value = "rack", nodes = 0)
class OneRackIT {

  private final ControlPlane plane;
  private final Jobs jobs;
  private final PyTorchJobScene kubeflow;
  private final String namespace;
  private final Racks racks;

  OneRackIT(ControlPlane plane, Jobs jobs) {
    this.plane = plane;
    this.jobs = jobs;
    this.namespace = jobs.namespace();
    this.kubeflow = new PyTorchJobScene(plane, namespace);
    this.racks = Racks.start(plane, "rack");
  }

  @AfterAll
  void stop() {
    racks.close();
  }

  @AfterEach
  void clear() {
    racks.clear(namespace);
  }

  private void apply(String manifest) {
    plane.kubectlWithInput(manifest, "apply", "-n", namespace, "-f", "-").orThrow();
  }

  @ParameterizedTest
  @CsvSource({"one-rack.yaml, one-rack", "one-rack-gang.yaml, one-rack-gang"})
  void aJobIsInTheRackThatHasRoomForIt(String file, String job) {
    assumeTrue(
        !job.endsWith("-gang") || KubernetesVersion.chosen().hasPodGroups(),
        "needs Kubernetes 1.36 or newer: PodGroups of Kubernetes");
    racks.leave(namespace, 1, 2, 3);
    apply(Racks.manifest(file));
    racks.awaitInRack(jobs, job, 3, "r3");
  }

  @Test
  @NeedsKubernetes(value = 36, because = "PodGroups of Kubernetes")
  void aGangThatNoRackCanHoldHoldsNoNodeSaysSoAndRunsOnceOneCan() {
    racks.leave(namespace, 1, 2, 2);
    apply(Racks.manifest("one-rack-gang.yaml"));
    Racks.awaitWaiting(jobs, "one-rack-gang", "Unschedulable", "WaitingForGang");
    assertThat(racks.racksOf(jobs.pods("one-rack-gang"))).hasSize(3).containsOnlyNulls();

    racks.free(namespace, "r2");

    racks.awaitInRack(jobs, "one-rack-gang", 3, "r2");
  }

  /** The page says so: without a gang it keeps what it has. */
  @Test
  void withoutAGangAJobThatNoRackCanHoldHoldsTheNodesItGot() {
    racks.leave(namespace, 1, 1, 2);
    apply(Racks.manifest("one-rack.yaml"));
    String words = Racks.awaitWaiting(jobs, "one-rack", "Unschedulable");
    assertThat(words).contains("didn't match pod affinity rules");
    assertThat(racks.racksOf(jobs.pods("one-rack")))
        .filteredOn(Objects::nonNull)
        .hasSize(2)
        .containsOnly("r3");

    racks.free(namespace, "r3");

    racks.awaitInRack(jobs, "one-rack", 3, "r3");
  }

  @Test
  void aJobThatOnlyPrefersOneRackSpreadsWhereNoneHasRoom() {
    racks.leave(namespace, 1, 1, 2);
    apply(Racks.manifest("near.yaml"));
    jobs.awaitPhase("near", "Running");
    assertThat(racks.racksOf(jobs.pods("near"))).hasSize(3).doesNotContainNull();
    assertThat(racks.racksOf(jobs.pods("near")).stream().distinct().count()).isGreaterThan(1);
  }

  private static final String TEMPLATE =
      """
      metadata:
        annotations: {kueue.x-k8s.io/podset-preferred-topology: rack, example.com/note: kept}
      spec:
        nodeSelector: {pool: rich, topology.example.com/block: b9}
        tolerations:
        - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
        - {key: maintenance, operator: Equal, value: "soon", effect: NoExecute, tolerationSeconds: 3600}
        - {operator: Exists, effect: PreferNoSchedule}
        affinity:
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
              - matchExpressions:
                - {key: gpus, operator: Gt, values: ["7"]}
                - {key: zone, operator: NotIn, values: [a, b]}
                matchFields:
                - {key: metadata.name, operator: NotIn, values: [broken]}
            preferredDuringSchedulingIgnoredDuringExecution:
            - {weight: 7, preference: {matchExpressions: [{key: nvlink, operator: Exists}]}}
          podAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: topology.example.com/rack
              namespaces: [a, b]
              namespaceSelector: {matchLabels: {team: x}}
              labelSelector: {matchLabels: {any: pod}}
          podAntiAffinity:
            preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm:
                topologyKey: kubernetes.io/hostname
                labelSelector: {matchExpressions: [{key: noisy, operator: In, values: ["true"]}]}
        topologySpreadConstraints:
        - maxSkew: 2
          minDomains: 3
          topologyKey: topology.example.com/rack
          whenUnsatisfiable: DoNotSchedule
          nodeAffinityPolicy: Ignore
          nodeTaintsPolicy: Honor
          labelSelector: {matchLabels: {any: pod}}
        containers:
        - {name: pytorch, image: "registry.example/train:1", command: [python, train.py]}
      """;

  /** The API server itself adds how long a pod stays on a node that is lost. */
  private static void assertUntouched(PodSpec pod) {
    PodSpec template =
        Serialization.unmarshal(TEMPLATE, io.fabric8.kubernetes.api.model.PodTemplateSpec.class)
            .getSpec();
    assertThat(pod.getNodeSelector()).isEqualTo(template.getNodeSelector());
    assertThat(pod.getAffinity()).isEqualTo(template.getAffinity());
    assertThat(pod.getTopologySpreadConstraints())
        .isEqualTo(template.getTopologySpreadConstraints());
    List<Toleration> tolerations = pod.getTolerations();
    int own = template.getTolerations().size();
    assertThat(tolerations.subList(0, own)).isEqualTo(template.getTolerations());
    assertThat(tolerations.subList(own, tolerations.size()))
        .extracting(Toleration::getKey)
        .containsExactlyInAnyOrder(
            "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable");
  }

  @Test
  void whatATemplateSaysOfNodesIsInThePodsAsItIs() {
    apply(
        """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata: {name: rich}
        spec:
          replicaSpecs:
          - type: node
            replicas: 2
            template:
        """
            + TEMPLATE.indent(6));
    apply(
        """
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {name: kf-rich}
        spec:
          pytorchReplicaSpecs:
            Worker:
              replicas: 2
              template:
        """
            + TEMPLATE.indent(8));
    assertThat(jobs.awaitPods("rich", 2)).allSatisfy(pod -> assertUntouched(pod.getSpec()));
    await("the pods of kf-rich")
        .atMost(Racks.PATIENCE)
        .until(() -> kubeflow.pods("kf-rich").size() == 2);
    assertThat(kubeflow.pods("kf-rich"))
        .allSatisfy(pod -> assertUntouched(kubeflow.pod(pod).getSpec()));
    assertThat(jobs.pods("rich").get(0).getMetadata().getAnnotations())
        .containsEntry("kueue.x-k8s.io/podset-preferred-topology", "rack")
        .containsEntry("example.com/note", "kept");
  }
}
