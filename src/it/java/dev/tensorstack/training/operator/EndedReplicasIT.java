package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RecentDisruption;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TaskStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What has ended stays ended, and what a failure leaves behind. */
@OperatorTest(value = "ended", operator = false)
class EndedReplicasIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private OperatorProcess operator;

  EndedReplicasIT(
      ControlPlane controlPlane, KubernetesClient client, Jobs jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.jobs = jobs;
    this.kubelet = kubelet;
    this.namespace = jobs.namespace();
    operator = start();
  }

  private OperatorProcess start() {
    return OperatorProcess.start(
        controlPlane.kubeconfig(),
        Map.of("OPERATOR_WATCH_NAMESPACES", namespace, "OPERATOR_RESTART_DELAY_BASE", "1s"));
  }

  @AfterAll
  void stop() {
    operator.close();
  }

  private String pod(String job, int index) {
    return jobs.base(job) + "-worker-" + index;
  }

  private void remove(String pod) {
    controlPlane
        .kubectl("delete", "pod", pod, "-n", namespace, "--grace-period=0", "--force", "--wait")
        .orThrow();
  }

  private static String with(String manifest, String line) {
    return manifest.replace("spec:\n  replicaSpecs", "spec:\n  " + line + "\n  replicaSpecs");
  }

  /** A look after which a mistake would show: another pod of the job does something. */
  private void assertUntouched(String job) {
    controlPlane.kubectl("annotate", "pj", job, "-n", namespace, "look=again").orThrow();
    await("nothing happens")
        .during(Duration.ofSeconds(3))
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              PyTorchTrainingJobStatus status = jobs.get(job).getStatus();
              assertThat(status.disruptionCount()).isZero();
              assertThat(status.attempt()).isZero();
              assertThat(status.completionTime()).isNull();
            });
  }

  @ParameterizedTest(name = "{0} {1}, operator {2}")
  @CsvSource({
    "Never,     Job,     runs",
    "OnFailure, Job,     runs",
    "ExitCode,  Replica, runs",
    "Never,     Replica, runs",
    "OnFailure, Replica, away",
  })
  void aDoneWorkerStaysDoneWhenItsPodIsRemoved(String policy, String scope, String state) {
    String name = "done-" + (policy + "-" + scope).toLowerCase(java.util.Locale.ROOT);
    jobs.create(with(Jobs.simple(name, 3, policy), "runPolicy: {restartScope: " + scope + "}"));
    jobs.awaitPhase(name, "Running");
    kubelet.finish(namespace, pod(name, 1), 0);
    jobs.await(name, "a worker that is done", status -> status.aggregate().succeeded() == 1);
    if (state.equals("away")) {
      operator.kill();
    }
    remove(pod(name, 1));
    if (state.equals("away")) {
      operator.close();
      operator = start();
    }
    assertUntouched(name);
    assertThat(jobs.get(name).getStatus().phase()).isEqualTo("Running");
    assertThat(jobs.get(name).getStatus().aggregate().succeeded()).isEqualTo(1);

    kubelet.finish(namespace, pod(name, 0), 0);
    jobs.awaitPhase(name, "Succeeded");
  }

  @Test
  void aToleratedFailureStaysOneWhenItsPodIsRemoved() {
    jobs.create(
        with(
            Jobs.simple("tolerated", 3, "ExitCode"),
            "torchrunConfig: {enabled: true}\n"
                + "  elastic: {enabled: true, minReplicas: 1, maxReplicas: 3}"));
    jobs.awaitPhase("tolerated", "Running");
    kubelet.finish(namespace, pod("tolerated", 2), 42);
    var failure =
        jobs.await("tolerated", "the failure", status -> status.lastFailure() != null)
            .getStatus()
            .lastFailure();
    remove(pod("tolerated", 2));
    assertUntouched("tolerated");
    PyTorchTrainingJobStatus status = jobs.get("tolerated").getStatus();
    assertThat(status.lastFailure()).isEqualTo(failure);
    assertThat(status.aggregate().failed()).isEqualTo(1);
  }

  /** Kubelets write the phase up to seconds after the ends of the containers. */
  @ParameterizedTest(name = "deleted {0}")
  @CsvSource({"false", "true"})
  void aMasterWhoseContainersEndedWellHasSucceededBeforeItsPhaseSaysSo(boolean deleted) {
    String name = "ended-" + deleted;
    jobs.create(Jobs.simple(name, 2, "OnFailure"));
    jobs.awaitPhase(name, "Running");
    var master = client.pods().inNamespace(namespace).withName(pod(name, 0));
    master.editStatus(
        pod ->
            new PodBuilder(pod)
                .editStatus()
                .editFirstContainerStatus()
                .withNewState()
                .withNewTerminated()
                .withExitCode(0)
                .withReason("Completed")
                .withFinishedAt(Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
                .endTerminated()
                .endState()
                .endContainerStatus()
                .endStatus()
                .build());
    if (deleted) {
      master.delete();
    }
    PyTorchTrainingJobStatus status = jobs.awaitPhase(name, "Succeeded").getStatus();
    assertThat(status.attempt()).isZero();
    assertThat(status.disruptionCount()).isZero();
  }

  /**
   * What drains a node takes ended pods away as well, and most of it marks them first: eviction,
   * taints and the scheduler in a request before the one that deletes the pod. Pod garbage
   * collection removes what was on a node that is no more.
   */
  @ParameterizedTest(name = "{0} {1} {2}, {3}")
  @CsvSource({
    "tolerated, ExitCode,  42, eviction",
    "tolerated, ExitCode,  42, mark",
    "tolerated, ExitCode,  42, taint",
    "tolerated, ExitCode,  42, node",
    "done,      ExitCode,   0, eviction",
    "done,      ExitCode,   0, mark",
    "done,      ExitCode,   0, taint",
    "spent,     OnFailure,  1, eviction",
    "spent,     OnFailure,  1, mark",
    "spent,     OnFailure,  1, taint",
  })
  void whatTakesAwayAnEndedPodStartsNothingAgain(
      String kind, String policy, int exitCode, String way) {
    String name = kind + "-" + way;
    String pool = "pool-" + name;
    FakeKubeletOptions node = FakeKubeletOptions.nodes(1).namePrefix(pool).label("pool", pool);
    try (FakeKubelet lone = FakeKubelet.start(client, node)) {
      jobs.create(elasticWithALoneReplica(name, policy, pool));
      jobs.awaitPhase(name, "Running");
      String pod = jobs.base(name) + "-lone-0";
      lone.finish(namespace, pod, exitCode);
      PyTorchTrainingJobStatus before =
          jobs.await(
                  name,
                  "the end",
                  status ->
                      exitCode == 0
                          ? status.aggregate().succeeded() == 1
                          : status.aggregate().failed() == 1 && status.lastFailure() != null)
              .getStatus();

      takeAway(pod, way, lone.nodeNames().iterator().next(), name);
      await(pod + " is gone")
          .atMost(Duration.ofSeconds(180))
          .until(() -> client.pods().inNamespace(namespace).withName(pod).get() == null);
      assertUntouched(name);

      PyTorchTrainingJobStatus status = jobs.get(name).getStatus();
      assertThat(status.lastFailure()).isEqualTo(before.lastFailure());
      assertThat(status.backoffCount()).isZero();
      assertThat(status.aggregate().succeeded()).isEqualTo(exitCode == 0 ? 1 : 0);
      assertThat(status.aggregate().failed()).isEqualTo(exitCode == 0 ? 0 : 1);
      assertThat(jobs.pods(name)).noneMatch(one -> one.getMetadata().getName().endsWith("-r1"));
      client.resource(jobs.get(name)).delete();
    }
  }

  private void takeAway(String pod, String way, String node, String job) {
    switch (way) {
      case "eviction" -> client.pods().inNamespace(namespace).withName(pod).evict();
      case "taint" ->
          controlPlane.kubectl("taint", "node", node, "drained=true:NoExecute").orThrow();
      case "node" -> controlPlane.kubectl("delete", "node", node).orThrow();
      default -> {
        String mark =
            """
            {"status": {"conditions": [{"type": "DisruptionTarget", "status": "True",
            "reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting",
            "lastTransitionTime": "%s"}]}}
            """
                .formatted(Instant.now().truncatedTo(ChronoUnit.SECONDS));
        controlPlane
            .kubectl("patch", "pod", pod, "-n", namespace, "--subresource=status", "-p", mark)
            .orThrow();
        assertUntouched(job);
        remove(pod);
      }
    }
  }

  /** One replica has a node for itself, so that the node can go without the others. */
  private String elasticWithALoneReplica(String name, String policy, String pool) {
    StringBuilder yaml =
        new StringBuilder(
            """
            apiVersion: batch.tensorstack.dev/v1beta1
            kind: PyTorchTrainingJob
            metadata: {name: %s}
            spec:
              torchrunConfig: {enabled: true}
              elastic: {enabled: true, minReplicas: 2, maxReplicas: 3}
              runPolicy: {backoffLimit: 0, restartScope: Replica}
              replicaSpecs:
            """
                .formatted(name));
    for (String type : List.of("worker 2 1 " + namespace, "lone 1 0 " + pool)) {
      String[] words = type.split(" ");
      yaml.append(
          """
            - type: %s
              replicas: %s
              scalingWeight: %s
              restartPolicy: %s
              template:
                spec:
                  nodeSelector: {pool: %s}
                  containers:
                  - {name: pytorch, image: "registry.example/train:1", command: [python, train.py]}
          """
              .formatted(words[0], words[1], words[2], policy, words[3]));
    }
    return yaml.toString();
  }

  /**
   * What no status has recorded is lost with the pod, so the burst of progress does not delay it.
   */
  @Test
  void anEndIsRecordedSoonThoughTheJobHasToldOfMuchProgress() {
    jobs.create(Jobs.simple("soon", 7, "Never"));
    jobs.awaitPhase("soon", "Running");
    for (int done = 1; done <= 4; done++) {
      int expected = done;
      kubelet.finish(namespace, pod("soon", done), 0);
      await("the end of worker-" + done)
          .atMost(done < 4 ? PATIENCE : Duration.ofSeconds(6))
          .until(() -> jobs.get("soon").getStatus().aggregate().succeeded() == expected);
    }
    kubelet.finish(namespace, pod("soon", 5), 0);
    client.pods().inNamespace(namespace).withName(pod("soon", 5)).delete();
    await("the end of worker-5, whose pod is gone")
        .atMost(Duration.ofSeconds(6))
        .until(() -> jobs.get("soon").getStatus().aggregate().succeeded() == 5);
  }

  @Test
  void afterASuccessTheOthersEndByThemselvesAndKeepTheirLogs() {
    jobs.create(Jobs.simple("whole-logs", 2, "Never"));
    jobs.awaitPhase("whole-logs", "Running");
    kubelet.finish(namespace, pod("whole-logs", 0), 0);
    jobs.awaitPhase("whole-logs", "Succeeded");
    kubelet.finish(namespace, pod("whole-logs", 1), 0);
    await("both pods stay")
        .during(Duration.ofSeconds(7))
        .atMost(PATIENCE)
        .until(() -> jobs.pods("whole-logs").size() == 2);
  }

  @Test
  void withTorchrunTheDecisionOnAFailureWaitsForTheOthersAndNoLongerThanTheGrace() {
    jobs.create(with(Jobs.simple("grace", 3, "OnFailure"), "torchrunConfig: {enabled: true}"));
    jobs.awaitPhase("grace", "Running");
    kubelet.finish(namespace, pod("grace", 1), 1);
    PyTorchTrainingJobStatus waiting =
        jobs.await(
                "grace",
                "what is waited for",
                status ->
                    status.conditions().stream()
                        .anyMatch(
                            one ->
                                one.type().equals("ReplicaFailure") && one.status().equals("True")))
            .getStatus();
    assertThat(waiting.attempt()).isZero();
    assertThat(jobs.pods("grace"))
        .allMatch(one -> one.getMetadata().getDeletionTimestamp() == null);

    PyTorchTrainingJobStatus decided =
        jobs.await("grace", "the next attempt", status -> status.attempt() == 1).getStatus();
    assertThat(decided.backoffCount()).isEqualTo(1);
    assertThat(Objects.requireNonNull(decided.lastFailure()).replica()).isEqualTo("worker-1");
  }

  @Test
  void aPodThatIsDeletedEachTimeItAppearsIsNotCreatedInATightLoop() {
    jobs.create(Jobs.simple("spin", 1, "OnFailure"));
    await("ten seconds of deletions")
        .pollInterval(Duration.ofMillis(100))
        .atMost(PATIENCE)
        .until(
            () -> {
              // One that no status lists is another matter, see below: on a slow machine it might
              // be each of them.
              var status = jobs.get("spin").getStatus();
              jobs.pods("spin").stream()
                  .filter(pod -> lists(status, pod))
                  .forEach(pod -> client.resource(pod).withGracePeriod(0).delete());
              return status != null
                  && status.disruptionCount() != null
                  && status.disruptionCount() >= 5;
            });
    PyTorchTrainingJobStatus status = jobs.get("spin").getStatus();
    assertThat(Objects.requireNonNull(status.recentDisruptions())).hasSizeBetween(5, 6);
    assertThat(status.backoffCount()).isZero();
    // After three in five minutes: the fourth waits for one second, the fifth for two, and so on.
    Pod next =
        await("the pod after the last disruption")
            .atMost(PATIENCE)
            .until(
                () -> jobs.pods("spin"),
                pods ->
                    pods.size() == 1 && pods.get(0).getMetadata().getDeletionTimestamp() == null)
            .get(0);
    List<RecentDisruption> all =
        Objects.requireNonNull(jobs.get("spin").getStatus().recentDisruptions());
    Instant disrupted = Instant.parse(Objects.requireNonNull(all.get(all.size() - 1).time()));
    assertThat(Instant.parse(next.getMetadata().getCreationTimestamp()))
        .as("%s", all)
        .isAfterOrEqualTo(disrupted.plusSeconds(1L << (all.size() - 4)));
  }

  private static boolean lists(@Nullable PyTorchTrainingJobStatus status, Pod pod) {
    return status != null
        && Objects.requireNonNullElse(status.tasks(), List.<TaskStatus>of()).stream()
            .flatMap(task -> Objects.requireNonNull(task.replicas()).stream())
            .anyMatch(replica -> pod.getMetadata().getUid().equals(replica.uid()));
  }

  /** No status lists it in time, so that nothing is counted, and it keeps its name. */
  @Test
  void aPodThatIsGoneBeforeAnyStatusListsItIsNotCreatedInATightLoopEither() {
    List<Instant> created = new CopyOnWriteArrayList<>();
    Watcher<Pod> deletes =
        new Watcher<>() {
          @Override
          public void eventReceived(Action action, Pod pod) {
            if (action == Action.ADDED) {
              created.add(Instant.now());
              client.resource(pod).withGracePeriod(0).delete();
            }
          }

          @Override
          public void onClose(WatcherException cause) {}
        };
    try (Watch watch =
        client
            .pods()
            .inNamespace(namespace)
            .withLabel("tensorstack.dev/owner-name", "gone-at-once")
            .watch(deletes)) {
      jobs.create(
          Jobs.simple("gone-at-once", 1, "OnFailure")
              .replace(
                  "      spec:\n",
                  "      spec:\n        nodeSelector: {there-is: no-such-node}\n"));
      await("a pause between two creations")
          .atMost(PATIENCE)
          .until(() -> longestPause(created).compareTo(Duration.ofSeconds(3)) > 0);
    }
    assertThat(created).hasSizeLessThan(20);
    assertThat(jobs.get("gone-at-once").getStatus().backoffCount()).isZero();
  }

  private static Duration longestPause(List<Instant> moments) {
    Duration longest = Duration.ZERO;
    for (int i = 1; i < moments.size(); i++) {
      Duration pause = Duration.between(moments.get(i - 1), moments.get(i));
      longest = pause.compareTo(longest) > 0 ? pause : longest;
    }
    return longest;
  }
}
