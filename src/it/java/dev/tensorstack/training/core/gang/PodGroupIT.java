package dev.tensorstack.training.core.gang;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.controlplane.NeedsKubernetes;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.pod.PodFactory;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import dev.tensorstack.training.world.FreshJob;
import dev.tensorstack.training.world.PodGroupOf;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A real API server takes the PodGroups as they are applied, without dropping a field. */
@ExtendWith(ControlPlaneExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PodGroupIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final String FOUR_PODS =
      """
      replicaSpecs:
      - type: master
        template: {spec: {priorityClassName: %s, containers: [{name: c, image: "train:1", command: [a], resources: {requests: {cpu: 1500m, memory: 4Gi}}}]}}
      - type: worker
        replicas: 3
        template: {spec: {priorityClassName: %s, containers: [{name: c, image: "train:1", command: [a], resources: {limits: {cpu: 2, nvidia.com/gpu: 8}}}]}}
      """
          .replace("%s", "system-node-critical");

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private String installed = "";

  PodGroupIT(ControlPlane controlPlane, KubernetesClient client) {
    this.controlPlane = controlPlane;
    this.client = client;
    namespace = controlPlane.createNamespace("podgroup");
  }

  @AfterEach
  void uninstall() {
    if (!installed.isEmpty()) {
      controlPlane.kubectlWithInput(installed, "delete", "--wait", "-f", "-").orThrow();
      installed = "";
    }
  }

  private void install(ObjectKind kind) {
    installed = PodGroupSchemas.manifest(kind.group());
    controlPlane.kubectlWithInput(installed, "create", "-f", "-").orThrow();
    await(kind + " is served")
        .atMost(PATIENCE)
        .until(
            () -> client.getApiResources(kind.apiVersion()),
            served ->
                served != null
                    && served.getResources().stream()
                        .anyMatch(resource -> resource.getName().equals("podgroups")));
  }

  /** The version of Kubernetes 1.36. */
  private static final ObjectKind KUBERNETES_1_36 = new KubernetesGang().kinds().get(2);

  private TrainingJob job(String scheduler) {
    TrainingJob job = new World(FOUR_PODS + "scheduler: {" + scheduler + "}\n").job();
    return FreshJob.of(namespace, job.name(), job.uid(), job.spec());
  }

  private static GenericKubernetesResource group(TrainingJob job, ObjectKind kind, int done) {
    GenericKubernetesResource group = PodGroupOf.job(job, kind, done);
    group.getMetadata().setOwnerReferences(null); // the job is not there
    return group;
  }

  /** As the operator applies it, but a field that the API server does not know is an error. */
  private KubectlResult apply(GenericKubernetesResource group) {
    return controlPlane.kubectlWithInput(
        Serialization.asJson(group),
        "apply",
        "--server-side",
        "--validate=strict",
        "--field-manager=" + Labels.OPERATOR,
        "-n",
        namespace,
        "-f",
        "-");
  }

  private GenericKubernetesResource stored(GenericKubernetesResource group) {
    return Objects.requireNonNull(
        client
            .genericKubernetesResources(group.getApiVersion(), group.getKind())
            .inNamespace(namespace)
            .withName(group.getMetadata().getName())
            .get());
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> spec(GenericKubernetesResource group) {
    return (Map<String, Object>)
        Objects.requireNonNull(group.getAdditionalProperties().get("spec"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "t9kScheduler: {queue: q, priority: 0}    | minMember=4 | minMember=4",
        "volcano: {priorityClassName: high}       | minMember=4 | minMember=4",
        "coscheduling: {scheduleTimeoutSeconds: 9} | minMember=4 | minMember=3",
      })
  void isStoredAsAppliedAndCanBeAppliedAgain(String scheduler, String size, String later) {
    TrainingJob job = job(scheduler);
    ObjectKind kind = job.spec().scheduler().kinds().get(0);
    install(kind);
    GenericKubernetesResource group = group(job, kind, 0);

    apply(group).orThrow();
    GenericKubernetesResource first = stored(group);
    assertThat(spec(first)).containsAllEntriesOf(spec(group));
    assertThat(spec(first).toString()).contains(size);
    apply(group).orThrow();
    assertThat(stored(group).getMetadata().getResourceVersion())
        .as("applied again without a change")
        .isEqualTo(first.getMetadata().getResourceVersion());
    apply(group(job, kind, 1)).orThrow();
    assertThat(spec(stored(group)).toString()).contains(later);
  }

  @Test
  @NeedsKubernetes(value = 36, because = "PodGroups of Kubernetes")
  void kubernetesOwnIsStoredAsAppliedAndCanBeAppliedAgainButNotChanged() {
    TrainingJob job = job("kubernetes: {}");
    GenericKubernetesResource group = group(job, KUBERNETES_1_36, 0);

    apply(group).orThrow();
    apply(group).orThrow(); // the API server completes it once more
    GenericKubernetesResource first = stored(group);
    assertThat(spec(first).toString()).contains("gang={minCount=4}");
    assertThat(first.getMetadata().getFinalizers())
        .containsExactly("scheduling.k8s.io/podgroup-protection");
    apply(group(job, KUBERNETES_1_36, 2)).orThrow();
    assertThat(stored(group).getMetadata().getResourceVersion())
        .as("applied again after two pods succeeded")
        .isEqualTo(first.getMetadata().getResourceVersion());
    group.setAdditionalProperty(
        "spec", Map.of("schedulingPolicy", Map.of("gang", Map.of("minCount", 3))));
    assertThat(apply(group).stderr()).contains("immutable");
  }

  /** The dry run at admission, when there is no group yet. */
  @Test
  @NeedsKubernetes(value = 36, because = "PodGroups of Kubernetes")
  void aPodPassesTheDryRunBeforeItsGroupExistsAndKeepsItsName() {
    TrainingJob job = job("kubernetes: {}");
    Pod pod =
        new PodFactory(job, ReplicaLayout.of(job.spec()), AcceleratorResources.DEFAULT)
            .pod(new ReplicaId("worker", 2), 0, 0, RunModeKind.TRAIN);
    pod.getMetadata().setOwnerReferences(null);
    pod.getSpec().setPriorityClassName(null);

    KubectlResult answer =
        controlPlane.kubectlWithInput(
            Serialization.asJson(pod),
            "create",
            "--dry-run=server",
            "--validate=strict",
            "-n",
            namespace,
            "-o",
            "jsonpath={.spec.schedulingGroup.podGroupName}",
            "-f",
            "-");

    assertThat(answer.orThrow()).isEqualTo(job.names().podGroup());
  }
}
