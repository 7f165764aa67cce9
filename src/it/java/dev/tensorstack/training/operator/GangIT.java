package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.NeedsKubernetes;
import dev.tensorstack.training.core.gang.PodGroupSchemas;
import dev.tensorstack.training.core.gang.PodGroups;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Gangs: the PodGroup around a job's pods, and the real scheduler with Kubernetes' own. */
@OperatorTest(value = "gang", nodes = 0)
class GangIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String NATIVE = "scheduling.k8s.io/v1alpha2";

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private final OperatorProcess operator;

  GangIT(ControlPlane controlPlane, KubernetesClient client, Jobs jobs, OperatorProcess operator) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.jobs = jobs;
    this.operator = operator;
    this.namespace = jobs.namespace();
    this.kubelet = nodes("gang", "1000");
  }

  @AfterAll
  void stop() {
    kubelet.close();
  }

  /** One node. */
  private FakeKubelet nodes(String pool, String cpus) {
    return FakeKubelet.start(
        client,
        FakeKubeletOptions.nodes(1)
            .resource("cpu", cpus)
            .namePrefix("gang-" + pool + "-" + cpus)
            .label("pool", pool));
  }

  /** Workers with one CPU each, on the nodes of a pool. */
  private static String job(String name, String scheduler, int workers, String pool) {
    return """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata: {name: %s}
        spec:
          scheduler: {%s}
          runPolicy: {restartScope: Replica}
          replicaSpecs:
          - type: worker
            replicas: %d
            restartPolicy: OnFailure
            template:
              spec:
                nodeSelector: {pool: %s}
                containers:
                - name: pytorch
                  image: registry.example/train:1
                  command: [python, train.py]
                  resources: {requests: {cpu: 1}}
        """
        .formatted(name, scheduler, workers, pool);
  }

  private @Nullable GenericKubernetesResource group(String apiVersion, String job) {
    ObjectKind kind =
        PodGroups.allKinds().stream()
            .filter(one -> one.apiVersion().equals(apiVersion))
            .findFirst()
            .orElseThrow();
    return client
        .genericKubernetesResources(
            new ResourceDefinitionContext.Builder()
                .withGroup(kind.group())
                .withVersion(kind.version())
                .withKind(kind.kind())
                .withPlural(kind.plural())
                .withNamespaced(true)
                .build())
        .inNamespace(namespace)
        .withName(jobs.base(job))
        .get();
  }

  private GenericKubernetesResource awaitGroup(String apiVersion, String job) {
    return Objects.requireNonNull(
        await("PodGroup of " + job)
            .atMost(PATIENCE)
            .until(() -> group(apiVersion, job), Objects::nonNull));
  }

  private void awaitNoGroup(String apiVersion, String job) {
    await("no PodGroup of " + job).atMost(PATIENCE).until(() -> group(apiVersion, job) == null);
  }

  private static Map<?, ?> spec(GenericKubernetesResource group) {
    return (Map<?, ?>) Objects.requireNonNull(group.getAdditionalProperties().get("spec"));
  }

  private static JobCondition running(PyTorchTrainingJobStatus status) {
    return Objects.requireNonNull(status.conditions()).stream()
        .filter(condition -> "Running".equals(condition.type()))
        .findFirst()
        .orElseThrow();
  }

  private PyTorchTrainingJob awaitWords(String job, String reason, String... words) {
    return jobs.await(
        job,
        reason + ": " + List.of(words),
        status ->
            status.conditions() != null
                && reason.equals(running(status).reason())
                && List.of(words).stream()
                    .allMatch(word -> String.valueOf(running(status).message()).contains(word)));
  }

  private void awaitBound(String job, int pods) {
    await(pods + " pods of " + job + " are placed")
        .atMost(PATIENCE)
        .until(
            () ->
                jobs.pods(job).stream().filter(pod -> pod.getSpec().getNodeName() != null).count(),
            bound -> bound == pods);
  }

  private List<String> writes(AuditLog log, String base) {
    return log.writes(namespace).stream()
        .filter(write -> write.name().startsWith(base) && write.code() < 300)
        .map(AuditLog.Write::what)
        .filter(what -> what.endsWith(" podgroups") || what.equals("create pods"))
        .toList();
  }

  private void install(String group) {
    controlPlane
        .kubectlWithInput(PodGroupSchemas.manifest(group), "apply", "--server-side", "-f", "-")
        .orThrow();
  }

  private void uninstall(String group) {
    controlPlane
        .kubectlWithInput(PodGroupSchemas.manifest(group), "delete", "--wait", "-f", "-")
        .orThrow();
  }

  /** All or nothing, with the scheduler and the PodGroups of Kubernetes itself. */
  @Test
  @NeedsKubernetes(value = 36, because = "PodGroups of Kubernetes")
  void aGangThatDoesNotFitStaysUnscheduledAsAWholeAndStartsTogetherWhenThereIsRoom() {
    AuditLog log = AuditLog.fromNowOn(controlPlane, "admin");
    try (FakeKubelet small = nodes("tight", "2")) {
      jobs.create(job("tight", "kubernetes: {}", 3, "tight"));
      jobs.awaitPods("tight", 3);
      GenericKubernetesResource group = awaitGroup(NATIVE, "tight");
      assertThat(spec(group).toString()).contains("gang={minCount=3}");
      PyTorchTrainingJob waiting = awaitWords("tight", "Unschedulable");
      assertThat(running(waiting.getStatus()).message()).containsAnyOf("cpu", "gang");
      assertThat(waiting.getStatus().phase()).isEqualTo("Pending");
      assertThat(Serialization.asJson(awaitGroup(NATIVE, "tight"))).contains("Unschedulable");
      assertThat(jobs.pods("tight"))
          .hasSize(3)
          .allSatisfy(pod -> assertThat(pod.getSpec().getNodeName()).isNull());
      // Two would fit: one by one, they would have been placed long ago.
      jobs.create(job("fits", "kubernetes: {}", 2, "tight"));
      awaitBound("fits", 2);
      assertThat(jobs.pods("tight"))
          .allSatisfy(pod -> assertThat(pod.getSpec().getNodeName()).isNull());

      try (FakeKubelet more = nodes("tight", "3")) {
        jobs.awaitPhase("tight", "Running");
        awaitBound("tight", 3);
        assertThat(jobs.get("tight").getStatus().backoffCount()).isZero();
        assertThat(jobs.get("tight").getStatus().disruptionCount()).isZero();
        // Before the node goes, and the pods on it.
        assertThat(writes(log, jobs.base("tight")))
            .as("the group comes first, and is written once")
            .containsExactly("patch podgroups", "create pods", "create pods", "create pods");
      }
      assertThat(small.nodeNames()).hasSize(1);
    }
  }

  /** The gang of an elastic job is its smallest size: it starts with what there is, and grows. */
  @Test
  @NeedsKubernetes(value = 36, because = "PodGroups of Kubernetes")
  void anElasticGangStartsWithWhatThereIsAndGrowsWhenThereIsRoom() {
    try (FakeKubelet small = nodes("narrow", "3")) {
      String elastic =
          job("stretches", "kubernetes: {}", 1, "narrow")
              .replace(
                  "  runPolicy: {restartScope: Replica}",
                  """
                    torchrunConfig: {enabled: true}
                    elastic: {enabled: true, minReplicas: 2, maxReplicas: 5, expectedReplicas: 4}\
                  """);
      jobs.create(elastic);
      jobs.awaitPods("stretches", 4);
      assertThat(spec(awaitGroup(NATIVE, "stretches")).toString()).contains("gang={minCount=2}");
      jobs.awaitPhase("stretches", "Running");
      awaitBound("stretches", 3);

      try (FakeKubelet more = nodes("narrow", "4")) {
        awaitBound("stretches", 4);
        jobs.patch("stretches", "{\"spec\":{\"elastic\":{\"expectedReplicas\":5}}}");
        awaitBound("stretches", 5);
        assertThat(jobs.get("stretches").getStatus().disruptionCount()).isZero();
        assertThat(more.nodeNames()).hasSize(1);
      }
      assertThat(small.nodeNames()).hasSize(1);
    }
  }

  /** The group goes with a pause, is another one after it, and goes at the end. */
  @Test
  @NeedsKubernetes(value = 36, because = "PodGroups of Kubernetes")
  void theGroupIsThereWhileTheJobGoesOn() {
    jobs.create(job("pauses", "kubernetes: {}", 2, "gang"));
    jobs.awaitPhase("pauses", "Running");
    String first = awaitGroup(NATIVE, "pauses").getMetadata().getUid();

    jobs.patch("pauses", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}");
    jobs.awaitPhase("pauses", "Paused");
    awaitNoGroup(NATIVE, "pauses");

    jobs.patch("pauses", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":false}}}}");
    jobs.awaitPhase("pauses", "Running");
    String second = awaitGroup(NATIVE, "pauses").getMetadata().getUid();
    assertThat(second).isNotEqualTo(first);

    // At once, the old group may still be being deleted when the new pods are due.
    jobs.patch("pauses", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}");
    jobs.await("pauses", "no longer Running", status -> !"Running".equals(status.phase()));
    jobs.patch("pauses", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":false}}}}");
    jobs.awaitPhase("pauses", "Running");
    awaitBound("pauses", 2);
    assertThat(awaitGroup(NATIVE, "pauses").getMetadata().getUid()).isNotIn(first, second);

    String master =
        jobs.pods("pauses").stream()
            .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
            .map(pod -> pod.getMetadata().getName())
            .filter(name -> name.contains("-worker-0"))
            .findFirst()
            .orElseThrow();
    kubelet.finish(namespace, master, 0);
    jobs.awaitPhase("pauses", "Succeeded");
    awaitNoGroup(NATIVE, "pauses");
  }

  /** Pods that have succeeded do not count for Kubernetes, and its group cannot be made smaller. */
  @Test
  @NeedsKubernetes(value = 36, because = "PodGroups of Kubernetes")
  void aReplacementIsPlacedAlthoughAPodOfItsGangHasSucceeded() {
    jobs.create(job("partly-done", "kubernetes: {}", 3, "gang"));
    jobs.awaitPhase("partly-done", "Running");
    String base = jobs.base("partly-done");
    kubelet.finish(namespace, base + "-worker-2", 0);
    jobs.await("partly-done", "one done", status -> status.aggregate().succeeded() == 1);
    kubelet.finish(namespace, base + "-worker-1", 1);

    await("the replacement runs")
        .atMost(PATIENCE)
        .until(
            () -> client.pods().inNamespace(namespace).withName(base + "-worker-1-r1").get(),
            pod -> pod != null && "Running".equals(pod.getStatus().getPhase()));
  }

  /** What each scheduler finds, and how its words reach the job. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "scheduler.tensorstack.dev | v1beta1 | t9kScheduler: {queue: q, priority: 7} | {minMember: 2, queue: q, priority: 7} | t9k-scheduler | {conditions: [{type: GroupScheduled, status: 'False', reason: NotEnough, message: no free GPU}]} | no free GPU",
        "scheduling.volcano.sh | v1beta1 | volcano: {priorityClassName: high} | {minMember: 2, queue: default, priorityClassName: high, minResources: {cpu: '2'}} | volcano | {phase: Pending, conditions: [{type: Unschedulable, status: 'True', reason: NotEnoughResources, message: 2/2 tasks in gang unschedulable}]} | 2/2 tasks in gang unschedulable",
        "scheduling.x-k8s.io | v1alpha1 | coscheduling: {scheduleTimeoutSeconds: 9} | {minMember: 2, minResources: {cpu: '2'}, scheduleTimeoutSeconds: 9} | scheduler-plugins-scheduler | {phase: Pending} | has not said why",
      })
  void eachSchedulerFindsItsGroup(
      String apiGroup,
      String version,
      String scheduler,
      String spec,
      String schedulerName,
      String status,
      String words) {
    install(apiGroup);
    try {
      String name = "for-" + schedulerName;
      AuditLog log = AuditLog.fromNowOn(controlPlane, "admin");
      jobs.create(job(name, scheduler, 2, "gang"));
      List<Pod> pods = jobs.awaitPods(name, 2);
      GenericKubernetesResource group = awaitGroup(apiGroup + "/" + version, name);
      assertThat(spec(group)).isEqualTo(Serialization.unmarshal("---\n" + spec, Map.class));
      assertThat(group.getMetadata().getOwnerReferences())
          .singleElement()
          .satisfies(
              owner -> assertThat(owner.getUid()).isEqualTo(jobs.get(name).getMetadata().getUid()));
      assertThat(pods)
          .allSatisfy(
              pod -> {
                assertThat(pod.getSpec().getSchedulerName()).isEqualTo(schedulerName);
                assertThat(
                        pod.getMetadata().getLabels().entrySet().stream()
                                .map(Objects::toString)
                                .collect(Collectors.joining("\n"))
                            + pod.getMetadata().getAnnotations())
                    .containsPattern("(group-name|pod-group)=" + jobs.base(name));
              });

      awaitWords(name, "WaitingForGang", "has not said why");
      assertThat(writes(log, jobs.base(name)))
          .as("the group comes first, and is written once")
          .containsExactly("patch podgroups", "create pods", "create pods");
      setStatus(apiGroup, name, status);
      awaitWords(name, "WaitingForGang", words);

      jobs.patch(name, "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}");
      jobs.awaitPhase(name, "Paused");
      awaitNoGroup(apiGroup + "/" + version, name);
    } finally {
      uninstall(apiGroup);
    }
  }

  private void setStatus(String apiGroup, String job, String status) {
    String json =
        Serialization.asJson(
            Map.of("status", Serialization.unmarshal("---\n" + status, Map.class)));
    List<String> command =
        new java.util.ArrayList<>(
            List.of(
                "patch", "podgroups." + apiGroup, jobs.base(job), "-n", namespace, "--type=merge"));
    command.addAll(List.of("-p", json));
    if (!apiGroup.equals("scheduling.volcano.sh")) {
      command.add("--subresource=status");
    }
    controlPlane.kubectl(command.toArray(String[]::new)).orThrow();
  }

  /** A kind that is missing stops this job only; it may come and go while the operator runs. */
  @Test
  void theKindOfAGroupMayComeAndGo() {
    String apiGroup = "scheduling.x-k8s.io";
    String apiVersion = apiGroup + "/v1alpha1";
    jobs.create(job("early", "coscheduling: {}", 2, "gang"));
    PyTorchTrainingJob waiting =
        awaitWords("early", "WaitingForGang", "podgroups." + apiGroup, "install");
    assertThat(waiting.getStatus().phase()).isEqualTo("Pending");
    assertThat(jobs.pods("early")).isEmpty();
    jobs.create(Jobs.simple("beside", 1, "Never"));
    jobs.awaitPhase("beside", "Running");

    install(apiGroup);
    List<Pod> pods = jobs.awaitPods("early", 2);
    awaitGroup(apiVersion, "early");

    uninstall(apiGroup);
    jobs.create(job("late", "coscheduling: {}", 1, "gang"));
    awaitWords("late", "WaitingForGang", "podgroups." + apiGroup);
    jobs.create(Jobs.simple("beside-later", 1, "Never"));
    jobs.awaitPhase("beside-later", "Running");
    assertThat(operator.isAlive()).isTrue();
    assertThat(jobs.pods("early"))
        .as("pods are left alone")
        .extracting(pod -> pod.getMetadata().getUid())
        .containsExactlyElementsOf(pods.stream().map(pod -> pod.getMetadata().getUid()).toList());

    install(apiGroup);
    awaitGroup(apiVersion, "early");
    awaitGroup(apiVersion, "late");
    jobs.awaitPods("late", 1);
    uninstall(apiGroup);
  }

  /** The cluster has no Kueue: its label changes nothing, and gates are somebody else's. */
  @Test
  void podsWithGatesWaitBehindThemAndTheLabelOfAQueueThatIsNotThereChangesNothing() {
    jobs.create(
        job("queued", "", 2, "gang")
            .replace("{name: queued}", "{name: queued, labels: {kueue.x-k8s.io/queue-name: team}}")
            .replace("scheduler: {}", "scheduler: null")
            .replace(
                "nodeSelector:",
                "schedulingGates: [{name: example.com/admission}]\n        nodeSelector:"));
    List<Pod> pods = jobs.awaitPods("queued", 2);
    assertThat(pods)
        .allSatisfy(
            pod -> assertThat(pod.getMetadata().toString()).doesNotContain("kueue.x-k8s.io"));
    awaitWords("queued", "WaitingForGang", "worker-0", "scheduling gates");
    assertThat(jobs.pods("queued"))
        .allSatisfy(pod -> assertThat(pod.getSpec().getNodeName()).isNull());

    pods.forEach(this::admit);
    jobs.awaitPhase("queued", "Running");

    kubelet.finish(namespace, jobs.base("queued") + "-worker-1", 1);
    Pod replacement =
        jobs.awaitPods("queued", 3).stream()
            .filter(pod -> pod.getMetadata().getName().endsWith("-worker-1-r1"))
            .findFirst()
            .orElseThrow();
    admit(replacement);
    jobs.awaitPhase("queued", "Running");
  }

  private void admit(Pod pod) {
    controlPlane
        .kubectl(
            "patch",
            "pod",
            pod.getMetadata().getName(),
            "-n",
            namespace,
            "--type=json",
            "-p",
            "[{\"op\": \"remove\", \"path\": \"/spec/schedulingGates\"}]")
        .orThrow();
  }
}
