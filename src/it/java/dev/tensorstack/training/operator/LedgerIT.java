package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.apiproxy.Verdict;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Counts of restarts are exact whatever the operator misses. */
@OperatorTest(value = "ledger", proxy = true, operator = false)
class LedgerIT {

  private static final String ERROR = "\"exitCode\": 1, \"reason\": \"Error\"";

  private final RestartScene scene;
  private final ApiProxy proxy;
  private OperatorProcess operator;

  LedgerIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet, ApiProxy proxy) {
    scene = new RestartScene(controlPlane, jobs, kubelet);
    this.proxy = proxy;
    operator = scene.operator(proxy.kubeconfig(), Map.of());
  }

  @AfterAll
  void stop() {
    operator.close();
  }

  private void createRunning(String... names) {
    for (String name : names) {
      scene.jobs.create(scene.job(name, "{}", "worker 3 OnFailure"));
    }
    for (String name : names) {
      scene.jobs.awaitPhase(name, "Running");
    }
  }

  private PyTorchTrainingJobStatus awaitCounts(String job, int backoff, int disruptions) {
    PyTorchTrainingJobStatus status = scene.awaitRestarted(job, backoff + disruptions);
    assertThat(status.backoffCount()).as(job).isEqualTo(backoff);
    assertThat(status.disruptionCount()).as(job).isEqualTo(disruptions);
    assertThat(status.attempt()).as(job).isEqualTo(backoff + disruptions);
    return status;
  }

  @Test
  void aPodThatFailsAndIsDeletedWhileNothingIsSeenCountsOnce() {
    createRunning("unseen-gone", "unseen-failed");
    try (ApiProxy.Hook blind = blind()) {
      scene.kubelet.finish(scene.namespace, scene.pod("unseen-gone", "worker-1"), 1);
      scene.delete(scene.pod("unseen-gone", "worker-1"), 0L);
      scene.kubelet.finish(scene.namespace, scene.pod("unseen-failed", "worker-1"), 1);
      // It looks at the jobs meanwhile.
      scene.kubectl("annotate", "pj", "unseen-gone", "unseen-failed", "look=again");
      await("blind")
          .during(Duration.ofSeconds(1))
          .atMost(Duration.ofSeconds(10))
          .until(() -> scene.jobs.get("unseen-failed").getStatus().lastFailure() == null);
    }
    // The watch may still tell how the first one ended, or only that it is gone.
    PyTorchTrainingJobStatus gone = scene.awaitRestarted("unseen-gone", 1);
    assertThat(gone.backoffCount() + gone.disruptionCount()).isEqualTo(1);
    assertThat(gone.attempt()).isEqualTo(1);
    awaitCounts("unseen-failed", 1, 0);
  }

  @Test
  void podsThatTheWatchDoesNotShowYetAreNotCreatedAgain() {
    int before = createdPods();
    try (ApiProxy.Hook blind = blind()) {
      scene.jobs.create(scene.job("late", "{}", "worker 3 OnFailure"));
      scene.jobs.awaitPods("late", 3);
      for (int look = 0; look < 3; look++) {
        scene.kubectl("annotate", "--overwrite", "pj", "late", "look=" + look);
      }
      await("nothing is sent again")
          .during(Duration.ofSeconds(1))
          .atMost(Duration.ofSeconds(10))
          .until(() -> createdPods() == before + 3);
    }
    PyTorchTrainingJobStatus status = scene.jobs.awaitPhase("late", "Running").getStatus();
    assertThat(status.columns().restarts()).isZero();
    assertThat(createdPods()).isEqualTo(before + 3);
  }

  private int createdPods() {
    return proxy.requests(request -> request.is("create", "pods")).size();
  }

  /** No news of pods until it is closed. A watch that was just being opened is cut as well. */
  private ApiProxy.Hook blind() {
    AtomicInteger dropped = new AtomicInteger();
    ApiProxy.Hook hook =
        proxy.beforeForwarding(
            request -> {
              if (request.is("watch", "pods") || request.is("list", "pods")) {
                dropped.incrementAndGet();
                return Verdict.drop();
              }
              return Verdict.pass();
            });
    proxy.cutConnections();
    await("the watch of pods is refused")
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofSeconds(2))
        .until(
            () -> {
              if (dropped.get() == 0) {
                proxy.cutConnections();
              }
              return dropped.get() > 0;
            });
    return hook;
  }

  @Test
  void whatHappensWhileTheOperatorIsDownCountsOnce() {
    createRunning("down-deleted", "down-failed", "down-master", "down-second");
    operator.kill();
    scene.delete(scene.pod("down-deleted", "worker-2"), 0L);
    scene.delete(scene.pod("down-master", "worker-0"), 0L);
    Instant now = Instant.now();
    scene.report(scene.pod("down-failed", "worker-1"), RestartScene.ended(now, ERROR));
    scene.report(
        scene.pod("down-failed", "worker-2"),
        RestartScene.ended(now.minusSeconds(3), ERROR.replace("1", "7")));
    scene.report(scene.pod("down-failed", "worker-0"), RestartScene.ended(now, ERROR));
    // In the same second, the cluster's doing is taken for the cause.
    scene.report(scene.pod("down-second", "worker-0"), RestartScene.ended(now, ERROR));
    scene.report(
        scene.pod("down-second", "worker-2"),
        RestartScene.ended(now, "\"exitCode\": 137, \"reason\": \"Error\"")
            .replaceFirst("\"phase\"", "\"reason\": \"Evicted\", \"phase\""));
    operator = scene.operator(proxy.kubeconfig(), Map.of());

    awaitCounts("down-deleted", 0, 1);
    awaitCounts("down-master", 0, 1);
    PyTorchTrainingJobStatus failed = awaitCounts("down-failed", 1, 0);
    assertThat(Objects.requireNonNull(failed.lastFailure()).replica()).isEqualTo("worker-2");
    assertThat(failed.lastFailure().exitCode()).isEqualTo(7);
    assertThat(awaitCounts("down-second", 0, 1).lastFailure().replica()).isEqualTo("worker-2");
  }

  /** As when a leader does not know yet that it is none any more. */
  @Test
  void twoOperatorsAtOnceCountOnce() {
    createRunning("two-failed", "two-deleted");
    scene.jobs.create(
        scene.job(
            "two-alone", "{restartScope: Replica}", "master 1 OnFailure", "worker 3 OnFailure"));
    scene.jobs.awaitPhase("two-alone", "Running");
    try (OperatorProcess second = scene.operator(scene.controlPlane.kubeconfig(), Map.of())) {
      scene.kubelet.finish(scene.namespace, scene.pod("two-failed", "worker-1"), 1);
      scene.delete(scene.pod("two-deleted", "worker-2"), 0L);
      for (int i = 0; i < 3; i++) {
        scene.kubelet.evict(scene.namespace, scene.pod("two-alone", "worker-" + i));
      }
      awaitCounts("two-failed", 1, 0);
      awaitCounts("two-deleted", 0, 1);
      assertThat(scene.awaitRestarted("two-alone", 3).disruptionCount()).isEqualTo(3);
      assertThat(second.isAlive()).isTrue();
    }
    awaitCounts("two-failed", 1, 0);
    awaitCounts("two-deleted", 0, 1);
    assertThat(scene.awaitRestarted("two-alone", 3).disruptionCount()).isEqualTo(3);
    for (String job : List.of("two-failed", "two-deleted", "two-alone")) {
      assertThat(
              scene.jobs.pods(job).stream()
                  .filter(pod -> "Running".equals(pod.getStatus().getPhase())))
          .as(job)
          .hasSize(job.equals("two-alone") ? 4 : 3);
    }
  }

  /** Somebody cleans up: each scope counts what it did about it. */
  @Test
  void podsThatSomebodyDeletesAllAtOnceAreCountedOnce() {
    createRunning("all-deleted");
    scene.jobs.create(
        scene.job(
            "workers-deleted",
            "{restartScope: Replica, backoffLimit: 0}",
            "master 1 OnFailure",
            "worker 3 OnFailure"));
    scene.jobs.awaitPhase("workers-deleted", "Running");
    scene.kubectl("delete", "pods", "--wait=false", "-l", "tensorstack.dev/owner-name=all-deleted");
    scene.kubectl(
        "delete",
        "pods",
        "--wait=false",
        "-l",
        "tensorstack.dev/owner-name=workers-deleted,replica-type=worker");
    awaitCounts("all-deleted", 0, 1);
    PyTorchTrainingJobStatus workers = scene.awaitRestarted("workers-deleted", 3);
    assertThat(workers.disruptionCount()).isEqualTo(3);
    assertThat(workers.backoffCount()).isZero();
    assertThat(workers.attempt()).isZero();
  }

  @Test
  void aJobThatIsDeletedJustBeforeItsStatusIsWrittenIsNoError() {
    AtomicBoolean written = new AtomicBoolean();
    try (ApiProxy.Hook hook =
        proxy.beforeForwarding(
            request -> {
              if (isStatusOf(request, "leaves")) {
                var job =
                    scene
                        .client
                        .resources(PyTorchTrainingJob.class)
                        .inNamespace(scene.namespace)
                        .withName("leaves");
                job.delete();
                await("gone").until(() -> job.get() == null);
                written.set(true);
              }
              return Verdict.pass();
            })) {
      scene.jobs.create(scene.job("leaves", "{}", "worker 1 Never"));
      await("the late write").untilTrue(written);
      // Whatever it says of the late write, it has said when it has looked at another job.
      createRunning("stays");
    }
    assertThat(operator.log()).content().doesNotContain("leaves");
  }

  @Test
  void aRefusedWriteOfADecisionIsDecidedAgainAndCountsOnce() {
    createRunning("conflict");
    try (ApiProxy.Hook hook =
        proxy.beforeForwarding(
            ApiProxy.first(
                2, one -> isStatusOf(one, "conflict"), Verdict.answer(409, "Conflict")))) {
      scene.kubelet.finish(scene.namespace, scene.pod("conflict", "worker-1"), 1);
      awaitCounts("conflict", 1, 0);
    }
    // Written, but the answer is lost.
    try (ApiProxy.Hook hook =
        proxy.beforeAnswering(
            ApiProxy.first(1, one -> isStatusOf(one, "conflict"), Verdict.drop()))) {
      scene.delete(scene.pod("conflict", "worker-2-r1"), 0L);
      awaitCounts("conflict", 1, 1);
    }
    assertThat(scene.replicas("conflict")).filteredOn(name -> name.endsWith("-r2")).hasSize(3);
  }

  private static boolean isStatusOf(ApiRequest request, String job) {
    return request.is("update", "pytorchtrainingjobs/status") && request.name().equals(job);
  }

  @Test
  void timesThatSomebodyEditsDoNoHarm() {
    createRunning("edited");
    scene.kubelet.finish(scene.namespace, scene.pod("edited", "worker-1"), 1);
    awaitCounts("edited", 1, 0);
    patch(
        """
        [{"op": "replace", "path": "/status/startTime", "value": "yesterday"},
         {"op": "replace", "path": "/status/lastFailure/time", "value": ""},
         {"op": "replace", "path": "/status/conditions/0/lastTransitionTime", "value": "-"}]
        """);
    scene.kubelet.finish(scene.namespace, scene.pod("edited", "worker-1-r1"), 1);
    // The next restart has a delay.
    scene.jobs.await(
        "edited", "a delay", status -> status.tasks().get(0).replicas().get(1).restartAt() != null);
    patch(
        """
        [{"op": "add", "path": "/status/tasks/0/replicas/0/restartAt", "value": "2999-01-01T00:00:00Z"},
         {"op": "add", "path": "/status/tasks/0/replicas/1/restartAt", "value": "2999-01-01T00:00:00Z"},
         {"op": "add", "path": "/status/tasks/0/replicas/2/restartAt", "value": "soon"}]
        """);
    PyTorchTrainingJobStatus status = awaitCounts("edited", 2, 0);
    assertThat(Instant.parse(status.startTime())).isBefore(Instant.now());
    assertThat(scene.replicas("edited")).filteredOn(name -> name.endsWith("-r2")).hasSize(3);
    scene.kubelet.finish(scene.namespace, scene.pod("edited", "worker-0-r2"), 0);
    scene.jobs.awaitPhase("edited", "Succeeded");
  }

  private void patch(String operations) {
    scene.kubectl("patch", "pj", "edited", "--subresource=status", "--type=json", "-p", operations);
  }
}
