package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.schedulers.Coscheduling;
import dev.tensorstack.training.schedulers.Volcano;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What gangs go through, with each scheduler itself (contract section 10): that a pod was placed is
 * said by the scheduler's own event and the name of a node.
 */
@Tag("schedulers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GangLifeIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Volcano preempts for a whole gang, and does so without its action enqueue only. */
  private static final String PREEMPTING =
      Volcano.USUAL.replace(
          "enqueue, allocate, backfill", "allocate, gangpreempt, gangreclaim, backfill");

  /** The schedulers, and how a job asks for them. */
  enum Scheduler {
    VOLCANO("volcano: {priorityClassName: %s}", Volcano.SCHEDULER),
    COSCHEDULING("coscheduling: {}", Coscheduling.SCHEDULER),
    KUBERNETES("kubernetes: {}", "default-scheduler");

    private final String ofJob;
    private final String component;

    Scheduler(String ofJob, String component) {
      this.ofJob = ofJob;
      this.component = component;
    }
  }

  /** Of its own: nodes are few, and three schedulers share them. */
  private final ControlPlane plane =
      ControlPlane.builder().podGroups(true).memoryForTime(true).start();

  private Volcano volcano;
  private Coscheduling coscheduling;
  private FakeKubelet kubelet;
  private OperatorProcess operator;
  private String namespace;
  private Jobs jobs;

  @BeforeAll
  void start() {
    volcano = Volcano.start(plane, PREEMPTING);
    coscheduling = Coscheduling.start(plane);
    kubelet =
        FakeKubelet.start(
            plane.client(), FakeKubeletOptions.nodes(2).namePrefix("life").resource("cpu", "2"));
    OperatorProcess.installCrds(plane.client());
    Map.of("low", 1, "high", 1000)
        .forEach(
            (name, value) ->
                plane.kubectl("create", "priorityclass", name, "--value=" + value).orThrow());
    operator = OperatorProcess.start(plane.kubeconfig(), OperatorProcess.SHORT_DELAYS);
  }

  @AfterAll
  void stop() {
    try (plane) {
      operator.close();
      kubelet.close();
      coscheduling.close();
      volcano.close();
    }
  }

  @BeforeEach
  void makeNamespace() {
    namespace = plane.createNamespace("life");
    jobs = new Jobs(plane.client(), namespace);
  }

  /** The next test has all nodes. */
  @AfterEach
  void removeJobs() {
    plane.kubectl("delete", "pj", "--all", "-n", namespace).orThrow();
    await("the pods are gone")
        .atMost(PATIENCE)
        .until(() -> plane.client().pods().inNamespace(namespace).list().getItems().isEmpty());
  }

  /** Workers with one CPU each: the nodes have room for four. */
  private void create(Scheduler scheduler, String name, int workers, String... more) {
    create(scheduler, name, workers, "low", List.of(more));
  }

  private void create(
      Scheduler scheduler, String name, int workers, String priority, List<String> more) {
    plane
        .kubectlWithInput(
            """
            apiVersion: batch.tensorstack.dev/v1beta1
            kind: PyTorchTrainingJob
            metadata: {name: %s}
            spec:
              scheduler: {%s}
              %s
              replicaSpecs:
              - type: worker
                replicas: %d
                restartPolicy: OnFailure
                template:
                  spec:
                    priorityClassName: %s
                    containers:
                    - {name: pytorch, image: "registry.example/train:1", command: [python, train.py], resources: {requests: {cpu: 1}}}
            """
                .formatted(
                    name,
                    scheduler.ofJob.formatted(priority),
                    String.join("\n  ", more),
                    workers,
                    priority),
            "apply",
            "-n",
            namespace,
            "-f",
            "-")
        .orThrow();
  }

  private List<Pod> livePods(String job) {
    return jobs.pods(job).stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> !Set.of("Succeeded", "Failed").contains(pod.getStatus().getPhase()))
        .toList();
  }

  private Set<String> uids(String job) {
    return livePods(job).stream()
        .map(Pod::getMetadata)
        .map(ObjectMeta::getUid)
        .collect(Collectors.toSet());
  }

  /** The uids of pods that have a node. */
  private Set<String> placedUids(String job) {
    return livePods(job).stream()
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .map(pod -> pod.getMetadata().getUid())
        .collect(Collectors.toSet());
  }

  private int placed(String job) {
    return placedUids(job).size();
  }

  /** The uids of all pods of a job that a scheduler says it has placed. */
  private Set<String> scheduled(Scheduler by, String job) {
    return plane.client().v1().events().inNamespace(namespace).list().getItems().stream()
        .filter(event -> "Scheduled".equals(event.getReason()))
        .filter(event -> event.getInvolvedObject().getName().startsWith(job + "-"))
        .filter(event -> by.component.equals(component(event)))
        .map(event -> event.getInvolvedObject().getUid())
        .collect(Collectors.toSet());
  }

  private static @Nullable String component(Event event) {
    return event.getReportingComponent() == null || event.getReportingComponent().isEmpty()
        ? event.getSource().getComponent()
        : event.getReportingComponent();
  }

  /** All pods run, each on a node that the scheduler says it has chosen. */
  private void awaitRunning(Scheduler scheduler, String job, int pods) {
    await(job + " runs with " + pods)
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              PyTorchTrainingJobStatus status = jobs.get(job).getStatus();
              assertThat(status).isNotNull();
              assertThat(status.phase()).isEqualTo("Running");
              assertThat(placed(job)).isEqualTo(pods);
              assertThat(scheduled(scheduler, job)).containsAll(placedUids(job));
            });
  }

  private void awaitWaiting(String job, int pods) {
    await(job + " waits").atMost(PATIENCE).until(() -> livePods(job).size() == pods);
    jobs.await(
        job,
        "waits for its scheduler",
        status ->
            status.conditions() != null
                && status.conditions().stream()
                    .anyMatch(
                        condition ->
                            "Running".equals(condition.type())
                                && Set.of("Unschedulable", "WaitingForGang")
                                    .contains(String.valueOf(condition.reason()))));
    assertThat(placed(job)).isZero();
  }

  private void finish(String job) {
    livePods(job).forEach(pod -> kubelet.finish(namespace, pod.getMetadata().getName(), 0));
  }

  private void pause(String job, boolean on) {
    jobs.patch(job, "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":" + on + "}}}}");
  }

  @ParameterizedTest
  @EnumSource
  void aGangRunsAsAWholeOrNotAtAllAndAPauseGivesItsRoomToTheNext(Scheduler scheduler) {
    create(scheduler, "first", 3);
    awaitRunning(scheduler, "first", 3);
    create(scheduler, "second", 3);
    awaitWaiting("second", 3);
    assertThat(scheduled(scheduler, "second")).as("one would have fitted").isEmpty();

    pause("first", true);
    awaitRunning(scheduler, "second", 3);
    jobs.awaitPhase("first", "Paused");
    pause("first", false);
    awaitWaiting("first", 3);
    finish("second");
    awaitRunning(scheduler, "first", 3);
    assertThat(jobs.get("first").getStatus().backoffCount()).isZero();
    assertThat(jobs.get("first").getStatus().disruptionCount()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void anAttemptIsPlacedAsAWholeAndAReplacementAlone(Scheduler scheduler) {
    create(scheduler, "attempts", 4, "runPolicy: {restartScope: Job, backoffLimit: 3}");
    awaitRunning(scheduler, "attempts", 4);
    Set<String> before = uids("attempts");
    kubelet.finish(namespace, jobs.base("attempts") + "-worker-2", 1);
    await("a new attempt")
        .atMost(PATIENCE)
        .until(() -> Integer.valueOf(1).equals(jobs.get("attempts").getStatus().backoffCount()));
    awaitRunning(scheduler, "attempts", 4);
    assertThat(uids("attempts")).doesNotContainAnyElementsOf(before);
    plane.kubectl("delete", "pj", "attempts", "-n", namespace).orThrow();

    create(scheduler, "replaced", 4, "runPolicy: {restartScope: Replica, backoffLimit: 3}");
    awaitRunning(scheduler, "replaced", 4);
    Set<String> first = uids("replaced");
    kubelet.finish(namespace, jobs.base("replaced") + "-worker-2", 1);
    await("another pod")
        .atMost(PATIENCE)
        .until(() -> uids("replaced").size() == 4 && !uids("replaced").equals(first));
    awaitRunning(scheduler, "replaced", 4);
    assertThat(uids("replaced").stream().filter(first::contains)).hasSize(3);
    assertThat(jobs.get("replaced").getStatus().backoffCount()).isEqualTo(1);
  }

  /** The plugin refuses a gang for which there is no room before anybody could make room. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COSCHEDULING")
  void aPreemptedGangCountsNoFailureAndComesBackWhenThereIsRoom(Scheduler scheduler) {
    create(scheduler, "lesser", 4);
    awaitRunning(scheduler, "lesser", 4);
    create(scheduler, "better", 4, "high", List.of());
    awaitRunning(scheduler, "better", 4);
    awaitWaiting("lesser", 4);
    assertThat(jobs.get("lesser").getStatus().disruptionCount()).isPositive();
    assertThat(jobs.get("lesser").getStatus().backoffCount()).isZero();

    finish("better");
    awaitRunning(scheduler, "lesser", 4);
    assertThat(jobs.get("lesser").getStatus().backoffCount()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void anElasticGangStartsWithWhatFitsAndGrowsIntoWhatBecomesFree(Scheduler scheduler) {
    create(scheduler, "other", 1);
    awaitRunning(scheduler, "other", 1);
    create(
        scheduler,
        "elastic",
        4,
        "torchrunConfig: {enabled: true}",
        "elastic: {enabled: true, minReplicas: 2, maxReplicas: 4, expectedReplicas: 4}");
    awaitRunning(scheduler, "elastic", 3);
    Set<String> first = placedUids("elastic");

    finish("other");
    awaitRunning(scheduler, "elastic", 4);
    assertThat(uids("elastic")).as("nobody was restarted").containsAll(first);
  }
}
