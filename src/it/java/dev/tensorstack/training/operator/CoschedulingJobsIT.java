package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.AdminAccount;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.schedulers.Coscheduling;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Gangs of the real coscheduling plugin, with the delays that its scheduler has when nobody sets
 * them: without the operator's help a gang that waits is looked at after five minutes.
 */
@Tag("schedulers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CoschedulingJobsIT {

  private static final Logger LOG = Logger.getLogger(CoschedulingJobsIT.class);

  /** The scheduler and its controller, in the audit log. */
  private static final String SCHEDULER = AdminAccount.userOf("scheduler-plugins", "coscheduling");

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** In which a gang takes room that is free. */
  private static final Duration PLACED_WITHIN = Duration.ofSeconds(5);

  /** Of its own, with priority classes and a node of four CPUs. */
  private final ControlPlane plane =
      ControlPlane.builder().auditLog(true).memoryForTime(true).start();

  private Coscheduling coscheduling;
  private FakeKubelet kubelet;
  private OperatorProcess operator;
  private AuditLog audit;
  private String namespace;
  private Jobs jobs;

  @BeforeAll
  void start() {
    coscheduling = Coscheduling.startWithUsualDelays(plane);
    kubelet =
        FakeKubelet.start(
            plane.client(), FakeKubeletOptions.nodes(1).namePrefix("gangs").resource("cpu", "4"));
    OperatorProcess.installCrds(plane.client());
    Map.of("low", 1, "middle", 500, "high", 1000)
        .forEach(
            (name, value) ->
                plane.kubectl("create", "priorityclass", name, "--value=" + value).orThrow());
    audit = AuditLog.fromNowOn(plane, "admin");
    operator = OperatorProcess.start(plane.kubeconfig(), OperatorProcess.SHORT_DELAYS);
  }

  @AfterAll
  void stop() {
    try (plane) {
      operator.close();
      kubelet.close();
      coscheduling.close();
    }
  }

  @BeforeEach
  void makeNamespace() {
    namespace = plane.createNamespace("coscheduling");
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

  /** Workers with so many CPUs each. */
  private void create(String name, int workers, int cpu, String priority) {
    plane
        .kubectlWithInput(
            """
            apiVersion: batch.tensorstack.dev/v1beta1
            kind: PyTorchTrainingJob
            metadata: {name: %s}
            spec:
              scheduler: {coscheduling: {}}
              replicaSpecs:
              - type: worker
                replicas: %d
                restartPolicy: OnFailure
                template:
                  spec:
                    priorityClassName: %s
                    containers:
                    - {name: pytorch, image: "registry.example/train:1", command: [python, train.py], resources: {requests: {cpu: %d}}}
            """
                .formatted(name, workers, priority, cpu),
            "apply",
            "-n",
            namespace,
            "-f",
            "-")
        .orThrow();
  }

  private long placed(String job) {
    return jobs.pods(job).stream().filter(pod -> pod.getSpec().getNodeName() != null).count();
  }

  /** The scheduler has refused all of its pods. */
  private void awaitRefused(String job, int pods) {
    await("all pods of " + job + " are refused")
        .atMost(PATIENCE)
        .until(() -> jobs.pods(job).stream().filter(CoschedulingJobsIT::isRefused).count() == pods);
  }

  private static boolean isRefused(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(condition -> "Unschedulable".equals(condition.getReason()));
  }

  /** Waits until the operator has woken gangs once for room that it has not seen. */
  private void awaitWoken() {
    long before = wakes();
    await("gangs are woken").atMost(PATIENCE).until(() -> wakes() > before);
  }

  private long wakes() {
    return audit.writes(namespace).stream()
        .filter(write -> write.what().equals("patch podgroups"))
        .count();
  }

  /** The scheduler and its controller do nothing more about what was there. */
  private void awaitQuiet() {
    AtomicInteger before = new AtomicInteger(-1);
    AuditLog scheduler = AuditLog.fromNowOn(plane, SCHEDULER);
    await("the scheduler rests")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(2))
        .until(
            () -> {
              int now = scheduler.writes().size();
              return before.getAndSet(now) == now;
            });
  }

  private void awaitPlaced(String job, int pods, Runnable room) {
    long begin = System.nanoTime();
    room.run();
    await(job + " is placed as a whole")
        .pollInterval(Duration.ofMillis(50))
        .atMost(PLACED_WITHIN)
        .until(() -> placed(job) == pods);
    LOG.infof(
        "MEASURED %s placed after %d ms",
        job, Duration.ofNanos(System.nanoTime() - begin).toMillis());
  }

  private void finish(String job) {
    jobs.pods(job).parallelStream()
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .forEach(pod -> kubelet.finish(namespace, pod.getMetadata().getName(), 0));
  }

  private void awaitBothRefused() {
    create("low", 4, 1, "low");
    awaitRefused("low", 4);
    create("high", 4, 1, "high");
    awaitRefused("high", 4);
  }

  /** The room comes at once: a gang whose pods end one by one is another test's. */
  @RepeatedTest(3)
  void roomOfAGangThatEndsIsTakenByTheGangOfTheHighestPriority() {
    create("first", 1, 4, "middle");
    jobs.awaitPhase("first", "Running");
    awaitBothRefused();
    awaitWoken();
    awaitQuiet();

    awaitPlaced("high", 4, () -> finish("first"));
    assertThat(placed("low")).isZero();
    jobs.awaitPhase("high", "Running");
    assertThat(placed("low")).isZero();

    awaitQuiet();
    awaitPlaced("low", 4, () -> finish("high"));
  }

  /**
   * While its pods end, the scheduler looks at pod after pod: the gang that it looks at when the
   * last one has ended takes the room, which is mostly, and not always, that of the highest
   * priority. It takes it as a whole.
   */
  @RepeatedTest(3)
  void roomOfPodsThatEndOneByOneIsTakenByOneGangAsAWhole() {
    create("first", 4, 1, "middle");
    jobs.awaitPhase("first", "Running");
    awaitBothRefused();
    awaitQuiet();

    long begin = System.nanoTime();
    finish("first");
    await("one of both is placed as a whole")
        .pollInterval(Duration.ofMillis(50))
        .atMost(PLACED_WITHIN)
        .until(() -> placed("high") == 4 || placed("low") == 4);
    boolean high = placed("high") == 4;
    LOG.infof(
        "MEASURED %s placed after %d ms",
        high ? "high, one by one," : "LOW, one by one,",
        Duration.ofNanos(System.nanoTime() - begin).toMillis());
    assertThat(placed(high ? "low" : "high")).as("pods of the other one").isZero();
  }

  @RepeatedTest(3)
  void aNodeThatGrowsIsTakenByTheGangOfTheHighestPriority() {
    create("first", 4, 1, "middle");
    jobs.awaitPhase("first", "Running");
    awaitBothRefused();
    awaitQuiet();
    String node = kubelet.nodeNames().iterator().next();
    try {
      awaitPlaced("high", 4, () -> give(node, 8));
      assertThat(placed("low")).isZero();
      awaitQuiet();
      awaitPlaced("low", 4, () -> give(node, 12));
    } finally {
      give(node, 4);
    }
  }

  private void give(String node, int cpu) {
    plane
        .kubectl(
            "patch",
            "node",
            node,
            "--subresource=status",
            "--type=merge",
            "-p",
            "{\"status\":{\"capacity\":{\"cpu\":\"%1$d\"},\"allocatable\":{\"cpu\":\"%1$d\"}}}"
                .formatted(cpu))
        .orThrow();
  }

  /** Ten gangs that wait cost no more than one. */
  @Test
  void wakesAreFew() {
    create("first", 4, 1, "high");
    jobs.awaitPhase("first", "Running");
    for (int gang = 0; gang < 10; gang++) {
      create("waits-" + gang, 4, 1, "low");
    }
    awaitRefused("waits-9", 4);
    long before = wakes();
    awaitWoken();
    awaitWoken();
    LOG.infof("MEASURED %d writes for two wakes of ten gangs", wakes() - before);
    assertThat(wakes() - before).isLessThanOrEqualTo(6);
  }
}
