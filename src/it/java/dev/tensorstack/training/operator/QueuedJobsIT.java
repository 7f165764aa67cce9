package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.schedulers.Kueue;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Jobs in a queue of a real Kueue: what it says is in use equals what runs, and what runs is never
 * above the quota (docs/design/queue.md).
 */
@Tag("schedulers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QueuedJobsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** In which quota that is not used any more has to be back. */
  private static final Duration GIVEN_BACK = Duration.ofSeconds(10);

  private static final int QUOTA = 4;
  private static final String QUEUE = "team";

  /** Of its own: Kueue's webhooks are about the whole cluster. */
  private final ControlPlane plane = ControlPlane.builder().memoryForTime(true).start();

  private Kueue kueue;
  private FakeKubelet kubelet;
  private OperatorProcess operator;
  private String namespace;
  private String clusterQueue;
  private Jobs jobs;
  private RunningPods running;

  @BeforeAll
  void start() {
    kueue = Kueue.start(plane);
    kubelet =
        FakeKubelet.start(
            plane.client(),
            FakeKubeletOptions.nodes(4)
                .resource("cpu", "100")
                .namePrefix("queued")
                .label("pool", "a100")
                .deletion(Duration.ofSeconds(2), 143));
    OperatorProcess.installCrds(plane.client());
    operator = OperatorProcess.start(plane.kubeconfig(), OperatorProcess.SHORT_DELAYS);
    apply(
        """
        apiVersion: kueue.x-k8s.io/v1beta2
        kind: WorkloadPriorityClass
        metadata: {name: urgent}
        value: 1000
        """);
  }

  @AfterAll
  void stop() {
    try {
      operator.close();
      kubelet.close();
      kueue.close();
    } finally {
      plane.close();
    }
  }

  @BeforeEach
  void makeQueues() {
    namespace = plane.createNamespace("queued");
    jobs = new Jobs(plane.client(), namespace);
    clusterQueue = "of-" + namespace;
    apply(
        """
        apiVersion: kueue.x-k8s.io/v1beta2
        kind: ResourceFlavor
        metadata: {name: a100-%1$s}
        spec:
          nodeLabels: {pool: a100}
          tolerations: [{key: gpu, operator: Exists, effect: NoSchedule}]
        ---
        apiVersion: kueue.x-k8s.io/v1beta2
        kind: ClusterQueue
        metadata: {name: %1$s}
        spec:
          namespaceSelector: {}
          preemption: {withinClusterQueue: LowerPriority}
          resourceGroups:
          - coveredResources: [cpu]
            flavors:
            - name: a100-%1$s
              resources: [{name: cpu, nominalQuota: %2$d}]
        """
            .formatted(clusterQueue, QUOTA));
    kueue.queues().localQueue(namespace, QUEUE, clusterQueue);
    running = RunningPods.watch(plane.client(), namespace);
  }

  @AfterEach
  void neverMoreThanTheQuota() {
    int most = running.most();
    running.close();
    plane.kubectl("delete", "pj", "--all", "-n", namespace).orThrow();
    kubelet.clearRules();
    assertThat(most).as("pods at the same moment, of one CPU each").isLessThanOrEqualTo(QUOTA);
  }

  private void apply(String manifest) {
    plane.kubectlWithInput(manifest, "apply", "-f", "-").orThrow();
  }

  /** Workers with one CPU each. */
  private static String job(String name, int workers, String labels, String spec) {
    return """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata: {name: %s, labels: {kueue.x-k8s.io/queue-name: %s%s}}
        spec:
          replicaSpecs:
          - type: worker
            replicas: %d
            restartPolicy: OnFailure
            template:
              spec:
                containers:
                - name: pytorch
                  image: registry.example/train:1
                  command: [python, train.py]
                  resources: {requests: {cpu: 1}}
        """
            .formatted(name, QUEUE, labels, workers)
        + spec.indent(2);
  }

  private static String job(String name, int workers) {
    return job(name, workers, "", "");
  }

  private static JobCondition running(PyTorchTrainingJobStatus status) {
    return Objects.requireNonNull(status.conditions()).stream()
        .filter(condition -> "Running".equals(condition.type()))
        .findFirst()
        .orElseThrow();
  }

  private void awaitWaiting(String job, String words) {
    jobs.await(
        job,
        "waits: " + words,
        status ->
            "Pending".equals(status.phase())
                && "WaitingForQueue".equals(running(status).reason())
                && String.valueOf(running(status).message()).contains(words));
  }

  /** What Kueue says is in use is what runs. */
  private void awaitInUse(int pods) {
    await(pods + " CPU in use of " + clusterQueue)
        .atMost(GIVEN_BACK)
        .until(() -> kueue.queues().usage(clusterQueue).reserved("cpu") == pods);
    assertThat(running.now()).isLessThanOrEqualTo(pods);
  }

  private List<String> reasons(String job) {
    return jobs.events(job).stream().map(Event::getReason).toList();
  }

  /** All its pods succeed. */
  private void finish(String job) {
    jobs.pods(job).stream()
        .filter(QueuedJobsIT::runs)
        .forEach(pod -> kubelet.finish(namespace, pod.getMetadata().getName(), 0));
  }

  private static boolean runs(Pod pod) {
    return "Running".equals(pod.getStatus().getPhase())
        && pod.getMetadata().getDeletionTimestamp() == null;
  }

  private void awaitRunning(String job, int pods) {
    await(pods + " pods of " + job + " run")
        .atMost(PATIENCE)
        .until(() -> jobs.pods(job).stream().filter(QueuedJobsIT::runs).count() == pods);
  }

  @Test
  void aJobWaitsWithoutPodsInKueuesWordsAndStartsWhenThereIsRoom() {
    jobs.create(job("first", 3));
    awaitRunning("first", 3);
    awaitInUse(3);
    jobs.create(job("second", 2));
    awaitWaiting("second", "LocalQueue team: couldn't assign flavors");
    assertThat(jobs.pods("second")).isEmpty();
    assertThat(reasons("second")).contains("WaitingForQueue");
    assertThat(jobs.pods("first"))
        .allSatisfy(
            pod -> {
              assertThat(pod.getSpec().getNodeSelector()).containsEntry("pool", "a100");
              assertThat(pod.getSpec().getTolerations())
                  .anyMatch(toleration -> "gpu".equals(toleration.getKey()));
              assertThat(
                      pod.getMetadata().getLabels().toString() + pod.getMetadata().getAnnotations())
                  .doesNotContain("kueue.x-k8s.io");
            });

    finish("first");

    jobs.awaitPhase("first", "Succeeded");
    awaitRunning("second", 2);
    awaitInUse(2);
  }

  @Test
  void aJobOfSomebodyElseIsNotEnteredIntoItsQueue() {
    jobs.create(job("elsewhere", 1, "", "managedBy: kueue.x-k8s.io/multikueue"));
    jobs.create(job("here", 1));
    awaitRunning("here", 1);

    assertThat(
            plane
                .kubectl("get", "workloads.kueue.x-k8s.io", "-n", namespace, "-o", "name")
                .orThrow()
                .lines())
        .singleElement()
        .asString()
        .contains("/here-");
    assertThat(jobs.get("elsewhere").getStatus()).isNull();
    assertThat(jobs.pods("elsewhere")).isEmpty();
    awaitInUse(1);
  }

  @Test
  void aQueueThatIsMissingOrStoppedIsNamed() {
    jobs.create(job("lost", 1).replace("queue-name: team", "queue-name: nowhere"));
    awaitWaiting("lost", "LocalQueue nowhere");
    plane
        .kubectl(
            "patch",
            "clusterqueue",
            clusterQueue,
            "--type=merge",
            "-p",
            "{\"spec\":{\"stopPolicy\":\"Hold\"}}")
        .orThrow();
    jobs.create(job("held", 1));
    awaitWaiting("held", "is inactive");
  }

  @Test
  void aPauseGivesTheQuotaBackAndAResumeQueuesAnew() {
    jobs.create(job("paused", 3));
    awaitRunning("paused", 3);
    jobs.create(job("next", 3));
    awaitWaiting("next", "insufficient");

    jobs.patch("paused", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}");

    jobs.awaitPhase("paused", "Paused");
    awaitRunning("next", 3);
    awaitInUse(3);
    jobs.patch("paused", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":false}}}}");
    jobs.await(
        "paused",
        "waits after the resume",
        status -> "WaitingForQueue".equals(running(status).reason()));
    finish("next");
    awaitRunning("paused", 3);
    awaitInUse(3);
  }

  @Test
  void aPreemptedJobEndsItsPodsWaitsAndComesBackForNothing() {
    jobs.create(job("low", 3).replace("restartPolicy: OnFailure", "restartPolicy: Never"));
    awaitRunning("low", 3);

    jobs.create(job("high", 4, ", kueue.x-k8s.io/priority-class: urgent", ""));

    awaitWaiting("low", "preempt");
    awaitRunning("high", 4);
    awaitInUse(4);
    assertThat(reasons("low")).contains("Evicted");
    finish("high");
    awaitRunning("low", 3);
    PyTorchTrainingJobStatus status =
        Objects.requireNonNull(jobs.awaitPhase("low", "Running").getStatus());
    assertThat(status.backoffCount()).isZero();
    assertThat(status.disruptionCount()).isZero();
    assertThat(reasons("low")).contains("Admitted");
    awaitInUse(3);
  }

  @Test
  void theShareOfADoneReplicaIsGivenBackAndAnAttemptThatNeedsItQueuesAnew() {
    jobs.create(job("done", 3, "", "runPolicy: {backoffLimit: 3, restartScope: Job}\n"));
    awaitRunning("done", 3);
    kubelet.finish(namespace, jobs.base("done") + "-worker-2", 0);
    awaitInUse(2);
    jobs.create(job("beside", 2));
    awaitRunning("beside", 2);

    kubelet.finish(namespace, jobs.base("done") + "-worker-1", 1);

    awaitWaiting("done", "insufficient");
    awaitInUse(2);
    finish("beside");
    awaitRunning("done", 3);
    awaitInUse(3);
    assertThat(Objects.requireNonNull(jobs.get("done").getStatus()).backoffCount()).isEqualTo(1);
  }

  @Test
  void failureDeadlineAndTimeToLiveGiveAllBack() {
    jobs.create(job("fails", 2).replace("restartPolicy: OnFailure", "restartPolicy: Never"));
    jobs.create(job("late", 2, "", "runPolicy: {activeDeadlineSeconds: 5}\n"));
    awaitRunning("fails", 2);
    awaitRunning("late", 2);
    awaitInUse(4);
    kubelet.finish(namespace, jobs.base("fails") + "-worker-1", 1);
    jobs.awaitPhase("fails", "Failed");
    jobs.awaitPhase("late", "Failed");
    awaitInUse(0);

    jobs.create(job("short", 1, "", "runPolicy: {ttlSecondsAfterFinished: 1}\n"));
    awaitRunning("short", 1);
    kubelet.finish(namespace, jobs.base("short") + "-worker-0", 0);
    await("job short is gone").atMost(PATIENCE).until(() -> jobs.find("short") == null);
    awaitInUse(0);
  }

  @Test
  void anElasticJobStartsWithWhatFitsAndGivesBackWhatItShrinksBy() {
    jobs.create(elastic(2, 6, 6));
    awaitRunning("elastic", QUOTA);
    awaitInUse(QUOTA);
    jobs.patch("elastic", "{\"spec\":{\"elastic\":{\"expectedReplicas\":2}}}");
    await("the quota of the nodes that have left is given back")
        .atMost(Duration.ofMinutes(2))
        .until(() -> kueue.queues().usage(clusterQueue).reserved("cpu") == 2);
    awaitRunning("elastic", 2);
  }

  @Test
  void anElasticJobGrowsIntoWhatBecomesFreeAndAPreemptionOfTheGrowthShrinksIt() {
    jobs.create(job("other", 2));
    awaitRunning("other", 2);
    jobs.create(elastic(2, 6, 4));
    awaitRunning("elastic", 2);
    awaitInUse(4);

    plane.kubectl("delete", "pj", "other", "-n", namespace).orThrow();
    awaitRunning("elastic", 4);
    awaitInUse(4);
    assertThat(Objects.requireNonNull(jobs.get("elastic").getStatus()).backoffCount()).isZero();
    String master = uid(jobs.base("elastic") + "-worker-0");

    jobs.create(job("first", 2, ", kueue.x-k8s.io/priority-class: urgent", ""));
    awaitRunning("first", 2);
    awaitRunning("elastic", 2);
    awaitInUse(4);
    assertThat(Objects.requireNonNull(jobs.get("elastic").getStatus()).disruptionCount()).isZero();
    assertThat(uid(jobs.base("elastic") + "-worker-0")).as("the others go on").isEqualTo(master);

    kubelet.finish(namespace, jobs.base("first") + "-worker-0", 0);
    kubelet.finish(namespace, jobs.base("first") + "-worker-1", 0);
    awaitRunning("elastic", 4);
    awaitInUse(4);

    plane.kubectl("delete", "pj", "elastic", "-n", namespace).orThrow();
    awaitInUse(0);
  }

  private String uid(String pod) {
    return plane.client().pods().inNamespace(namespace).withName(pod).get().getMetadata().getUid();
  }

  private static String elastic(int least, int most, int expected) {
    return job(
        "elastic",
        1,
        "",
        "torchrunConfig: {enabled: true, procPerNode: 1}\nelastic: {enabled: true, minReplicas: "
            + least
            + ", maxReplicas: "
            + most
            + ", expectedReplicas: "
            + expected
            + "}\n");
  }

  @Test
  void aKilledOperatorDoesNotLoseAHeldJob() {
    jobs.create(job("low", 3));
    awaitRunning("low", 3);
    operator.kill();
    jobs.create(job("high", 4, ", kueue.x-k8s.io/priority-class: urgent", ""));
    operator = OperatorProcess.start(plane.kubeconfig(), OperatorProcess.SHORT_DELAYS);
    awaitWaiting("low", "preempt");
    operator.kill();
    operator = OperatorProcess.start(plane.kubeconfig(), OperatorProcess.SHORT_DELAYS);
    awaitRunning("high", 4);
    finish("high");
    awaitRunning("low", 3);
    awaitInUse(3);
    assertThat(Objects.requireNonNull(jobs.get("low").getStatus()).backoffCount()).isZero();
  }

  /** Also while no operator runs: Kubernetes itself waits for the pods. */
  @Test
  void aDeletedJobKeepsItsQuotaUntilItsPodsHaveEnded() {
    jobs.create(job("first", 3));
    awaitRunning("first", 3);
    jobs.create(job("second", 3));
    awaitWaiting("second", "insufficient");
    plane.kubectl("delete", "pj", "first", "-n", namespace).orThrow();
    awaitRunning("second", 3);
    awaitInUse(3);

    jobs.create(job("third", 2));
    awaitWaiting("third", "insufficient");
    plane.kubectl("delete", "pj", "second", "--cascade=foreground", "-n", namespace).orThrow();
    awaitRunning("third", 2);

    operator.kill();
    plane.kubectl("delete", "pj", "third", "-n", namespace).orThrow();
    awaitInUse(0);
    assertThat(
            plane
                .kubectl("get", "workloads.kueue.x-k8s.io", "-n", namespace, "-o", "name")
                .orThrow())
        .isEmpty();
    operator = OperatorProcess.start(plane.kubeconfig(), OperatorProcess.SHORT_DELAYS);
  }

  /** The pods that a job keeps for their logs do not go with the Workload. */
  @Test
  void endedPodsOutliveTheWorkload() {
    jobs.create(job("kept", 2));
    awaitRunning("kept", 2);
    finish("kept");
    jobs.awaitPhase("kept", "Succeeded");
    awaitInUse(0);
    await("the Workload is gone")
        .atMost(PATIENCE)
        .until(
            () ->
                plane
                    .kubectl("get", "workloads.kueue.x-k8s.io", "-n", namespace, "-o", "name")
                    .orThrow()
                    .isEmpty());
    await("its pods have the job as only owner")
        .atMost(PATIENCE)
        .until(
            () ->
                jobs.pods("kept").size() == 2
                    && jobs.pods("kept").stream()
                        .allMatch(pod -> pod.getMetadata().getOwnerReferences().size() == 1));
  }

  @Test
  void onlyAJobThatDoesNotStartIsTakenBackByKueue() {
    kueue.close();
    kueue = Kueue.builder().waitForPodsReady(Duration.ofSeconds(6)).start(plane);
    try {
      kubelet.rule(pod -> pod.getMetadata().getName().startsWith("never"), Behaviour.stayPending());
      jobs.create(job("starts", 2));
      awaitRunning("starts", 2);
      jobs.create(job("never", 1));
      await("never is taken back")
          .atMost(PATIENCE)
          .until(
              () ->
                  jobs.events("never").stream()
                      .anyMatch(event -> event.getMessage().contains("PodsReady timeout")));
      plane.kubectl("delete", "pj", "never", "-n", namespace).orThrow();
      awaitInUse(2);
      assertThat(reasons("starts")).doesNotContain("Evicted");
      kubelet.finish(namespace, jobs.base("starts") + "-worker-1", 0);
      awaitInUse(1);
      assertThat(reasons("starts")).doesNotContain("Evicted");
    } finally {
      kueue.close();
      kueue = Kueue.start(plane);
    }
  }
}
