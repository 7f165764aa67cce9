package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.core.gang.PodGroupSchemas;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The gang scheduler of all jobs of Kubeflow's kind (docs/reference/pytorchjob.md), with the real
 * API server and the published schemas of the PodGroups. What their schedulers write, the tests do.
 */
@OperatorTest(value = "pytorchgangs", operator = false)
class PyTorchJobGangIT {

  private static final String VOLCANO = "scheduling.volcano.sh";
  private static final String SCHEDULER_PLUGINS = "scheduling.x-k8s.io";

  private final PyTorchJobScene scene;
  private final FakeKubelet kubelet;

  PyTorchJobGangIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet) {
    this.scene = new PyTorchJobScene(controlPlane, jobs.namespace());
    this.kubelet = kubelet;
  }

  private OperatorProcess operator(String gangScheduler) {
    return scene.operator(Map.of("OPERATOR_PYTORCHJOB_GANG_SCHEDULER", gangScheduler));
  }

  private void kubectl(String input, String... command) {
    scene.controlPlane.kubectlWithInput(input, command).orThrow();
  }

  /** The PodGroup of a job; null when there is none. */
  private @Nullable Map<?, ?> group(String apiGroup, String job) {
    String yaml =
        scene
            .controlPlane
            .kubectl(
                "get",
                "podgroups." + apiGroup,
                job,
                "-n",
                scene.namespace,
                "--ignore-not-found",
                "-o",
                "yaml")
            .orThrow();
    return yaml.isBlank() ? null : Serialization.unmarshal("---\n" + yaml, Map.class);
  }

  private @Nullable Object spec(String apiGroup, String job) {
    Map<?, ?> group = group(apiGroup, job);
    return group == null ? null : group.get("spec");
  }

  private static Object yaml(String text) {
    return Serialization.unmarshal("---\n" + text, Map.class);
  }

  /** A master that asks for 1 CPU and workers that ask for 2, each with a priority class. */
  private static String manifest(
      String name, int workers, String runPolicy, String master, String worker) {
    return """
    apiVersion: kubeflow.org/v1
    kind: PyTorchJob
    metadata: {name: %s, annotations: {team: vision}}
    spec:
      runPolicy: {%s}
      pytorchReplicaSpecs:
        Master:
          template:
            spec:
              priorityClassName: "%s"
              containers: [{name: pytorch, image: "registry.example/train:1", resources: {requests: {cpu: 1}}}]
        Worker:
          replicas: %d
          template:
            spec:
              priorityClassName: "%s"
              containers: [{name: pytorch, image: "registry.example/train:1", resources: {requests: {cpu: 2}}}]
    """
        .formatted(name, runPolicy, master, workers, worker);
  }

  private void setPhase(String job, String phase) {
    scene
        .controlPlane
        .kubectl(
            "patch",
            "podgroups." + VOLCANO,
            job,
            "-n",
            scene.namespace,
            "--type=merge",
            "-p",
            "{\"status\": {\"phase\": \"" + phase + "\"}}")
        .orThrow();
  }

  @Test
  void podsOfVolcanoComeOnceTheirGroupIsInItsQueueWhichFollowsTheJob() {
    kubectl(PodGroupSchemas.manifest(VOLCANO), "apply", "--server-side", "-f", "-");
    try (OperatorProcess operator = operator("volcano")) {
      scene.apply(
          manifest("mnist", 2, "schedulingPolicy: {queue: research, priorityClass: high}", "", ""));
      scene.awaitThat("a PodGroup", () -> spec(VOLCANO, "mnist") != null);
      assertThat(spec(VOLCANO, "mnist"))
          .isEqualTo(
              yaml(
                  "{minMember: 3, queue: research, priorityClassName: high, minResources: {cpu:"
                      + " '5'}}"));
      assertThat(group(VOLCANO, "mnist"))
          .extracting("metadata")
          .asString()
          .contains("team=vision", "kind=PyTorchJob");
      setPhase("mnist", "Pending");
      scene.awaitThat(
          "the job says what it waits for",
          () -> scene.get("mnist", "{.status}").contains("its queue has no room yet"));
      assertThat(scene.pods("mnist")).isEmpty();

      setPhase("mnist", "Inqueue");
      scene.awaitThat("all pods", () -> scene.pods("mnist").size() == 3);
      Pod worker = scene.pod("mnist-worker-1");
      assertThat(worker.getSpec().getSchedulerName()).isEqualTo("volcano");
      assertThat(worker.getMetadata().getAnnotations())
          .containsEntry("scheduling.k8s.io/group-name", "mnist")
          .containsEntry("volcano.sh/task-spec", "worker");

      scene
          .controlPlane
          .kubectl("scale", "pytorchjob", "mnist", "-n", scene.namespace, "--replicas=4")
          .orThrow();
      scene.awaitThat(
          "minMember follows scaling",
          () -> String.valueOf(spec(VOLCANO, "mnist")).contains("minMember=5"));

      scene.patch("mnist", "{\"spec\": {\"runPolicy\": {\"suspend\": true}}}").orThrow();
      scene.awaitState("mnist", "Suspended");
      scene.awaitThat("it leaves with the pods", () -> spec(VOLCANO, "mnist") == null);
      scene.patch("mnist", "{\"spec\": {\"runPolicy\": {\"suspend\": false}}}").orThrow();
      scene.awaitThat("it comes back", () -> spec(VOLCANO, "mnist") != null);
      assertThat(scene.pods("mnist")).isEmpty();

      scene.patch("mnist", "{\"spec\": {\"runPolicy\": {\"activeDeadlineSeconds\": 1}}}").orThrow();
      scene.awaitState("mnist", "Failed");
      scene.awaitThat("it leaves at the end", () -> spec(VOLCANO, "mnist") == null);
      assertThat(operator.isAlive()).isTrue();
    } finally {
      kubectl(PodGroupSchemas.manifest(VOLCANO), "delete", "--wait", "-f", "-");
    }
  }

  @Test
  void aGangOfSchedulerPluginsNeedsWhatItsMostImportantPodsRequestAndKeepsTheUsersScheduler() {
    kubectl(PodGroupSchemas.manifest(SCHEDULER_PLUGINS), "apply", "--server-side", "-f", "-");
    for (Map.Entry<String, Integer> one :
        Map.of("gang-important", 1000, "gang-unimportant", -1000).entrySet()) {
      kubectl(
          "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: %s}, value: %d}"
              .formatted(one.getKey(), one.getValue()),
          "apply",
          "-f",
          "-");
    }
    try (OperatorProcess operator = operator("my-scheduler")) {
      // By the values of their PriorityClasses; of equals, the Master first.
      needs("workers", "", "gang-important", 4); // two workers; it waits for the classes
      needs("equals", "", "", 3); // the Master and a worker
      needs("master", "gang-important", "", 3);
      needs("background", "gang-unimportant", "", 4); // below those that name no class

      scene.apply(
          manifest("named", 1, "", "", "")
              .replace("priorityClassName: \"\"", "schedulerName: default-scheduler"));
      scene.awaitThat(
          "an event", () -> scene.reasons("named").contains("SetPodTemplateSchedulerName"));
      scene.awaitState("named", "Running");
      for (String pod : List.of("named-master-0", "named-worker-0")) {
        assertThat(scene.pod(pod).getSpec().getSchedulerName()).isEqualTo("default-scheduler");
        assertThat(scene.pod(pod).getMetadata().getLabels())
            .containsEntry("scheduling.x-k8s.io/pod-group", "named");
      }
      kubelet.finish(scene.namespace, "named-master-0", 0);
      scene.awaitState("named", "Succeeded");
      scene.awaitThat("no PodGroup", () -> spec(SCHEDULER_PLUGINS, "named") == null);
      assertThat(operator.isAlive()).isTrue();
    } finally {
      kubectl(PodGroupSchemas.manifest(SCHEDULER_PLUGINS), "delete", "--wait", "-f", "-");
    }
  }

  /**
   * Two of four pods.
   *
   * @param master the priority class of the master, which asks for 1 CPU
   * @param worker that of the three workers, which ask for 2 each
   */
  private void needs(String name, String master, String worker, int cpus) {
    scene.apply(manifest(name, 3, "schedulingPolicy: {minAvailable: 2}", master, worker));
    scene.awaitThat("pods", () -> scene.pods(name).size() == 4);

    assertThat(spec(SCHEDULER_PLUGINS, name))
        .as(name)
        .isEqualTo(yaml("{minMember: 2, minResources: {cpu: '" + cpus + "'}}"));
    assertThat(group(SCHEDULER_PLUGINS, name))
        .as("written once")
        .extracting("metadata")
        .extracting("generation")
        .isEqualTo(1);
    Pod pod = scene.pod(name + "-master-0");
    assertThat(pod.getMetadata().getLabels()).containsEntry("scheduling.x-k8s.io/pod-group", name);
    assertThat(pod.getSpec().getSchedulerName()).isEqualTo("my-scheduler");
  }
}
