package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Pause, resume and debug, at any moment and in any order. Pods that are told to stop take a moment
 * and exit with 0, as training that saves its state does: that is no success.
 */
@OperatorTest(value = "modes", operator = false, deletionMillis = 1_200, deletionExitCode = 0)
class PauseAndDebugIT {

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private OperatorProcess operator;
  private final Watch watch;
  private final Watch podWatch;
  private final Map<String, List<String>> phases = new ConcurrentHashMap<>();
  private final Map<String, List<String>> journal = new ConcurrentHashMap<>();

  PauseAndDebugIT(
      ControlPlane controlPlane, KubernetesClient client, Jobs jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.jobs = jobs;
    this.kubelet = kubelet;
    this.namespace = jobs.namespace();
    kubelet.rule(pod -> pod.getMetadata().getName().startsWith("slow-"), Behaviour.stayPending());
    watch =
        client
            .resources(PyTorchTrainingJob.class)
            .inNamespace(namespace)
            .watch(new PhaseRecorder());
    podWatch = client.pods().inNamespace(namespace).watch(new PodRecorder());
    operator = startOperator();
  }

  private OperatorProcess startOperator() {
    return OperatorProcess.start(
        controlPlane.kubeconfig(),
        Map.of("OPERATOR_WATCH_NAMESPACES", namespace, "OPERATOR_RESTART_DELAY_BASE", "4s"));
  }

  @AfterAll
  void stop() {
    operator.close();
    watch.close();
    podWatch.close();
  }

  /** Remembers through which phases each job goes. */
  private final class PhaseRecorder implements Watcher<PyTorchTrainingJob> {
    @Override
    public void eventReceived(Action action, PyTorchTrainingJob job) {
      if (job.getStatus() == null || job.getStatus().phase() == null) {
        return;
      }
      List<String> known =
          phases.computeIfAbsent(job.getMetadata().getName(), name -> new CopyOnWriteArrayList<>());
      String phase = job.getStatus().phase();
      note(
          job.getMetadata().getName(),
          "generation %d, seen %d: %s %s, attempt %d, start %s"
              .formatted(
                  job.getMetadata().getGeneration(),
                  job.getStatus().observedGeneration(),
                  phase,
                  job.getStatus().columns().reason(),
                  job.getStatus().attempt(),
                  job.getStatus().startTime()));
      if (known.isEmpty() || !known.get(known.size() - 1).equals(phase)) {
        known.add(phase);
      }
    }

    @Override
    public void onClose(WatcherException cause) {
      phases.clear();
    }
  }

  /** Remembers what became of each job's pods, for the message of a test that fails. */
  private final class PodRecorder implements Watcher<Pod> {
    @Override
    public void eventReceived(Action action, Pod pod) {
      note(
          Objects.requireNonNull(pod.getMetadata().getLabels().get(TrainingJobLabels.OWNER_NAME)),
          "%s %s %s, deleted %s after %s, ended %s"
              .formatted(
                  action,
                  pod.getMetadata().getName(),
                  pod.getStatus().getPhase(),
                  pod.getMetadata().getDeletionTimestamp(),
                  pod.getMetadata().getDeletionGracePeriodSeconds(),
                  pod.getStatus().getContainerStatuses().stream()
                      .map(container -> container.getState().getTerminated())
                      .filter(Objects::nonNull)
                      .map(end -> end.getFinishedAt())
                      .toList()));
    }

    @Override
    public void onClose(WatcherException cause) {
      note("", "the watch of the pods ended");
    }
  }

  private void note(String job, String what) {
    journal
        .computeIfAbsent(job, name -> new CopyOnWriteArrayList<>())
        .add(Instant.now() + " " + what);
  }

  private static final String POD =
      """
            template:
              spec:
                terminationGracePeriodSeconds: 7
                initContainers: [{name: fetch, image: i:1, command: [fetch]}]
                containers:
                - name: pytorch
                  image: i:1
                  command: [python, train.py]
                  args: [--fresh]
                  env: [{name: MINE, value: "$(MASTER_ADDR)"}]
                  livenessProbe: {exec: {command: [alive]}}
                  readinessProbe: {exec: {command: [ready]}}
                  startupProbe: {exec: {command: [started]}}
      """;

  /** A master and a worker. */
  private void create(String name, String runMode) {
    String types =
        """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata:
          name: %s
        spec:
          runPolicy: {cleanUpPolicy: None}
          runMode: {%s}
          replicaSpecs:
          - type: master
            restartPolicy: OnFailure
        %s\
          - type: worker
            restartPolicy: OnFailure
        %s\
        """;
    String pod = POD.indent(0).replaceAll("(?m)^      ", "    ");
    jobs.create(types.formatted(name, runMode, pod, pod));
  }

  private void pause(String job, boolean on) {
    jobs.patch(job, "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":" + on + "}}}}");
  }

  private void debug(String job, boolean on) {
    jobs.patch(job, "{\"spec\":{\"runMode\":{\"debug\":{\"enabled\":" + on + "}}}}");
  }

  private String pod(String job, String replica) {
    return jobs.base(job) + "-" + replica;
  }

  /** The job's pods without their common prefix. */
  private List<String> pods(String job) {
    String prefix = jobs.base(job) + "-";
    return jobs.pods(job).stream()
        .map(pod -> pod.getMetadata().getName().substring(prefix.length()))
        .toList();
  }

  private Pod get(String job, String replica) {
    return client.pods().inNamespace(namespace).withName(pod(job, replica)).get();
  }

  private static Container training(Pod pod) {
    return pod.getSpec().getContainers().get(0);
  }

  private static String condition(PyTorchTrainingJobStatus status, String type) {
    JobCondition condition =
        status.conditions().stream()
            .filter(one -> type.equals(one.type()))
            .findFirst()
            .orElseThrow();
    return condition.status() + " " + condition.reason();
  }

  private PyTorchTrainingJobStatus awaitReason(String job, String reason) {
    return jobs.await(job, reason, status -> reason.equals(status.columns().reason())).getStatus();
  }

  private int count(String job, String event) {
    return jobs.events(job).stream()
        .filter(one -> one.getReason().equals(event))
        .mapToInt(Event::getCount)
        .sum();
  }

  private void finish(String job, String replica, int exitCode) {
    kubelet.finish(namespace, pod(job, replica), exitCode);
  }

  private static void assertNothingCost(PyTorchTrainingJobStatus status) {
    assertThat(status.backoffCount()).isZero();
    assertThat(status.disruptionCount()).isZero();
    assertThat(status.tasks()).allMatch(task -> task.restartCount() == 0);
    assertThat(status.completionTime()).isNull();
  }

  /** Waits for the phases a job has gone through: the watch may lag behind the API server. */
  private void awaitPhases(String job, Consumer<ListAssert<String>> expectation) {
    await("the phases of " + job)
        .untilAsserted(
            () -> expectation.accept(assertThat(List.copyOf(phases.getOrDefault(job, List.of())))));
  }

  @Test
  void aJobCreatedPausedHasNoPodsAndComesBackWithItsResumeSpecs() {
    create(
        "born-paused",
        "pause: {enabled: true, resumeSpecs: ["
            + "{type: worker, command: [python, go.py], args: [--resume], skipInitContainer: true}]}");
    PyTorchTrainingJobStatus paused = jobs.awaitPhase("born-paused", "Paused").getStatus();
    assertThat(condition(paused, "Paused")).isEqualTo("True Paused");
    assertThat(condition(paused, "Running")).isEqualTo("False Paused");
    assertThat(condition(paused, "Initialized")).isEqualTo("False Paused");
    assertThat(paused.startTime()).isNull();
    assertThat(jobs.pods("born-paused")).isEmpty();

    pause("born-paused", false);
    PyTorchTrainingJobStatus running = jobs.awaitPhase("born-paused", "Running").getStatus();
    assertThat(condition(running, "Paused")).isEqualTo("False Resuming");
    assertThat(running.startTime()).isNotNull();
    awaitPhases("born-paused", seen -> seen.containsExactly("Paused", "Resuming", "Running"));
    Pod worker = get("born-paused", "worker-0");
    assertThat(training(worker).getCommand()).containsExactly("python", "go.py");
    assertThat(training(worker).getArgs()).containsExactly("--resume");
    assertThat(worker.getSpec().getInitContainers()).isEmpty();
    Pod master = get("born-paused", "master-0");
    assertThat(training(master).getCommand()).containsExactly("python", "train.py");
    assertThat(training(master).getArgs()).containsExactly("--fresh");
    assertThat(master.getSpec().getInitContainers()).hasSize(1);
    finish("born-paused", "master-0", 0);
    jobs.awaitPhase("born-paused", "Succeeded");
  }

  @Test
  void aRunningJobIsPausedGracefullyAndResumedWithItsCountsTwice() {
    create("twice", "pause: {enabled: false}");
    finish("twice", "worker-0", 1);
    jobs.await(
        "twice",
        "a second attempt that runs",
        status -> status.attempt() == 1 && status.phase().equals("Running"));
    finish("twice", "worker-0-r1", 0);
    jobs.await("twice", "a worker that is done", status -> status.aggregate().succeeded() == 1);
    Instant start = Instant.parse(jobs.get("twice").getStatus().startTime());

    pause("twice", true);
    // Told to stop, with the grace period of its own template.
    await("the master being deleted")
        .pollInterval(Duration.ofMillis(50))
        .untilAsserted(
            () ->
                assertThat(get("twice", "master-0-r1").getMetadata().getDeletionTimestamp())
                    .isNotNull());
    assertThat(get("twice", "master-0-r1").getMetadata().getDeletionGracePeriodSeconds())
        .isEqualTo(7);
    PyTorchTrainingJobStatus pausing = awaitReason("twice", "Paused");
    assertThat(pausing.phase()).isIn("Running", "Paused");
    PyTorchTrainingJobStatus paused = jobs.awaitPhase("twice", "Paused").getStatus();
    assertThat(condition(paused, "Paused")).isEqualTo("True Paused");
    assertThat(condition(paused, "Completed")).isEqualTo("False NotFinished");
    assertThat(paused.aggregate().succeeded()).isEqualTo(1);
    assertThat(paused.aggregate().deleted()).isEqualTo(1);
    assertThat(paused.columns().running()).isEqualTo("0/2");
    // What had ended stays for its log.
    await("the master gone")
        .untilAsserted(() -> assertThat(pods("twice")).containsExactly("worker-0", "worker-0-r1"));

    pause("twice", false);
    PyTorchTrainingJobStatus resumed = jobs.awaitPhase("twice", "Running").getStatus();
    assertThat(pods("twice"))
        .containsExactly("master-0-r2", "worker-0", "worker-0-r1", "worker-0-r2");
    assertThat(Instant.parse(resumed.startTime())).isAfter(start);
    assertThat(resumed.backoffCount()).isEqualTo(1);
    assertThat(resumed.attempt()).isEqualTo(1);
    assertThat(resumed.tasks().get(1).restartCount()).isEqualTo(1);
    assertThat(count("twice", "Paused")).isEqualTo(1);
    assertThat(count("twice", "Resumed")).isEqualTo(1);

    pause("twice", true);
    jobs.awaitPhase("twice", "Paused");
    pause("twice", false);
    jobs.awaitPhase("twice", "Running");
    assertThat(count("twice", "Paused")).isEqualTo(2);
    assertThat(count("twice", "Resumed")).isEqualTo(2);
    awaitPhases(
        "twice",
        seen ->
            seen.endsWith(
                "Running", "Paused", "Resuming", "Running", "Paused", "Resuming", "Running"));
    finish("twice", "master-0-r3", 0);
    jobs.awaitPhase("twice", "Succeeded");
  }

  @Test
  void aJobCanBePausedAtAnyMoment() {
    create("slow-pods", "");
    create("delayed", "");
    create("winning", "");
    create("hasty", "");
    finish("delayed", "worker-0", 1);
    finish("delayed", "worker-0-r1", 1);
    jobs.await("delayed", "a delay", status -> status.backoffCount() == 2);
    pause("delayed", true);
    pause("slow-pods", true);
    create("at-once", "");
    pause("at-once", true);
    // The user changes his mind before the pods are gone.
    jobs.awaitPhase("hasty", "Running");
    pause("hasty", true);
    awaitReason("hasty", "Paused");
    pause("hasty", false);
    // The master succeeds at this very moment.
    jobs.awaitPhase("winning", "Running");
    Thread pausing = new Thread(() -> pause("winning", true));
    pausing.start();
    finish("winning", "master-0", 0);

    for (String job : List.of("slow-pods", "delayed", "at-once")) {
      PyTorchTrainingJobStatus paused = jobs.awaitPhase(job, "Paused").getStatus();
      assertThat(paused.aggregate().running()).as(job).isZero();
      assertThat(paused.completionTime()).as(job).isNull();
    }
    await("no pod left of those that had not ended")
        .untilAsserted(
            () -> {
              assertThat(pods("slow-pods")).isEmpty();
              assertThat(pods("at-once")).isEmpty();
              assertThat(pods("delayed")).containsExactly("worker-0", "worker-0-r1");
            });
    assertThat(jobs.get("delayed").getStatus().backoffCount()).isEqualTo(2);
    pause("delayed", false);
    pause("at-once", false);
    for (String job : List.of("hasty", "delayed", "at-once")) {
      jobs.await(
          job,
          "running after its pause",
          status ->
              status.phase().equals("Running")
                  && Objects.requireNonNull(phases.get(job)).contains("Resuming"));
      assertThat(jobs.get(job).getStatus().aggregate().running()).as(job).isEqualTo(2);
    }
    awaitPhases("hasty", seen -> seen.endsWith("Running", "Paused", "Resuming", "Running"));
    assertThat(jobs.get("delayed").getStatus().backoffCount()).isEqualTo(2);

    String end =
        jobs.await(
                "winning",
                "an end or a pause",
                status -> List.of("Succeeded", "Paused").contains(status.phase()))
            .getStatus()
            .phase();
    if (end.equals("Paused")) {
      pause("winning", false);
      jobs.awaitPhase("winning", "Running");
      finish("winning", "master-0-r1", 0);
    }
    jobs.awaitPhase("winning", "Succeeded");
  }

  @Test
  void debugIsSwitchedOnAndOffWhileTheJobRunsAndCostsNothing() {
    create(
        "switched",
        "debug: {enabled: false, replicaSpecs: ["
            + "{type: worker, command: [sh, -c, wait], skipInitContainer: true}]}");
    jobs.awaitPhase("switched", "Running");
    debug("switched", true);
    PyTorchTrainingJobStatus debugging = awaitReason("switched", "Debugging");
    assertThat(debugging.phase()).isEqualTo("Running");
    assertThat(debugging.attempt()).isEqualTo(1);
    assertNothingCost(debugging);
    assertThat(condition(debugging, "ReplicaFailure")).isEqualTo("False -");
    Pod master = get("switched", "master-0-r1");
    assertThat(training(master).getCommand()).containsExactly("sleep", "inf");
    assertThat(master.getSpec().getInitContainers()).hasSize(1);
    Pod worker = get("switched", "worker-0-r1");
    assertThat(training(worker).getCommand()).containsExactly("sh", "-c", "wait");
    assertThat(worker.getSpec().getInitContainers()).isEmpty();
    for (Pod pod : List.of(master, worker)) {
      assertThat(training(pod).getArgs()).isEmpty();
      assertThat(training(pod).getLivenessProbe()).isNull();
      assertThat(training(pod).getReadinessProbe()).isNull();
      assertThat(training(pod).getStartupProbe()).isNull();
      assertThat(training(pod).getEnv())
          .extracting(variable -> variable.getName())
          .contains("MASTER_ADDR", "RANK", "WORLD_SIZE", "MINE");
    }
    await("the earlier attempt gone")
        .untilAsserted(
            () -> assertThat(pods("switched")).containsExactly("master-0-r1", "worker-0-r1"));

    debug("switched", false);
    PyTorchTrainingJobStatus training =
        jobs.await(
                "switched",
                "training again",
                status -> status.attempt() == 2 && status.phase().equals("Running"))
            .getStatus();
    assertNothingCost(training);
    assertThat(training(get("switched", "master-0-r2")).getCommand())
        .containsExactly("python", "train.py");
    finish("switched", "master-0-r2", 0);
    jobs.awaitPhase("switched", "Succeeded");
  }

  private static boolean allKnown(PyTorchTrainingJobStatus status, String suffix) {
    return status.tasks().stream()
        .flatMap(task -> task.replicas().stream())
        .allMatch(replica -> replica.name().endsWith(suffix) && replica.uid() != null);
  }

  @Test
  void nothingThatHappensInDebugPodsFailsTheJobOrCostsARestart() {
    create("sandbox", "debug: {enabled: true}");
    awaitReason("sandbox", "Debugging");
    finish("sandbox", "master-0", 0);
    kubelet.finish(namespace, pod("sandbox", "worker-0"), 137, "OOMKilled");
    // A pod that goes before the status knows it was never there: the next one has its name.
    jobs.await(
        "sandbox",
        "other pods, which the status knows",
        status ->
            pods("sandbox").containsAll(List.of("master-0-r1", "worker-0-r1"))
                && allKnown(status, "-r1"));
    kubelet.evict(namespace, pod("sandbox", "master-0-r1"));
    client
        .pods()
        .inNamespace(namespace)
        .withName(pod("sandbox", "worker-0-r1"))
        .withGracePeriod(0)
        .delete();
    jobs.await(
        "sandbox",
        "pods in place of those that were taken away",
        status ->
            "Debugging".equals(status.columns().reason())
                && pods("sandbox").containsAll(List.of("master-0-r2", "worker-0-r2"))
                && allKnown(status, "-r2"));
    controlPlane
        .kubectl("delete", "pod", pod("sandbox", "worker-0-r2"), "-n", namespace, "--wait=false")
        .orThrow();
    jobs.await(
        "sandbox",
        "a pod in place of one that was deleted by hand",
        status ->
            "Debugging".equals(status.columns().reason())
                && pods("sandbox").contains("worker-0-r3"));
    PyTorchTrainingJobStatus status = jobs.get("sandbox").getStatus();
    assertNothingCost(status);
    assertThat(status.attempt()).isZero();
    assertThat(status.lastFailure()).isNull();
    assertThat(jobs.events("sandbox"))
        .extracting(Event::getReason)
        .doesNotContain("Failed", "ReplicaFailed", "Restarting", "Succeeded");

    debug("sandbox", false);
    jobs.await("sandbox", "training", now -> now.attempt() == 1 && now.phase().equals("Running"));
    finish("sandbox", "master-0-r3", 0);
    jobs.awaitPhase("sandbox", "Succeeded");
  }

  @Test
  void debugAndPauseMayBeSwitchedInTheMiddleOfEachOther() {
    create("mixed", "");
    jobs.awaitPhase("mixed", "Running");
    // Debug while it pauses, and then instead of the pause: no attempt, there are no pods.
    pause("mixed", true);
    awaitReason("mixed", "Paused");
    jobs.patch(
        "mixed",
        "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":false},\"debug\":{\"enabled\":true}}}}");
    PyTorchTrainingJobStatus debugging = awaitReason("mixed", "Debugging");
    assertThat(debugging.attempt()).isZero();
    assertThat(training(get("mixed", "master-0-r1")).getCommand()).containsExactly("sleep", "inf");

    // Paused while the pods of the debug mode are being replaced.
    debug("mixed", false);
    jobs.await("mixed", "another attempt", status -> status.attempt() == 1);
    pause("mixed", true);
    jobs.awaitPhase("mixed", "Paused");
    await("no pods").untilAsserted(() -> assertThat(pods("mixed")).isEmpty());
    assertThatThrownBy(() -> debug("mixed", true)).hasMessageContaining("are both on");
    pause("mixed", false);
    PyTorchTrainingJobStatus training =
        jobs.await(
                "mixed",
                "training",
                status -> status.phase().equals("Running") && "-".equals(status.columns().reason()))
            .getStatus();
    assertThat(training.attempt()).isEqualTo(1);
    assertNothingCost(training);
    List<Pod> running = new ArrayList<>(jobs.pods("mixed"));
    assertThat(running)
        .hasSize(2)
        .allMatch(pod -> training(pod).getCommand().equals(List.of("python", "train.py")));
    finish(
        "mixed",
        Objects.requireNonNull(running.get(0).getMetadata().getName())
            .substring(jobs.base("mixed").length() + 1),
        0);
    jobs.awaitPhase("mixed", "Succeeded");
  }

  private void setMode(String job, String mode) {
    note(job, "switch to " + mode);
    jobs.patch(
        job,
        "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":%s},\"debug\":{\"enabled\":%s}}}}"
            .formatted(mode.equals("pause"), mode.equals("debug")));
  }

  private static boolean isAtRest(PyTorchTrainingJob job, String mode) {
    PyTorchTrainingJobStatus status = job.getStatus();
    if (status == null
        || !Objects.equals(status.observedGeneration(), job.getMetadata().getGeneration())) {
      return false;
    }
    return switch (mode) {
      case "pause" -> status.phase().equals("Paused");
      case "debug" ->
          status.phase().equals("Running") && "Debugging".equals(status.columns().reason());
      default -> status.phase().equals("Running") && "-".equals(status.columns().reason());
    };
  }

  private PyTorchTrainingJobStatus awaitAtRest(String job, String mode) {
    await()
        .atMost(Duration.ofSeconds(90))
        .untilAsserted(
            () ->
                assertThat(isAtRest(jobs.get(job), mode))
                    .as(
                        "%s at rest in the mode %s, after%n%s",
                        job, mode, String.join("\n", journal.getOrDefault(job, List.of())))
                    .isTrue());
    return jobs.get(job).getStatus();
  }

  private List<Pod> live(String job) {
    return jobs.pods(job).stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> pod.getStatus().getPhase().equals("Running"))
        .toList();
  }

  /** In any order, at any moment, over a kill of the operator as well. */
  @Test
  void anyOrderOfSwitchesEndsInTheLastModeAndCostsNothing() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("switches of the run mode: -Dseed=" + seed);
    Random random = new Random(seed);
    List<String> modes = List.of("plain", "pause", "debug");
    Map<String, String> wanted = new LinkedHashMap<>();
    for (int i = 0; i < 8; i++) {
      create("any-" + i, "");
      wanted.put("any-" + i, "plain");
    }
    for (int round = 0; round < 6; round++) {
      wanted.replaceAll((job, mode) -> modes.get(random.nextInt(modes.size())));
      wanted.forEach(this::setMode);
      if (round == 3) {
        operator.kill();
        operator = startOperator();
      }
      // One is waited for; the others are switched again wherever they are by then.
      String job = "any-" + random.nextInt(wanted.size());
      if (random.nextBoolean()) {
        awaitAtRest(job, Objects.requireNonNull(wanted.get(job)));
      }
    }
    wanted.forEach((job, mode) -> awaitAtRest(job, mode));
    for (String mode : List.of("debug", "plain")) {
      String command = mode.equals("debug") ? "sleep" : "python";
      wanted.keySet().forEach(job -> setMode(job, mode));
      for (String job : wanted.keySet()) {
        assertNothingCost(awaitAtRest(job, mode));
        assertThat(live(job))
            .as("%s, seed %d", job, seed)
            .hasSize(2)
            .allMatch(pod -> training(pod).getCommand().get(0).equals(command));
      }
    }
    for (String job : wanted.keySet()) {
      kubelet.finish(namespace, live(job).get(0).getMetadata().getName(), 0);
    }
    wanted.keySet().forEach(job -> jobs.awaitPhase(job, "Succeeded"));
    // Nothing leaves the end.
    wanted.replaceAll((job, mode) -> modes.get(random.nextInt(modes.size())));
    wanted.forEach(this::setMode);
    for (String job : wanted.keySet()) {
      List<String> left = pods(job);
      await(job + " has seen the switch")
          .until(
              () -> jobs.get(job),
              seen ->
                  Objects.equals(
                      seen.getStatus().observedGeneration(), seen.getMetadata().getGeneration()));
      assertThat(jobs.get(job).getStatus().phase()).isEqualTo("Succeeded");
      assertThat(pods(job)).isEqualTo(left);
    }
  }
}
