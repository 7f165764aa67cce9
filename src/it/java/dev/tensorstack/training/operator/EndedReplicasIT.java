package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RecentDisruption;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What has ended stays ended, and what a failure leaves behind. */
@ExtendWith(ControlPlaneExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EndedReplicasIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private OperatorProcess operator;

  EndedReplicasIT(ControlPlane controlPlane, KubernetesClient client) {
    this.controlPlane = controlPlane;
    this.client = client;
    OperatorProcess.installCrd(client);
    namespace = controlPlane.createNamespace("ended");
    jobs = new Jobs(client, namespace);
    kubelet = FakeKubelet.start(client, FakeKubeletOptions.nodes(2).namePrefix("ended"));
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
    kubelet.close();
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
              client
                  .pods()
                  .inNamespace(namespace)
                  .withLabel("tensorstack.dev/owner-name", "spin")
                  .withGracePeriod(0)
                  .delete();
              var status = jobs.get("spin").getStatus();
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
