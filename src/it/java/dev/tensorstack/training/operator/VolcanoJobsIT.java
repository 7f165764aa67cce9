package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.schedulers.Volcano;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Gangs of a real Volcano: they run whole or not at all, and say what they wait for. */
@Tag("schedulers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VolcanoJobsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The operator looks at queues every 30 seconds, and a job is told at its next look. */
  private static final Duration TOLD_WITHIN = Duration.ofSeconds(75);

  /** Of its own: it has Volcano's queues. */
  private final ControlPlane plane = ControlPlane.builder().memoryForTime(true).start();

  private Volcano volcano;
  private FakeKubelet kubelet;
  private OperatorProcess operator;
  private String namespace;
  private String queue;
  private Jobs jobs;
  private PyTorchJobScene kubeflow;

  @BeforeAll
  void start() {
    volcano = Volcano.start(plane);
    kubelet =
        FakeKubelet.start(
            plane.client(), FakeKubeletOptions.nodes(2).namePrefix("volcano").resource("cpu", "4"));
    OperatorProcess.installCrds(plane.client());
    operator =
        OperatorProcess.start(
            plane.kubeconfig(),
            Map.of(
                "OPERATOR_PYTORCHJOB_GANG_SCHEDULER",
                "volcano",
                "OPERATOR_RESTART_DELAY_BASE",
                "1s"));
  }

  @AfterAll
  void stop() {
    try (plane) {
      operator.close();
      kubelet.close();
      volcano.close();
    }
  }

  @BeforeEach
  void makeNamespace() {
    namespace = plane.createNamespace("volcano");
    queue = "of-" + namespace;
    jobs = new Jobs(plane.client(), namespace);
    kubeflow = new PyTorchJobScene(plane, namespace);
  }

  /** The next test has all nodes. */
  @AfterEach
  void removeJobs() {
    plane.kubectl("delete", "pj,pytorchjobs", "--all", "-n", namespace).orThrow();
    awaitThat(
        "the pods are gone",
        () -> plane.client().pods().inNamespace(namespace).list().getItems().isEmpty());
  }

  private void apply(String manifest) {
    plane.kubectlWithInput(manifest, "apply", "-n", namespace, "-f", "-").orThrow();
  }

  private void queue(int cpu) {
    apply(
        """
        apiVersion: scheduling.volcano.sh/v1beta1
        kind: Queue
        metadata: {name: %s}
        spec: {capability: {cpu: %d}}
        """
            .formatted(queue, cpu));
    awaitThat("the queue is open", () -> state().equals("Open"));
  }

  private String ofTheQueue(String path) {
    return plane
        .kubectl("get", "queues.scheduling.volcano.sh", queue, "-o", "jsonpath={" + path + "}")
        .orThrow();
  }

  private String state() {
    return ofTheQueue(".status.state");
  }

  /** As {@code vcctl queue operate} does it. */
  private void operate(String action) {
    plane
        .kubectlWithInput(
            """
            apiVersion: bus.volcano.sh/v1alpha1
            kind: Command
            metadata: {generateName: operate-}
            action: %s
            target: {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, name: %s, uid: %s}
            """
                .formatted(action, queue, ofTheQueue(".metadata.uid")),
            "create",
            "-n",
            namespace,
            "-f",
            "-")
        .orThrow();
  }

  private void awaitThat(String what, Callable<Boolean> condition) {
    await(what).atMost(PATIENCE).until(condition);
  }

  /** Workers with one CPU each. */
  private void create(String name, int workers) {
    apply(
        """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata: {name: %s}
        spec:
          scheduler: {volcano: {queue: %s}}
          replicaSpecs:
          - type: worker
            replicas: %d
            restartPolicy: OnFailure
            template:
              spec:
                containers:
                - {name: pytorch, image: "registry.example/train:1", command: [python, train.py], resources: {requests: {cpu: 1}}}
        """
            .formatted(name, queue, workers));
  }

  private void createOfKubeflow(String name, int workers) {
    apply(
        """
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {name: %s}
        spec:
          runPolicy: {schedulingPolicy: {queue: %s}}
          pytorchReplicaSpecs:
            Worker:
              replicas: %d
              template:
                spec:
                  containers: [{name: pytorch, image: "registry.example/train:1", resources: {requests: {cpu: 1}}}]
        """
            .formatted(name, queue, workers));
  }

  private static JobCondition running(PyTorchTrainingJobStatus status) {
    return Objects.requireNonNull(status.conditions()).stream()
        .filter(condition -> "Running".equals(condition.type()))
        .findFirst()
        .orElseThrow();
  }

  private String message(String job) {
    PyTorchTrainingJobStatus status = jobs.get(job).getStatus();
    return status == null ? "" : String.valueOf(running(status).message());
  }

  private void awaitSaid(String job, String... words) {
    await(job + " says " + List.of(words))
        .atMost(TOLD_WITHIN)
        .untilAsserted(() -> assertThat(message(job)).contains(words));
    assertThat(jobs.get(job).getStatus())
        .satisfies(
            status -> {
              assertThat(status.phase()).isEqualTo("Pending");
              assertThat(running(status).reason()).isIn("Unschedulable", "WaitingForGang");
            });
    assertThat(jobs.pods(job)).allMatch(pod -> pod.getSpec().getNodeName() == null);
  }

  /** Its status has no place for it; an event does. */
  private void awaitSaidOfKubeflow(String job, String... words) {
    await(job + " says " + List.of(words))
        .atMost(TOLD_WITHIN)
        .untilAsserted(
            () ->
                assertThat(kubeflow.events(job))
                    .filteredOn(event -> "WaitingForGang".equals(event.getReason()))
                    .extracting(Event::getMessage)
                    .anySatisfy(message -> assertThat(message).contains(words)));
    assertThat(kubeflow.pods(job)).isEmpty();
  }

  /** All of its pods run at some moment, and by then each has a node. */
  private void awaitRunning(String job, int pods) {
    jobs.awaitPhase(job, "Running");
    assertThat(jobs.pods(job))
        .filteredOn(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .hasSize(pods)
        .extracting(pod -> pod.getSpec().getNodeName())
        .doesNotContainNull();
    assertThat(message(job)).isEqualTo(pods + " of " + pods + " pods run");
  }

  @Test
  void aGangLargerThanItsQueueSaysSoAndRunsOnceTheQueueIsEnlarged() {
    queue(2);
    create("large", 3);
    createOfKubeflow("kf-large", 3);
    String[] words = {
      "queue " + queue + " (Open, capability cpu=2) can never hold the gang",
      "the gang asks for cpu=3, minMember 3",
      "Volcano says: queue resource quota insufficient: insufficient cpu"
    };
    awaitSaid("large", words);
    awaitSaidOfKubeflow("kf-large", words);

    queue(6);

    awaitRunning("large", 3);
    kubeflow.awaitState("kf-large", "Running");
  }

  @Test
  void aGangInAQueueThatIsMissingSaysSoAndRunsOnceItIsThere() {
    create("lost", 2);
    createOfKubeflow("kf-lost", 2);
    String[] words = {
      "queue " + queue + " does not exist: create it", "the gang asks for cpu=2, minMember 2"
    };
    awaitSaid("lost", words);
    awaitSaidOfKubeflow("kf-lost", words);

    queue(4);

    awaitRunning("lost", 2);
    kubeflow.awaitState("kf-lost", "Running");
  }

  @Test
  void aGangInAClosedQueueSaysSoAndRunsOnceItIsOpened() {
    queue(4);
    operate("CloseQueue");
    awaitThat("the queue is closed", () -> state().equals("Closed"));
    create("early", 2);
    createOfKubeflow("kf-early", 2);
    awaitSaid("early", "queue " + queue + " (Clos", ") lets no gang in until it is Open");
    awaitSaidOfKubeflow("kf-early", "queue " + queue + " (Clos", "until it is Open");

    operate("OpenQueue");

    awaitRunning("early", 2);
    kubeflow.awaitState("kf-early", "Running");
  }

  @Test
  void aPauseGivesTheRoomAwayAndAResumeWaitsForItAnew() {
    queue(4);
    create("first", 3);
    awaitRunning("first", 3);
    create("second", 3);
    awaitSaid(
        "second", "queue " + queue + " (Open, capability cpu=4) has no room for the gang yet");

    jobs.patch("first", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}");
    jobs.awaitPhase("first", "Paused");
    awaitRunning("second", 3);
    jobs.patch("first", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":false}}}}");
    await("first waits anew")
        .atMost(TOLD_WITHIN)
        .untilAsserted(() -> assertThat(message("first")).contains("has no room for the gang yet"));
    assertThat(jobs.pods("first")).allMatch(pod -> pod.getSpec().getNodeName() == null);

    jobs.pods("second").forEach(pod -> kubelet.finish(namespace, pod.getMetadata().getName(), 0));
    awaitRunning("first", 3);
  }

  /** The queue would hold it, the nodes do not. */
  @Test
  void noPodOfAGangThatDoesNotFitIsBound() {
    queue(20);
    create("whole", 9); // there are eight CPUs
    create("small", 4);
    awaitRunning("small", 4);
    awaitSaid("whole", "minMember 9", "Volcano says: resource in cluster is overused");
    assertThat(
            plane.client().v1().events().inNamespace(namespace).list().getItems().stream()
                .filter(event -> "Scheduled".equals(event.getReason()))
                .map(event -> event.getInvolvedObject().getName()))
        .as("what the scheduler says it has bound")
        .filteredOn(name -> name.contains("worker"))
        .hasSize(4)
        .allMatch(name -> name.startsWith("small-"));
    List<Pod> waiting = jobs.pods("whole");
    assertThat(waiting).hasSize(9).allMatch(pod -> pod.getSpec().getNodeName() == null);
  }
}
