package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.AdminAccount;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.NeedsKubernetes;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Jobs that grow and shrink while they run. */
@OperatorTest(value = "elastic", nodes = 4, deletionMillis = 2_000, operator = false)
class ElasticIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** One for each pod: what a node has no more of. */
  private static final String SLOT = "example.com/slot";

  private final ControlPlane controlPlane;
  private final AdminAccount account;
  private final RestartScene scene;
  private final FakeKubelet small;
  private final OperatorProcess operator;

  ElasticIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    // Of the first type, two thousand pods find room.
    scene = new RestartScene(controlPlane, jobs, kubelet);
    small = pool("elastic-small", 3);
    account = AdminAccount.create(controlPlane, scene.namespace, "operator");
    operator = scene.operator(account.kubeconfig(), Map.of("OPERATOR_NODE_LOSS_GRACE", "3s"));
  }

  /** A node with room for a few pods. */
  private FakeKubelet pool(String name, int slots) {
    return FakeKubelet.start(
        controlPlane.client(),
        FakeKubeletOptions.nodes(1)
            .namePrefix(name)
            .label("pool", "elastic-small")
            .resource(SLOT, Integer.toString(slots)));
  }

  @AfterAll
  void stop() {
    operator.close();
    small.close();
  }

  private void create(String name, String elastic, String runPolicy, String... types) {
    scene.jobs.create(
        scene
            .job(name, runPolicy, types)
            .replace(
                "spec:\n  runPolicy",
                "spec:\n  torchrunConfig: {enabled: true}\n  elastic: {enabled: true, "
                    + elastic
                    + "}\n  runPolicy"));
  }

  /** Pods of which a small node holds three. */
  private void createSmall(String name, String elastic) {
    scene.jobs.create(
        """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata: {name: %s}
        spec:
          torchrunConfig: {enabled: true}
          elastic: {enabled: true, %s}
          replicaSpecs:
          - type: worker
            restartPolicy: OnFailure
            template:
              spec:
                nodeSelector: {pool: elastic-small}
                containers:
                - name: pytorch
                  image: registry.example/train:1
                  command: [python, train.py]
                  resources: {limits: {%s: "1"}}
        """
            .formatted(name, elastic, SLOT));
  }

  private void scale(String job, int nodes) {
    scene.kubectl("scale", "pj/" + job, "--replicas=" + nodes);
  }

  private PyTorchTrainingJobStatus awaitNodes(String job, int nodes) {
    return scene
        .jobs
        .await(
            job,
            nodes + " running nodes",
            status ->
                Objects.equals(status.replicas(), nodes)
                    && status.aggregate().running() == nodes
                    && "Running".equals(status.phase()))
        .getStatus();
  }

  /** The names of the pods that are there, without those that are on their way out. */
  private Set<String> names(String job) {
    String base = scene.jobs.base(job) + "-";
    return scene.jobs.pods(job).stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .map(pod -> pod.getMetadata().getName().substring(base.length()))
        .collect(Collectors.toSet());
  }

  private void awaitNames(String job, String... names) {
    await("the pods of " + job)
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(names(job)).containsExactlyInAnyOrder(names));
  }

  private Map<String, String> uids(String job) {
    Map<String, String> uids = new HashMap<>();
    for (Pod pod : scene.jobs.pods(job)) {
      uids.put(pod.getMetadata().getName(), pod.getMetadata().getUid());
    }
    return uids;
  }

  private static void assertNothingCost(PyTorchTrainingJobStatus status) {
    assertThat(status.backoffCount()).isZero();
    assertThat(status.disruptionCount()).isZero();
    assertThat(status.attempt()).isZero();
    assertThat(status.lastFailure()).isNull();
    assertThat(status.tasks()).allMatch(task -> task.restartCount() == 0);
  }

  private static JobCondition running(PyTorchTrainingJobStatus status) {
    return status.conditions().stream()
        .filter(condition -> condition.type().equals("Running"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void itGrowsAndShrinksWithoutTouchingTheOthersAndNothingOfItIsAFailure() {
    create(
        "grows",
        "minReplicas: 2, maxReplicas: 8",
        "{}",
        "master 1 OnFailure",
        "worker 1 OnFailure");
    awaitNodes("grows", 2);
    Map<String, String> first = uids("grows");

    scale("grows", 5);
    awaitNodes("grows", 5);
    awaitNames("grows", "master-0", "master-1", "worker-0", "worker-1", "master-2");
    assertThat(uids("grows")).containsAllEntriesOf(first);
    Map<String, String> five = uids("grows");

    scale("grows", 3);
    PyTorchTrainingJobStatus three = awaitNodes("grows", 3);
    awaitNames("grows", "master-0", "master-1", "worker-0");
    assertThat(five).containsAllEntriesOf(uids("grows"));
    assertNothingCost(three);
    assertThat(three.aggregate().deleted()).isZero();

    // To the smallest, and back to the largest: names of before are not used again.
    scale("grows", 2);
    assertThat(
            scene
                .jobs
                .await(
                    "grows",
                    "the ring without those that left",
                    now -> running(now).message().contains("1 leaves once the ring is formed"))
                .getStatus()
                .replicas())
        .isEqualTo(3);
    awaitNodes("grows", 2);
    scale("grows", 8);
    PyTorchTrainingJobStatus eight = awaitNodes("grows", 8);
    awaitNames(
        "grows",
        "master-0",
        "master-1-r1",
        "master-2-r1",
        "master-3",
        "worker-0",
        "worker-1-r1",
        "worker-2",
        "worker-3");
    assertNothingCost(eight);
    assertThat(uids("grows")).containsAllEntriesOf(first);
    Event scaled = scene.events("grows", "Scaled").get(0);
    assertThat(scaled.getMessage()).startsWith("from 2 to 8 nodes");
    assertThat(scaled.getCount()).isEqualTo(4);
    assertThat(scene.events("grows", "ReplicaFailed")).isEmpty();
    assertThat(scene.events("grows", "Restarting")).isEmpty();

    scene.kubelet.finish(scene.namespace, scene.pod("grows", "master-0"), 0);
    scene.jobs.awaitPhase("grows", "Succeeded");
  }

  /** A gap is where a replica that did not work has been. */
  @Test
  void whatDoesNotWorkGoesFirstAndTheGapIsFilledFirst() {
    scene.kubelet.rule(
        pod -> pod.getMetadata().getName().equals(scene.jobs.base("gap") + "-worker-1"),
        Behaviour.stayPending());
    create("gap", "minReplicas: 1, maxReplicas: 5", "{}", "worker 4 OnFailure");
    scene.jobs.await("gap", "3 of 4 running", status -> status.aggregate().running() == 3);

    scale("gap", 3);
    awaitNodes("gap", 3);
    awaitNames("gap", "worker-0", "worker-2", "worker-3");
    Map<String, String> three = uids("gap");

    scale("gap", 5);
    PyTorchTrainingJobStatus five = awaitNodes("gap", 5);
    awaitNames("gap", "worker-0", "worker-1-r1", "worker-2", "worker-3", "worker-4");
    three.keySet().removeIf(name -> name.endsWith("worker-1"));
    assertThat(uids("gap")).containsAllEntriesOf(three);
    assertNothingCost(five);
  }

  /** Nothing else happens to the job, so that only its own timer can wake it. */
  @Test
  void otherWeightsWithTheSameTotalAreCarriedOutOnceTheRingIsFormed() {
    create(
        "weights",
        "minReplicas: 2, maxReplicas: 4, expectedReplicas: 4",
        "{}",
        "master 2 OnFailure",
        "worker 2 OnFailure");
    awaitNodes("weights", 4);
    awaitNames("weights", "master-0", "master-1", "worker-0", "worker-1");

    scene.kubectl(
        "patch",
        "pj/weights",
        "--type=json",
        "-p",
        "[{\"op\": \"replace\", \"path\": \"/spec/replicaSpecs/1/scalingWeight\", \"value\": 3}]");
    awaitNames("weights", "master-0", "worker-0", "worker-1", "worker-2");
    assertNothingCost(awaitNodes("weights", 4));
  }

  @Test
  void theLeaversHaveTheirOwnGracePeriodAndEndAtTheSameTime() {
    scene.jobs.create(
        scene
            .job("leavers", "{}", "worker 4 OnFailure")
            .replace("nodeSelector:", "terminationGracePeriodSeconds: 77\n        nodeSelector:")
            .replace(
                "spec:\n  runPolicy",
                "spec:\n  torchrunConfig: {enabled: true}\n"
                    + "  elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}\n  runPolicy"));
    awaitNodes("leavers", 4);
    scale("leavers", 2);
    await("two leave")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(50))
        .untilAsserted(
            () -> {
              List<Pod> leaving =
                  scene.jobs.pods("leavers").stream()
                      .filter(pod -> pod.getMetadata().getDeletionTimestamp() != null)
                      .toList();
              assertThat(leaving).hasSize(2);
              assertThat(leaving)
                  .allMatch(pod -> pod.getMetadata().getDeletionGracePeriodSeconds() == 77);
            });
    assertNothingCost(awaitNodes("leavers", 2));
  }

  @Test
  void growingBy400NodesCosts400CreationsAndShrinkingBy400CostsAsManyDeletions() {
    create("large", "minReplicas: 1, maxReplicas: 500", "{}", "worker 100 OnFailure");
    awaitNodes("large", 100);
    Map<String, String> hundred = uids("large");

    AuditLog growth = AuditLog.fromNowOn(controlPlane, account.user());
    scale("large", 500);
    awaitNodes("large", 500);
    assertThat(podWrites(growth, "large")).containsExactly(Map.entry("create pods", 400L));
    assertThat(uids("large")).containsAllEntriesOf(hundred);

    AuditLog loss = AuditLog.fromNowOn(controlPlane, account.user());
    scale("large", 100);
    PyTorchTrainingJobStatus status = awaitNodes("large", 100);
    await("the pods are gone").atMost(PATIENCE).until(() -> scene.jobs.pods("large").size() == 100);
    assertThat(podWrites(loss, "large")).containsExactly(Map.entry("delete pods", 400L));
    assertThat(uids("large")).isEqualTo(hundred);
    assertNothingCost(status);
  }

  private Map<String, Long> podWrites(AuditLog log, String job) {
    String base = scene.jobs.base(job);
    return log.writes(scene.namespace).stream()
        .filter(write -> write.resource().startsWith("pods") && write.name().startsWith(base))
        .collect(Collectors.groupingBy(AuditLog.Write::what, Collectors.counting()));
  }

  @Test
  @NeedsKubernetes(
      value = 32,
      because = "a scheduler that tries again as soon as pods have left a node that came back")
  void itRunsWithWhatThereIsSaysSoAndGrowsWhenThereIsRoom() {
    createSmall("squeezed", "minReplicas: 2, maxReplicas: 6, expectedReplicas: 5");
    PyTorchTrainingJobStatus status =
        scene
            .jobs
            .await(
                "squeezed",
                "running with 3 of 5",
                now ->
                    "Running".equals(now.phase())
                        && now.aggregate().running() == 3
                        && running(now).reason().equals("Unschedulable"))
            .getStatus();
    assertThat(running(status).message())
        .startsWith("3 of 5 pods run; worker-")
        .contains("Insufficient " + SLOT);
    assertThat(status.columns().running()).isEqualTo("3/5");
    Event event =
        await("the event")
            .atMost(PATIENCE)
            .until(() -> scene.events("squeezed", "Unschedulable"), events -> !events.isEmpty())
            .get(0);
    assertThat(event.getType()).isEqualTo("Warning");
    assertThat(event.getMessage()).contains("Insufficient " + SLOT);
    assertThat(scene.kubectl("describe", "pj", "squeezed"))
        .containsPattern("3 of 5 pods run; worker-")
        .containsPattern("Warning +Unschedulable .*Insufficient " + SLOT);
    Set<String> working =
        scene.jobs.pods("squeezed").stream()
            .filter(pod -> pod.getSpec().getNodeName() != null)
            .map(pod -> pod.getMetadata().getUid())
            .collect(Collectors.toSet());

    // What waits goes first.
    scale("squeezed", 4);
    await("one that waited is gone")
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(names("squeezed")).hasSize(4));
    assertThat(uids("squeezed").values()).containsAll(working);

    try (FakeKubelet room = pool("elastic-room", 1)) {
      assertNothingCost(awaitNodes("squeezed", 4));
      assertThat(uids("squeezed").values()).containsAll(working);

      // Below min it waits, and does not fail.
      scene.kubectl("cordon", "elastic-room-0");
      small.nodeNames().forEach(small::loseNode);
      PyTorchTrainingJobStatus lost =
          scene
              .jobs
              .await(
                  "squeezed",
                  "pending below min",
                  now ->
                      "Pending".equals(now.phase())
                          && running(now).reason().equals("Unschedulable"))
              .getStatus();
      assertThat(lost.completionTime()).isNull();
      assertThat(lost.backoffCount()).isZero();
      small.nodeNames().forEach(small::restoreNode);
      scene.jobs.await(
          "squeezed",
          "running again",
          now -> "Running".equals(now.phase()) && now.aggregate().running() >= 3);
      assertThat(scene.jobs.get("squeezed").getStatus().backoffCount()).isZero();
      assertThat(room.nodeNames()).hasSize(1);
    }
  }

  @Test
  void itCanBeScaledWhileItPausesWhileItRestartsAndBeforeItStarts() {
    scene.jobs.create(
        scene
            .job("anytime", "{}", "worker 2 OnFailure")
            .replace(
                "spec:\n  runPolicy",
                "spec:\n  torchrunConfig: {enabled: true}\n  runMode: {pause: {enabled: true}}\n"
                    + "  elastic: {enabled: true, minReplicas: 1, maxReplicas: 6}\n  runPolicy"));
    scene.jobs.awaitPhase("anytime", "Paused");
    scale("anytime", 3);
    scene.jobs.patch("anytime", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":false}}}}");
    awaitNodes("anytime", 3);
    awaitNames("anytime", "worker-0", "worker-1", "worker-2");

    scene.jobs.patch("anytime", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}");
    scene.jobs.awaitPhase("anytime", "Paused");
    scale("anytime", 1);
    scale("anytime", 4);
    scene.jobs.patch("anytime", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":false}}}}");
    assertNothingCost(awaitNodes("anytime", 4));

    // The master fails twice: the second attempt waits for 2 s, in which the job shrinks.
    for (int attempt = 0; attempt < 2; attempt++) {
      String master =
          scene.jobs.pods("anytime").stream()
              .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
              .map(pod -> pod.getMetadata().getName())
              .filter(name -> name.contains("-worker-0"))
              .max(String::compareTo)
              .orElseThrow();
      scene.kubelet.finish(scene.namespace, master, 1);
      int next = attempt + 1;
      scene.jobs.await("anytime", "attempt " + next, now -> now.attempt() == next);
      scale("anytime", 4 - next);
      awaitNodes("anytime", 4 - next);
    }
    PyTorchTrainingJobStatus end = awaitNodes("anytime", 2);
    assertThat(end.backoffCount()).isEqualTo(2);
    assertThat(end.attempt()).isEqualTo(2);
    assertThat(end.disruptionCount()).isZero();
  }

  /** An agent that fails closes the rendezvous; one that is killed does not. */
  @Test
  void aWorkerThatFailedStartsAllAnewAndOneThatWasKilledIsReplacedAlone() {
    create(
        "rendezvous", "minReplicas: 1, maxReplicas: 4", "{backoffLimit: 5}", "worker 3 OnFailure");
    awaitNodes("rendezvous", 3);
    Map<String, String> first = uids("rendezvous");
    String killed = scene.pod("rendezvous", "worker-2");
    scene.kubelet.finish(scene.namespace, killed, 137);
    scene.awaitRestarted("rendezvous", 1);
    assertThat(scene.jobs.get("rendezvous").getStatus().attempt()).isZero();
    first.remove(killed);
    assertThat(uids("rendezvous")).containsAllEntriesOf(first);

    scene.kubelet.finish(scene.namespace, scene.pod("rendezvous", "worker-1"), 1);
    PyTorchTrainingJobStatus status = scene.awaitRestarted("rendezvous", 2);
    assertThat(status.attempt()).isEqualTo(1);
    assertThat(status.backoffCount()).isEqualTo(2);
    assertThat(names("rendezvous")).contains("worker-0-r1", "worker-1-r1", "worker-2-r2");
    String id = scene.jobs.get("rendezvous").getMetadata().getUid() + "-1";
    assertThat(
            scene
                .get(scene.pod("rendezvous", "worker-0-r1"))
                .getSpec()
                .getContainers()
                .get(0)
                .getArgs())
        .contains("--rdzv_id=" + id);
  }

  /** What waits for its node when it shrinks, and everything at once. */
  @Test
  void shrinkingToTheSmallestWhileAllAreBeingCreatedLeavesTheMaster() {
    scene.kubelet.rule(
        pod -> pod.getMetadata().getName().startsWith(scene.jobs.base("early")),
        Behaviour.run().startingAfter(Duration.ofSeconds(2)));
    create("early", "minReplicas: 1, maxReplicas: 20", "{}", "worker 20 OnFailure");
    scene.jobs.awaitPods("early", 20);
    scale("early", 1);
    assertNothingCost(awaitNodes("early", 1));
    awaitNames("early", "worker-0");
    await("the others are gone").atMost(PATIENCE).until(() -> scene.jobs.pods("early").size() == 1);
    assertThat(IntStream.of(scene.jobs.get("early").getStatus().replicas())).containsExactly(1);
  }
}
