package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What is restarted, when, and what it costs. The first delay is 2 s here, the longest 6 s. */
@OperatorTest(value = "restart", operator = false)
class RestartIT {

  /** A kubelet, a scheduler and this test share a machine. */
  private static final Duration LATE = Duration.ofSeconds(6);

  private static final Duration SLOW = Duration.ofSeconds(4);

  private final RestartScene scene;
  private final FakeKubelet slow;
  private final OperatorProcess operator;

  RestartIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet) {
    scene = new RestartScene(controlPlane, jobs, kubelet);
    slow =
        FakeKubelet.start(
            controlPlane.client(),
            FakeKubeletOptions.nodes(1)
                .namePrefix("slow")
                .label("pool", "slow")
                .deletion(SLOW, 143));
    operator = scene.operator(controlPlane.kubeconfig(), Map.of());
  }

  @AfterAll
  void stop() {
    operator.close();
    slow.close();
  }

  private void finish(String job, String replica, int exitCode) {
    scene.kubelet.finish(scene.namespace, scene.pod(job, replica), exitCode);
  }

  /** Fails a pod that the operator may be deleting because another one failed. */
  private void failUnlessGone(String job, String replica) {
    try {
      scene.report(
          scene.pod(job, replica),
          RestartScene.ended(Instant.now(), "\"exitCode\": 1, \"reason\": \"Error\""));
    } catch (KubernetesClientException gone) {
      assertThat(gone.getCode()).isIn(404, 409);
    }
  }

  private static Stream<String> policies() {
    return Stream.of(
        // policy, end of the pod, what becomes of it
        "Never 0 done",
        "Never 1 terminal",
        "Never 143 terminal",
        "Never deleted terminal",
        "OnFailure 0 done",
        "OnFailure 1 restart",
        "OnFailure deleted restart",
        "ExitCode 0 done",
        "ExitCode 1 terminal",
        "ExitCode 42 terminal",
        "ExitCode 130 restart",
        "ExitCode 137 restart",
        "ExitCode 138 restart",
        "ExitCode 143 restart",
        "ExitCode deleted restart",
        "ExitCode[42] 42 restart",
        "ExitCode[42] 143 terminal",
        "Always 1 restart",
        "Always deleted restart",
        "Always 0 again");
  }

  private static String name(String[] row) {
    return "p-" + (row[0] + "-" + row[1]).toLowerCase(Locale.ROOT).replaceAll("[\\[\\]]", "x");
  }

  @TestFactory
  Stream<DynamicTest> theRestartPolicyDecides() {
    List<String[]> rows = policies().map(row -> row.split(" ")).toList();
    for (String[] row : rows) {
      String codes = row[0].endsWith("[42]") ? ", retryableExitCodes: [42]" : "";
      scene.jobs.create(
          scene.job(
              name(row),
              "{restartScope: Replica, cleanUpPolicy: None" + codes + "}",
              "worker 2 " + row[0].replace("[42]", "")));
    }
    for (String[] row : rows) {
      scene.jobs.awaitPhase(name(row), "Running");
      if (row[1].equals("deleted")) {
        scene.delete(scene.pod(name(row), "worker-1"), null);
      } else {
        finish(name(row), "worker-1", Integer.parseInt(row[1]));
      }
    }
    return rows.stream()
        .map(row -> DynamicTest.dynamicTest(String.join(" ", row), () -> check(row)));
  }

  private void check(String[] row) {
    String job = name(row);
    boolean disruption = row[1].equals("deleted");
    switch (row[2]) {
      case "restart" -> {
        PyTorchTrainingJobStatus status = scene.awaitRestarted(job, 1);
        assertThat(status.backoffCount()).isEqualTo(disruption ? 0 : 1);
        assertThat(status.disruptionCount()).isEqualTo(disruption ? 1 : 0);
        assertThat(scene.replicas(job)).contains("worker-0", "worker-1-r1");
      }
      case "again" -> {
        PyTorchTrainingJobStatus status = scene.awaitRestarted(job, 1);
        assertThat(status.backoffCount() + status.disruptionCount()).isZero();
        assertThat(status.lastFailure()).isNull();
      }
      case "done" -> {
        PyTorchTrainingJobStatus status =
            scene
                .jobs
                .await(job, "a worker that is done", now -> now.aggregate().succeeded() == 1)
                .getStatus();
        assertThat(status.phase()).isEqualTo("Running");
        assertThat(scene.replicas(job)).containsExactly("worker-0", "worker-1");
      }
      default -> {
        PyTorchTrainingJobStatus status = scene.jobs.awaitPhase(job, "Failed").getStatus();
        assertThat(status.columns().reason()).isEqualTo("ReplicaFailed");
        assertThat(status.backoffCount() + status.disruptionCount()).isZero();
        assertThat(status.lastFailure().cause())
            .isEqualTo(disruption ? "Disruption" : "Application");
        assertThat(scene.replicas(job)).doesNotContain("worker-1-r1");
      }
    }
  }

  @Test
  void theBackoffLimitIsExact() {
    List<String> policies = List.of("OnFailure", "ExitCode");
    for (String policy : policies) {
      for (int limit = 0; limit <= 2; limit++) {
        String job = "limit-" + limit + "-" + policy.toLowerCase(Locale.ROOT);
        scene.kubelet.rule(
            pod -> pod.getMetadata().getName().startsWith(job + "-"),
            Behaviour.exitAfter(Duration.ofMillis(100), 137));
        scene.jobs.create(scene.job(job, "{backoffLimit: " + limit + "}", "worker 1 " + policy));
      }
    }
    // One below the limit, then well.
    scene.kubelet.rule(
        pod -> pod.getMetadata().getName().matches("below-[0-9a-f]{5}-worker-0(-r1)?"),
        Behaviour.exitAfter(Duration.ofMillis(100), 1));
    scene.kubelet.rule(
        pod -> pod.getMetadata().getName().matches("below-[0-9a-f]{5}-worker-0-r2"),
        Behaviour.succeedAfter(Duration.ofMillis(100)));
    scene.jobs.create(scene.job("below", "{backoffLimit: 3}", "worker 1 OnFailure"));

    for (String policy : policies) {
      for (int limit = 0; limit <= 2; limit++) {
        String job = "limit-" + limit + "-" + policy.toLowerCase(Locale.ROOT);
        PyTorchTrainingJobStatus status = scene.jobs.awaitPhase(job, "Failed").getStatus();
        assertThat(status.columns().reason()).as(job).isEqualTo("BackoffLimitExceeded");
        assertThat(status.backoffCount()).as(job).isEqualTo(limit);
        assertThat(status.tasks().get(0).restartCount()).as(job).isEqualTo(limit);
        assertThat(scene.replicas(job)).as(job).hasSize(limit + 1);
        assertThat(scene.events(job, "Failed")).hasSize(1);
        assertThat(scene.events(job, "Failed").get(0).getMessage())
            .contains(scene.pod(job, limit == 0 ? "worker-0" : "worker-0-r" + limit), "137")
            .contains("backoffLimit of " + limit);
      }
    }
    PyTorchTrainingJobStatus below = scene.jobs.awaitPhase("below", "Succeeded").getStatus();
    assertThat(below.backoffCount()).isEqualTo(2);
    assertThat(below.columns().restarts()).isEqualTo(2);
  }

  @Test
  void theBudgetIsOneForAllReplicas() {
    scene.jobs.create(
        scene.job(
            "budget",
            "{restartScope: Replica, backoffLimit: 2}",
            "master 1 OnFailure",
            "worker 2 OnFailure",
            "ps 1 ExitCode"));
    scene.jobs.awaitPhase("budget", "Running");
    finish("budget", "worker-1", 1);
    scene.awaitRestarted("budget", 1);
    finish("budget", "ps-0", 143);
    PyTorchTrainingJobStatus used = scene.awaitRestarted("budget", 2);
    assertThat(used.tasks()).extracting(task -> task.restartCount()).containsExactly(0, 1, 1);
    finish("budget", "worker-0", 1);
    PyTorchTrainingJobStatus status = scene.jobs.awaitPhase("budget", "Failed").getStatus();
    assertThat(status.columns().reason()).isEqualTo("BackoffLimitExceeded");
    assertThat(status.backoffCount()).isEqualTo(2);
    assertThat(status.tasks()).extracting(task -> task.restartCount()).containsExactly(0, 1, 1);
  }

  @Test
  void anElasticJobGoesOnAsLongAsMinReplicasRemain() {
    scene.jobs.create(
        scene
            .job("elastic", "{}", "master 1 Never", "worker 3 Never")
            .replace(
                "runPolicy:",
                "torchrunConfig: {enabled: true}\n"
                    + "  elastic: {enabled: true, minReplicas: 2, maxReplicas: 4}\n"
                    + "  runPolicy:")
            .replace("- type: master", "- type: master\n    scalingWeight: 0"));
    scene.jobs.await("elastic", "4 running", status -> status.aggregate().running() == 4);
    // Times are whole seconds; the later one is the last.
    Instant first = Instant.now();
    for (int worker = 2; worker >= 1; worker--) {
      int failed = 3 - worker;
      scene.report(
          scene.pod("elastic", "worker-" + worker),
          RestartScene.ended(first.plusSeconds(failed), "\"exitCode\": 1, \"reason\": \"Error\""));
      PyTorchTrainingJobStatus status =
          scene
              .jobs
              .await("elastic", failed + " failed", now -> now.aggregate().failed() == failed)
              .getStatus();
      assertThat(status.phase()).isEqualTo("Running");
      assertThat(status.lastFailure().replica()).isEqualTo("worker-" + worker);
      assertThat(status.columns().restarts()).isZero();
    }
    scene.report(
        scene.pod("elastic", "worker-0"),
        RestartScene.ended(first.plusSeconds(3), "\"exitCode\": 1, \"reason\": \"Error\""));
    PyTorchTrainingJobStatus status = scene.jobs.awaitPhase("elastic", "Failed").getStatus();
    assertThat(status.columns().reason()).isEqualTo("ReplicaFailed");
    assertThat(status.lastFailure().replica()).isEqualTo("worker-0");
  }

  @Test
  void delaysGrowAndCountFromTheEndOfTheContainer() {
    scene.kubelet.rule(
        pod -> pod.getMetadata().getName().startsWith("delays-"),
        Behaviour.exitAfter(Duration.ofMillis(100), 1));
    scene.jobs.create(scene.job("delays", "{backoffLimit: 4}", "worker 1 OnFailure"));
    scene.jobs.awaitPhase("delays", "Failed");
    List<Pod> pods = scene.jobs.pods("delays");
    List<Integer> delays = List.of(0, 2, 4, 6);
    for (int k = 0; k < delays.size(); k++) {
      Instant due = RestartScene.finishedAt(pods.get(k)).plusSeconds(delays.get(k));
      assertThat(RestartScene.createdAt(pods.get(k + 1)))
          .as("restart " + (k + 1))
          .isBetween(due, due.plus(LATE));
    }
  }

  @Test
  void disruptionsCostNothing() {
    scene.jobs.create(scene.job("free", "{backoffLimit: 0}", "worker 2 OnFailure"));
    for (String pod : List.of("worker-1", "worker-0-r1", "worker-1-r2")) {
      scene.awaitRunning(scene.pod("free", pod));
      scene.jobs.awaitPhase("free", "Running");
      scene.kubelet.evict(scene.namespace, scene.pod("free", pod));
    }
    PyTorchTrainingJobStatus status = scene.awaitRestarted("free", 3);
    assertThat(status.disruptionCount()).isEqualTo(3);
    assertThat(status.backoffCount()).isZero();
    assertThat(status.attempt()).isEqualTo(3);
  }

  @Test
  void aPodThatNodesRefuseAgainAndAgainWaits() {
    scene.kubelet.rule(
        pod -> pod.getMetadata().getName().startsWith("refused-"), Behaviour.stayPending());
    scene.jobs.create(scene.job("refused", "{}", "worker 1 OnFailure"));
    String refusal =
        "{\"phase\": \"Failed\", \"reason\": \"OutOfcpu\", \"message\": \"Pod was rejected: cpu\"}";
    List<Instant> refused = new ArrayList<>();
    for (String pod : List.of("worker-0", "worker-0-r1", "worker-0-r2", "worker-0-r3")) {
      String name = scene.pod("refused", pod);
      await(name)
          .atMost(Duration.ofSeconds(30))
          .until(() -> scene.get(name) != null && scene.get(name).getSpec().getNodeName() != null);
      refused.add(Instant.now());
      scene.report(name, refusal);
    }
    String fifth = scene.pod("refused", "worker-0-r4");
    await(fifth).atMost(Duration.ofSeconds(30)).until(() -> scene.get(fifth) != null);
    // Whole seconds are stored.
    assertThat(RestartScene.createdAt(scene.get(fifth)))
        .as("after the third within five minutes a replacement waits")
        .isAfterOrEqualTo(
            refused.get(3).truncatedTo(java.time.temporal.ChronoUnit.SECONDS).plusSeconds(1));
    assertThat(scene.jobs.get("refused").getStatus().disruptionCount()).isEqualTo(4);
  }

  @Test
  void aNewAttemptBeginsWhenAllOldPodsHaveEnded() {
    scene.jobs.create(
        scene
            .job("attempt", "{}", "worker 2 OnFailure", "slow 1 OnFailure slow")
            .replace("runPolicy:", "torchrunConfig: {enabled: true}\n  runPolicy:"));
    scene.jobs.awaitPhase("attempt", "Running");
    finish("attempt", "worker-1", 1);
    PyTorchTrainingJobStatus during =
        scene
            .jobs
            .await("attempt", "Restarting", now -> now.columns().reason().equals("Restarting"))
            .getStatus();
    assertThat(during.phase()).isEqualTo("Pending");
    assertThat(during.attempt()).isEqualTo(1);
    assertThat(during.aggregate().running()).isZero();
    assertThat(replicaFailure(during)).isEqualTo("True Restarting");
    PyTorchTrainingJobStatus status = scene.awaitRestarted("attempt", 1);

    List<Pod> pods = scene.jobs.pods("attempt");
    Pod held =
        pods.stream()
            .filter(pod -> pod.getMetadata().getName().endsWith("slow-0"))
            .findFirst()
            .orElse(null);
    assertThat(held).as("it was deleted").isNull();
    Instant failed = Instant.parse(status.lastFailure().time());
    assertThat(pods)
        .filteredOn(pod -> pod.getMetadata().getName().endsWith("-r1"))
        .hasSize(3)
        .allSatisfy(
            pod -> {
              assertThat(RestartScene.createdAt(pod))
                  .isAfterOrEqualTo(failed.plus(SLOW).minusSeconds(1));
              assertThat(pod.getMetadata().getLabels())
                  .containsEntry("batch.tensorstack.dev/attempt", "1");
              assertThat(
                      pod.getSpec().getContainers().get(0).getArgs() == null
                          ? pod.getSpec().getContainers().get(0).getCommand()
                          : Stream.concat(
                                  pod.getSpec().getContainers().get(0).getCommand().stream(),
                                  pod.getSpec().getContainers().get(0).getArgs().stream())
                              .toList())
                  .contains("--rdzv_id=" + scene.jobs.get("attempt").getMetadata().getUid() + "-1");
            });
    // worker-1 ended by itself and keeps its name and its log.
    assertThat(scene.replicas("attempt"))
        .contains("worker-1", "worker-0-r1", "worker-1-r1", "slow-0-r1");
    assertThat(status.attempt()).isEqualTo(1);
    assertThat(status.backoffCount()).isEqualTo(1);
    assertThat(status.columns().reason()).isEqualTo("-");
    assertThat(replicaFailure(status)).isEqualTo("False -");
    assertThat(status.tasks()).extracting(task -> task.restartCount()).containsExactly(1, 0);
  }

  private static String replicaFailure(PyTorchTrainingJobStatus status) {
    return Objects.requireNonNull(status.conditions()).stream()
        .filter(condition -> "ReplicaFailure".equals(condition.type()))
        .map(condition -> condition.status() + " " + condition.reason())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theSameReasonAgainIsCountedAndShowsTheNewestMessage() {
    scene.jobs.create(
        scene.job(
            "again",
            "{restartScope: Replica, backoffLimit: 9}",
            "master 1 OnFailure",
            "worker 1 OnFailure"));
    for (int i = 0; i < 3; i++) {
      String replica = i == 0 ? "worker-0" : "worker-0-r" + i;
      scene.jobs.awaitPhase("again", "Running");
      scene.awaitRunning(scene.pod("again", replica));
      finish("again", replica, 1);
      scene.awaitRestarted("again", i + 1);
    }
    await("the third failure")
        .untilAsserted(
            () ->
                assertThat(scene.events("again", "ReplicaFailed"))
                    .singleElement()
                    .satisfies(
                        event -> {
                          assertThat(event.getCount()).isEqualTo(3);
                          assertThat(event.getMessage())
                              .contains(scene.pod("again", "worker-0-r2"));
                        }));
  }

  @Test
  void aCascadeIsOneRestartInScopeJobAndOneEventForEachReason() {
    scene.jobs.create(scene.job("cascade", "{}", "worker 20 OnFailure"));
    scene.jobs.awaitPhase("cascade", "Running");
    IntStream.range(0, 20).parallel().forEach(i -> failUnlessGone("cascade", "worker-" + i));
    PyTorchTrainingJobStatus status = scene.awaitRestarted("cascade", 1);
    assertThat(status.backoffCount()).isEqualTo(1);
    assertThat(status.attempt()).isEqualTo(1);
    assertOneEventForEachReason("cascade");
  }

  @Test
  void twentyFailuresAtOnceAreTwentyRestartsInScopeReplicaAndOneEventForEachReason() {
    scene.jobs.create(
        scene.job(
            "twenty",
            "{restartScope: Replica, backoffLimit: 100}",
            "master 1 OnFailure",
            "worker 20 OnFailure"));
    scene.jobs.awaitPhase("twenty", "Running");
    IntStream.range(0, 20).parallel().forEach(i -> finish("twenty", "worker-" + i, 1));
    PyTorchTrainingJobStatus status = scene.awaitRestarted("twenty", 20);
    assertThat(status.backoffCount()).isEqualTo(20);
    assertThat(status.attempt()).isZero();
    assertOneEventForEachReason("twenty");
    // The last event is not lost.
    scene.kubelet.finish(scene.namespace, scene.pod("twenty", "master-0"), 0);
    scene.jobs.awaitPhase("twenty", "Succeeded");
    assertThat(scene.events("twenty", "Succeeded")).hasSize(1);
  }

  private void assertOneEventForEachReason(String job) {
    assertThat(scene.jobs.events(job))
        .extracting(
            (Event event) -> {
              String name = event.getMetadata().getName();
              return event.getReason() + name.substring(name.lastIndexOf('.'));
            })
        .doesNotHaveDuplicates()
        .hasSizeLessThanOrEqualTo(8);
    assertThat(scene.events(job, "ReplicaFailed")).hasSize(1);
  }

  @Test
  void alwaysStartsADoneWorkerAgainAloneAndForNothing() {
    scene.jobs.create(scene.job("always", "{backoffLimit: 0}", "worker 3 Always"));
    scene.jobs.awaitPhase("always", "Running");
    finish("always", "worker-2", 0);
    scene.awaitRestarted("always", 1);
    finish("always", "worker-2-r1", 0);
    PyTorchTrainingJobStatus status = scene.awaitRestarted("always", 2);
    assertThat(status.attempt()).isZero();
    assertThat(status.backoffCount()).isZero();
    assertThat(scene.replicas("always"))
        .containsExactly("worker-0", "worker-1", "worker-2", "worker-2-r1", "worker-2-r2");
    Instant due =
        RestartScene.finishedAt(scene.get(scene.pod("always", "worker-2-r1"))).plusSeconds(2);
    assertThat(RestartScene.createdAt(scene.get(scene.pod("always", "worker-2-r2"))))
        .isBetween(due, due.plus(LATE));
    finish("always", "worker-0", 0);
    scene.jobs.awaitPhase("always", "Succeeded");
  }

  @Test
  void theMastersFailureStartsANewAttemptInScopeReplicaToo() {
    scene.jobs.create(scene.job("master", "{restartScope: Replica}", "worker 3 OnFailure"));
    scene.jobs.awaitPhase("master", "Running");
    finish("master", "worker-2", 1);
    PyTorchTrainingJobStatus alone = scene.awaitRestarted("master", 1);
    assertThat(alone.attempt()).isZero();
    scene.delete(scene.pod("master", "worker-0"), 0L);
    PyTorchTrainingJobStatus status = scene.awaitRestarted("master", 2);
    assertThat(status.attempt()).isEqualTo(1);
    assertThat(status.backoffCount()).isEqualTo(1);
    assertThat(status.disruptionCount()).isEqualTo(1);
    assertThat(scene.replicas("master"))
        .contains("worker-0-r1", "worker-1-r1", "worker-2-r2", "worker-2");
    assertThat(Objects.requireNonNull(status.tasks()).get(0).restartCount()).isEqualTo(2);
  }

  @Test
  void theTenLatestOfTheReplacedPodsAreKept() {
    scene.jobs.create(
        scene.job("kept", "{restartScope: Replica}", "master 1 OnFailure", "worker 6 OnFailure"));
    scene.jobs.awaitPhase("kept", "Running");
    // Disruptions, so that no delay is waited for.
    for (String suffix : List.of("", "-r1")) {
      IntStream.range(0, 6)
          .parallel()
          .forEach(
              i -> scene.kubelet.evict(scene.namespace, scene.pod("kept", "worker-" + i + suffix)));
      scene.awaitRestarted("kept", suffix.isEmpty() ? 6 : 12);
    }
    List<Pod> pods = scene.jobs.awaitPods("kept", 17);
    List<String> ended =
        pods.stream()
            .filter(pod -> "Failed".equals(pod.getStatus().getPhase()))
            .map(pod -> pod.getMetadata().getName())
            .toList();
    assertThat(ended).hasSize(10);
    assertThat(ended).filteredOn(name -> name.endsWith("-r1")).hasSize(6);
    assertThat(scene.replicas("kept")).filteredOn(name -> name.endsWith("-r2")).hasSize(6);
  }
}
