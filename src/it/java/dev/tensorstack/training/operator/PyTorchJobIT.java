package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Jobs of Kubeflow's kind from their creation to their end (docs/reference/pytorchjob.md). */
@OperatorTest(value = "pytorchjobs", operator = false)
class PyTorchJobIT {

  private static final Map<String, String> SETTINGS = Map.of("OPERATOR_NODE_LOSS_GRACE", "2s");

  private final PyTorchJobScene scene;
  private final FakeKubelet kubelet;
  private OperatorProcess operator;

  PyTorchJobIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet) {
    this.scene = new PyTorchJobScene(controlPlane, jobs.namespace());
    this.kubelet = kubelet;
    this.operator = scene.operator(SETTINGS);
  }

  @AfterAll
  void stop() {
    operator.close();
  }

  @Test
  void aJobRunsWithAServiceForEachReplicaAndEndsWithItsMaster() {
    scene.apply(PyTorchJobScene.manifest("mnist", "OnFailure", 2, "{cleanPodPolicy: All}"));
    scene.awaitState("mnist", "Running");
    Set<String> replicas = Set.of("mnist-master-0", "mnist-worker-0", "mnist-worker-1");
    await("all pods")
        .atMost(PyTorchJobScene.PATIENCE)
        .until(() -> scene.pods("mnist").equals(replicas));
    assertThat(scene.services("mnist")).isEqualTo(replicas);
    Service service =
        scene.client.services().inNamespace(scene.namespace).withName("mnist-worker-1").get();
    assertThat(scene.pod("mnist-worker-1").getMetadata().getLabels())
        .containsAllEntriesOf(service.getSpec().getSelector());
    assertThat(service.getSpec().getPublishNotReadyAddresses()).isTrue();
    assertThat(service.getSpec().getPorts())
        .singleElement()
        .satisfies(port -> assertThat(port.getName()).isEqualTo("pytorchjob-port"));
    assertThat(scene.pod("mnist-worker-1").getSpec().getRestartPolicy()).isEqualTo("OnFailure");

    scene.client.services().inNamespace(scene.namespace).withName("mnist-worker-0").delete();
    await("the Service again")
        .atMost(PyTorchJobScene.PATIENCE)
        .until(() -> scene.services("mnist").equals(replicas));

    scene
        .controlPlane
        .kubectl("scale", "pytorchjob", "mnist", "-n", scene.namespace, "--replicas=1")
        .orThrow();
    await("the worker of the highest index leaves with its Service")
        .atMost(PyTorchJobScene.PATIENCE)
        .until(
            () ->
                scene.pods("mnist").equals(Set.of("mnist-master-0", "mnist-worker-0"))
                    && scene.services("mnist").equals(scene.pods("mnist")));

    kubelet.finish(scene.namespace, "mnist-master-0", 0);
    scene.awaitState("mnist", "Succeeded");
    await("cleanPodPolicy All")
        .atMost(PyTorchJobScene.PATIENCE)
        .until(() -> scene.pods("mnist").isEmpty());
    await("Services leave with their pods")
        .atMost(PyTorchJobScene.PATIENCE)
        .until(() -> scene.services("mnist").isEmpty());
    assertThat(scene.get("mnist", "{.status.conditions[*].type}"))
        .isEqualTo("Created Running Succeeded");
    assertThat(scene.get("mnist", "{.status.replicaStatuses.Worker.active}")).isEqualTo("0");
  }

  @Test
  void aReplacementHasTheSameNameAndCountsOnceAlsoWhenTheOperatorIsStartedAnew() {
    scene.apply(PyTorchJobScene.manifest("digits", "ExitCode", 1, "{cleanPodPolicy: All}"));
    scene.awaitState("digits", "Running");
    await("both pods")
        .atMost(PyTorchJobScene.PATIENCE)
        .until(() -> scene.pods("digits").size() == 2);
    String first = scene.pod("digits-worker-0").getMetadata().getUid();
    kubelet.finish(scene.namespace, "digits-worker-0", 137);
    await("the replacement")
        .atMost(PyTorchJobScene.PATIENCE)
        .until(
            () -> {
              Pod now = scene.pod("digits-worker-0");
              return now != null && !now.getMetadata().getUid().equals(first);
            });
    scene.awaitState("digits", "Running");
    assertThat(scene.get("digits", "{.status.ledger.backoff}")).isEqualTo("1");
    String second = scene.pod("digits-worker-0").getMetadata().getUid();

    operator.close();
    operator = scene.operator(SETTINGS);
    kubelet.finish(scene.namespace, "digits-worker-0", 143);
    await("another replacement")
        .atMost(PyTorchJobScene.PATIENCE)
        .until(
            () -> {
              Pod now = scene.pod("digits-worker-0");
              return now != null && !Set.of(first, second).contains(now.getMetadata().getUid());
            });
    await("counted once each")
        .atMost(PyTorchJobScene.PATIENCE)
        .until(() -> scene.get("digits", "{.status.ledger.backoff}").equals("2"));
    assertThat(scene.pod("digits-master-0")).isNotNull();

    kubelet.finish(scene.namespace, "digits-worker-0", 3);
    scene.awaitState("digits", "Failed");
    assertThat(scene.get("digits", "{.status.conditions[-1:].message}"))
        .contains("digits-worker-0", "exit code 3");
  }

  @Test
  void aSuspendedJobHasNothingAndIsResumedUnderTheSameNames() {
    scene.apply(PyTorchJobScene.manifest("queued", "OnFailure", 1, "{suspend: true}"));
    scene.awaitState("queued", "Suspended");
    assertThat(scene.get("queued", "{.status.startTime}")).isEmpty();
    assertThat(scene.pods("queued")).isEmpty();

    scene.apply(PyTorchJobScene.manifest("queued", "OnFailure", 1, "{suspend: false}"));
    scene.awaitState("queued", "Running");
    await("both pods")
        .atMost(PyTorchJobScene.PATIENCE)
        .until(() -> scene.pods("queued").size() == 2);
    String first = scene.pod("queued-worker-0").getMetadata().getUid();

    scene.apply(PyTorchJobScene.manifest("queued", "OnFailure", 1, "{suspend: true}"));
    scene.awaitState("queued", "Suspended");
    await("nothing is left")
        .atMost(PyTorchJobScene.PATIENCE)
        .until(() -> scene.pods("queued").isEmpty() && scene.services("queued").isEmpty());
    scene.apply(PyTorchJobScene.manifest("queued", "OnFailure", 1, "{suspend: false}"));
    scene.awaitState("queued", "Running");
    assertThat(scene.pods("queued")).isEqualTo(Set.of("queued-master-0", "queued-worker-0"));
    assertThat(scene.pod("queued-worker-0").getMetadata().getUid()).isNotEqualTo(first);
  }

  @Test
  void aJobOfAnUnknownManagerThatCameWithoutAWebhookIsLeftAloneAndSaysSoOnce() {
    operator.close();
    scene.apply(
        PyTorchJobScene.manifest("foreign", "OnFailure", 1, "{managedBy: example.com/other}"));
    operator = scene.operator(SETTINGS);
    scene.awaitThat("it is told", () -> scene.reasons("foreign").contains("UnknownManager"));
    operator.kill();
    operator = scene.operator(SETTINGS);
    scene.apply(PyTorchJobScene.manifest("ours", "OnFailure", 1, "{}"));
    scene.awaitState("ours", "Running");
    assertThat(scene.pods("foreign")).isEmpty();
    assertThat(scene.get("foreign", "{.status}")).isEmpty();
    assertThat(scene.events("foreign"))
        .singleElement()
        .satisfies(
            event ->
                assertThat(event.getMessage())
                    .contains("spec.runPolicy.managedBy", "example.com/other", "is unknown"));
  }

  @Test
  void restartsByTheKubeletAndLimitNAllowsNOfThem() {
    scene.apply(PyTorchJobScene.manifest("limited", "OnFailure", 1, "{backoffLimit: 2}"));
    scene.awaitState("limited", "Running");
    scene.awaitThat("both pods", () -> scene.pods("limited").size() == 2);
    String uid = scene.uid("limited-worker-0");
    kubelet.finish(scene.namespace, "limited-worker-0", 1);
    scene.awaitThat(
        "counted once", () -> scene.get("limited", "{.status.ledger.backoff}").equals("1"));
    operator.kill();
    operator = scene.operator(SETTINGS);
    kubelet.finish(scene.namespace, "limited-worker-0", 7);
    scene.awaitThat(
        "counted, once each, over a kill",
        () -> scene.get("limited", "{.status.ledger.backoff}").equals("2"));
    assertThat(scene.uid("limited-worker-0")).as("the kubelet restarts it in place").isEqualTo(uid);
    assertThat(scene.get("limited", "{.status.conditions[?(@.type=='Failed')]}")).isEmpty();

    kubelet.backOff(scene.namespace, "limited-worker-0", 9);
    scene.awaitState("limited", "Failed");
    assertThat(scene.get("limited", "{.status.ledger.backoff}"))
        .as("a third restart is not waited for")
        .isEqualTo("2");
    assertThat(scene.get("limited", "{.status.conditions[-1:].message}"))
        .contains("limited-worker-0", "exit code 9", "backoffLimit of 2");
    assertThat(scene.get("limited", "{.status.completionTime}")).isNotEmpty();
    scene.awaitThat(
        "a limit stops what runs, with its Services",
        () -> scene.pods("limited").isEmpty() && scene.services("limited").isEmpty());
  }

  @Test
  void aDeadlineAndATimeToLiveThatPassWhileTheOperatorIsAwayAreKeptAfterIt() {
    scene.apply(
        PyTorchJobScene.manifest(
            "late",
            "OnFailure",
            1,
            "{activeDeadlineSeconds: 5, ttlSecondsAfterFinished: 6, cleanPodPolicy: All}"));
    scene.awaitState("late", "Running");
    operator.close();
    Instant start = Instant.parse(scene.get("late", "{.status.startTime}"));
    await("the deadline").atMost(PyTorchJobScene.PATIENCE).until(() -> isOver(start, 6));
    operator = scene.operator(SETTINGS);
    scene.awaitState("late", "Failed");
    assertThat(scene.get("late", "{.status.conditions[-1:].message}"))
        .contains("activeDeadlineSeconds");
    scene.awaitThat("cleanPodPolicy", () -> scene.pods("late").isEmpty());
    scene.awaitThat(
        "the time to live",
        () ->
            scene
                    .controlPlane
                    .kubectl("get", "pytorchjob", "late", "-n", scene.namespace)
                    .exitCode()
                != 0);
  }

  private static boolean isOver(Instant start, int seconds) {
    return Instant.now().isAfter(start.plusSeconds(seconds));
  }

  @Test
  void eventsAndCountersHaveTheNamesOfKubeflowsOperator() {
    scene.apply(PyTorchJobScene.manifest("told", "ExitCode", 1, "{}"));
    scene.awaitState("told", "Running");
    scene.awaitThat("both pods", () -> scene.pods("told").size() == 2);
    kubelet.finish(scene.namespace, "told-worker-0", 137);
    scene.awaitThat("a restart", () -> scene.get("told", "{.status.ledger.backoff}").equals("1"));
    scene.awaitState("told", "Running");
    kubelet.finish(scene.namespace, "told-master-0", 0);
    scene.awaitState("told", "Succeeded");
    scene.awaitThat(
        "the events",
        () ->
            scene
                .reasons("told")
                .containsAll(
                    Set.of(
                        "PyTorchJobCreated",
                        "PyTorchJobRunning",
                        "SuccessfulCreatePod",
                        "SuccessfulCreateService",
                        "ExitedWithCode",
                        "PyTorchJobRestarting",
                        "PyTorchJobSucceeded")));
    assertThat(scene.events("told"))
        .filteredOn(event -> event.getReason().equals("ExitedWithCode"))
        .singleElement()
        .satisfies(event -> assertThat(event.getMessage()).contains("exited with code 137"));

    scene.awaitThat("the counters", () -> counter("successful") >= 1 && counter("restarted") >= 1);
    double deleted = counter("deleted");
    scene.controlPlane.kubectl("delete", "pytorchjob", "told", "-n", scene.namespace).orThrow();
    scene.awaitThat("the deletion is counted", () -> counter("deleted") == deleted + 1);
    assertThat(
            MetricsPage.of(operator).sum("pytorchtrainingjob_created_total", "kind", "PyTorchJob"))
        .isPositive();
  }

  private double counter(String what) {
    return MetricsPage.of(operator)
        .sum(
            "training_operator_jobs_" + what + "_total",
            "job_namespace",
            scene.namespace,
            "framework",
            "pytorch");
  }

  @Test
  void aJobOfMultiKueueIsNotTouched() {
    scene.apply(
        PyTorchJobScene.manifest(
            "elsewhere", "OnFailure", 1, "{managedBy: kueue.x-k8s.io/multikueue}"));
    scene.apply(PyTorchJobScene.manifest("here", "OnFailure", 1, "{}"));
    scene.awaitState("here", "Running");
    assertThat(scene.pods("elsewhere")).isEmpty();
    assertThat(scene.get("elsewhere", "{.status}")).isEmpty();
    assertThat(scene.get("elsewhere", "{.metadata.finalizers}")).isEmpty();
  }

  @Test
  void aJobThatIsReplacedAtOnceTakesItsNamesWhenTheOldPodsAreGone() {
    String yaml = PyTorchJobScene.manifest("again", "OnFailure", 1, "{}");
    scene.apply(yaml);
    scene.awaitState("again", "Running");
    scene.awaitThat("both pods", () -> scene.pods("again").size() == 2);
    String uid = scene.uid("again-worker-0");
    scene
        .controlPlane
        .kubectlWithInput(yaml, "replace", "--force", "-n", scene.namespace, "-f", "-")
        .orThrow();
    scene.awaitState("again", "Running");
    scene.awaitThat(
        "pods of the new job",
        () -> scene.pods("again").size() == 2 && !scene.uid("again-worker-0").equals(uid));
    assertThat(scene.reasons("again")).doesNotContain("CreateFailed", "FailedCreatePod");
  }

  @Test
  void aPodOfPolicyNeverThatIsDeletedBeforeItRanIsCreatedAgainAndOneThatRanEndsTheJob() {
    scene.apply(
        PyTorchJobScene.manifest("once", "Never", 1, "{}")
            .replace("spec: {containers", "spec: {nodeSelector: {pool: nowhere}, containers"));
    scene.awaitThat("both pods", () -> scene.pods("once").size() == 2);
    String uid = scene.uid("once-worker-0");
    scene.client.pods().inNamespace(scene.namespace).withName("once-worker-0").delete();
    scene.awaitThat(
        "another one",
        () -> {
          Pod now = scene.pod("once-worker-0");
          return now != null && !now.getMetadata().getUid().equals(uid);
        });
    assertThat(scene.get("once", "{.status.conditions[?(@.type=='Failed')]}")).isEmpty();

    scene.apply(PyTorchJobScene.manifest("ran", "Never", 1, "{}"));
    scene.awaitState("ran", "Running");
    scene.awaitThat(
        "the worker runs",
        () -> "Running".equals(scene.pod("ran-worker-0").getStatus().getPhase()));
    scene.client.pods().inNamespace(scene.namespace).withName("ran-worker-0").delete();
    scene.awaitState("ran", "Failed");
  }

  @Test
  void aPodOnALostNodeIsReplacedOnAnotherUnderItsName() {
    scene.apply(PyTorchJobScene.manifest("healed", "OnFailure", 1, "{backoffLimit: 0}"));
    scene.awaitState("healed", "Running");
    scene.awaitThat(
        "the worker runs",
        () -> {
          Pod worker = scene.pod("healed-worker-0");
          return worker != null && "Running".equals(worker.getStatus().getPhase());
        });
    Pod worker = scene.pod("healed-worker-0");
    String node = worker.getSpec().getNodeName();
    kubelet.loseNode(node);
    try {
      scene.awaitThat(
          "the replacement",
          () -> {
            Pod now = scene.pod("healed-worker-0");
            return now != null
                && !now.getMetadata().getUid().equals(worker.getMetadata().getUid())
                && "Running".equals(now.getStatus().getPhase())
                && !node.equals(now.getSpec().getNodeName());
          });
    } finally {
      kubelet.restoreNode(node);
    }
    scene.awaitState("healed", "Running");
    assertThat(scene.get("healed", "{.status.ledger.backoff}")).as("it costs nothing").isEmpty();
  }
}
