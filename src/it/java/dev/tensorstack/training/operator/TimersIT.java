package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What happens by itself, and when. Times in the status are whole seconds. */
@OperatorTest(value = "timers", proxy = true, operator = false)
class TimersIT {

  private static final long LATE = 2;
  private static final int DELAY = 6;
  private static final int GRACE = 9;
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final KubernetesClient client;
  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private final ApiProxy proxy;
  private final StatusAtDeletion stored;
  private OperatorProcess operator;

  TimersIT(KubernetesClient client, Jobs jobs, FakeKubelet kubelet, ApiProxy proxy) {
    this.client = client;
    this.jobs = jobs;
    this.kubelet = kubelet;
    this.proxy = proxy;
    this.namespace = jobs.namespace();
    stored = new StatusAtDeletion(jobs, namespace);
    var unused = proxy.beforeForwarding(stored);
    operator = startOperator();
  }

  private OperatorProcess startOperator() {
    return OperatorProcess.start(
        proxy.kubeconfig(),
        Map.of(
            "OPERATOR_WATCH_NAMESPACES",
            namespace,
            "OPERATOR_RESTART_DELAY_BASE",
            DELAY + "s",
            "OPERATOR_AGENT_EXIT_GRACE",
            GRACE + "s"));
  }

  @AfterAll
  void stop() {
    operator.close();
  }

  private void create(String name, int replicas, String restartPolicy, String runPolicy) {
    jobs.create(
        Jobs.simple(name, replicas, restartPolicy)
            .replace(
                "spec:\n  replicaSpecs",
                "spec:\n  runPolicy: {" + runPolicy + "}\n  replicaSpecs"));
  }

  private String pod(String job, int index) {
    return jobs.base(job) + "-worker-" + index;
  }

  private void setRunPolicy(String job, String json) {
    jobs.patch(job, "{\"spec\":{\"runPolicy\":{" + json + "}}}");
  }

  private void setPause(String job, boolean paused) {
    jobs.patch(job, "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":" + paused + "}}}}");
  }

  private Instant startOf(String job) {
    return Instant.parse(
        Objects.requireNonNull(
            jobs.await(job, "a start", status -> status.startTime() != null)
                .getStatus()
                .startTime()));
  }

  private static void awaitClock(Instant moment) {
    await("the clock at " + moment).atMost(PATIENCE).until(() -> Instant.now().isAfter(moment));
  }

  /**
   * The job failed because of its deadline, not earlier (statuses know seconds) and hardly later.
   */
  private PyTorchTrainingJobStatus assertStopped(String job, Instant earliest, Instant latest) {
    PyTorchTrainingJobStatus status = jobs.awaitPhase(job, "Failed").getStatus();
    assertThat(status.columns().reason()).as(job).isEqualTo("DeadlineExceeded");
    assertThat(Instant.parse(Objects.requireNonNull(status.completionTime())))
        .as(job)
        .isBetween(earliest.truncatedTo(ChronoUnit.SECONDS), latest.plusSeconds(LATE));
    return status;
  }

  private PyTorchTrainingJobStatus assertStopped(String job, int deadline) {
    Instant due = startOf(job).plusSeconds(deadline);
    return assertStopped(job, due, due);
  }

  @Test
  void theDeadlineFiresByItselfOnTimeAndStopsWhatRunsWhateverTheCleanUpPolicy() {
    List<String> policies = List.of("All", "Unfinished", "None");
    for (String policy : policies) {
      create(
          "fires-" + policy.toLowerCase(java.util.Locale.ROOT),
          2,
          "OnFailure",
          "activeDeadlineSeconds: 5, cleanUpPolicy: " + policy);
    }
    create("never", 1, "Never", "");
    for (String policy : policies) {
      String name = "fires-" + policy.toLowerCase(java.util.Locale.ROOT);
      PyTorchTrainingJobStatus status = assertStopped(name, 5);
      assertThat(status.backoffCount()).isZero();
      jobs.awaitPods(name, 0);
      assertThat(Objects.requireNonNull(stored.of(name)).reason()).isEqualTo("DeadlineExceeded");
      assertThat(jobs.events(name))
          .extracting(Event::getReason)
          .containsOnlyOnce("DeadlineExceeded")
          .doesNotContain("Failed", "ReplicaFailed", "Restarting");
    }
    assertThat(jobs.get("never").getStatus().phase()).isEqualTo("Running");
  }

  @Test
  void theDeadlineDoesNotRunWhilePausedAndBeginsAnewAtResumeAndMayBeChanged() {
    for (String name : List.of("pausing", "lengthened", "removed")) {
      create(name, 1, "Never", "activeDeadlineSeconds: 7");
    }
    create("shortened", 1, "Never", "activeDeadlineSeconds: 600");
    Instant first = startOf("pausing");
    setPause("pausing", true);
    startOf("lengthened");
    setRunPolicy("lengthened", "\"activeDeadlineSeconds\":600");
    Instant last = startOf("removed");
    setRunPolicy("removed", "\"activeDeadlineSeconds\":null");
    jobs.awaitPhase("pausing", "Paused");
    startOf("shortened");
    setRunPolicy("shortened", "\"activeDeadlineSeconds\":1");
    Instant edited = Instant.now();
    assertStopped("shortened", startOf("shortened").plusSeconds(1), edited.plusSeconds(1));

    awaitClock(last.plusSeconds(7 + LATE));
    assertThat(jobs.get("pausing").getStatus().phase()).isEqualTo("Paused");
    assertThat(jobs.get("lengthened").getStatus().phase()).isEqualTo("Running");
    assertThat(jobs.get("removed").getStatus().phase()).isEqualTo("Running");
    setPause("pausing", false);
    jobs.awaitPhase("pausing", "Running");
    assertThat(startOf("pausing")).isAfterOrEqualTo(first.plusSeconds(7));
    assertStopped("pausing", 7);
  }

  @Test
  void theTimeToLiveDeletesTheJobOnTimeAfterItsStatusAndEventsAreWritten() {
    Map<String, Integer> lives = new LinkedHashMap<>();
    lives.put("ok-zero", 0);
    lives.put("bad-zero", 0);
    lives.put("ok-three", 3);
    lives.put("bad-three", 3);
    lives.forEach(
        (name, seconds) ->
            create(name, 2, "Never", "cleanUpPolicy: None, ttlSecondsAfterFinished: " + seconds));
    create("ok-changed", 2, "Never", "ttlSecondsAfterFinished: 600");
    create("ok-stays", 2, "Never", "");
    create("waits", 1, "Never", "ttlSecondsAfterFinished: 0");
    setPause("waits", true);
    Map<String, String> uids = new LinkedHashMap<>();
    for (String name : List.of("ok-zero", "bad-zero", "ok-three", "bad-three", "ok-changed")) {
      uids.put(name, jobs.awaitPhase(name, "Running").getMetadata().getUid());
    }
    jobs.awaitPhase("ok-stays", "Running");
    Map<String, Instant> ended = new LinkedHashMap<>();
    uids.keySet()
        .forEach(
            name -> {
              ended.put(name, Instant.now());
              kubelet.finish(namespace, pod(name, 0), name.startsWith("ok") ? 0 : 1);
            });
    kubelet.finish(namespace, pod("ok-stays", 0), 0);
    jobs.awaitPhase("ok-changed", "Succeeded");
    ended.put("ok-changed", Instant.now());
    setRunPolicy("ok-changed", "\"ttlSecondsAfterFinished\":0");
    lives.put("ok-changed", 0);

    await("jobs, pods and Services collected")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(250))
        .untilAsserted(
            () ->
                uids.forEach(
                    (name, uid) -> {
                      assertThat(jobs.find(name)).as(name).isNull();
                      assertThat(jobs.pods(name)).as(name).isEmpty();
                      assertThat(
                              client
                                  .services()
                                  .inNamespace(namespace)
                                  .withLabel(TrainingJobLabels.JOB_UID, uid)
                                  .list()
                                  .getItems())
                          .as(name)
                          .isEmpty();
                    }));
    lives.forEach(
        (name, seconds) -> {
          boolean ok = name.startsWith("ok");
          assertThat(jobs.events(name))
              .as(name)
              .extracting(Event::getReason)
              .contains(ok ? "Succeeded" : "Failed");
          if (!name.equals("ok-changed")) {
            StatusAtDeletion.Stored then = Objects.requireNonNull(stored.of(name));
            assertThat(then.phase()).as(name).isEqualTo(ok ? "Succeeded" : "Failed");
            assertThat(then.events()).as(name).contains(ok ? "Succeeded" : "Failed");
            // The end is stored as a whole second, which may lie up to one before.
            Instant end = Objects.requireNonNull(ended.get(name));
            assertThat(then.time())
                .as(name)
                .isBetween(end.plusSeconds(seconds - 1), end.plusSeconds(seconds + 1 + LATE));
          }
        });
    assertThat(jobs.get("ok-stays").getStatus().phase()).isEqualTo("Succeeded");
    assertThat(jobs.awaitPhase("waits", "Paused").getStatus().completionTime()).isNull();
  }

  @Test
  void timersFireAlsoAfterTheOperatorWasKilledAndAtOnceWhenTheirTimeIsPast() {
    create("past", 1, "Never", "activeDeadlineSeconds: 600");
    create("later", 1, "Never", "activeDeadlineSeconds: 20");
    create("old", 1, "Never", "ttlSecondsAfterFinished: 600");
    create("delayed", 1, "OnFailure", "");
    jobs.create(
        Jobs.simple("leaving", 2, "Never")
            .replace(
                "spec:\n  replicaSpecs",
                "spec:\n  torchrunConfig: {enabled: true}\n  replicaSpecs"));
    kubelet.finish(namespace, pod("delayed", 0), 1);
    Instant start = startOf("past");
    // The second counted restart waits, from the failure on.
    kubelet.finish(namespace, pod("delayed", 0) + "-r1", 1);
    kubelet.finish(namespace, pod("old", 0), 0);
    PyTorchTrainingJobStatus waiting =
        jobs.await("delayed", "a delay", status -> status.backoffCount() == 2).getStatus();
    jobs.awaitPhase("old", "Succeeded");
    jobs.awaitPhase("leaving", "Running");
    kubelet.finish(namespace, pod("leaving", 0), 0);
    Instant left =
        Instant.parse(
            Objects.requireNonNull(
                jobs.awaitPhase("leaving", "Succeeded").getStatus().completionTime()));
    operator.kill();
    Instant killed = Instant.now();
    Instant restartAt =
        Instant.parse(
            Objects.requireNonNull(
                waiting.tasks().get(0).replicas().get(0).restartAt(), "restartAt"));
    assertThat(restartAt)
        .isEqualTo(
            Instant.parse(Objects.requireNonNull(waiting.lastFailure()).time()).plusSeconds(DELAY));
    setRunPolicy("past", "\"activeDeadlineSeconds\":1");
    setRunPolicy("old", "\"ttlSecondsAfterFinished\":1");
    awaitClock(start.plusSeconds(2));

    operator = startOperator();
    // On a busy machine it takes a while until its caches are filled and it looks at any job.
    create("first-seen", 1, "Never", "");
    startOf("first-seen");
    Instant ready = Instant.now();
    assertStopped("past", killed, ready);
    await("the job past its time to live").atMost(PATIENCE).until(() -> jobs.find("old") == null);
    jobs.awaitPods("leaving", 1);
    Instant graceOver = left.plusSeconds(GRACE);
    assertThat(Objects.requireNonNull(stored.of("leaving")).time())
        .isBetween(graceOver, later(graceOver, ready).plusSeconds(LATE));
    Instant due = startOf("later").plusSeconds(20);
    assertStopped("later", due, later(due, ready));
    jobs.awaitPhase("delayed", "Running");
    Instant created =
        Instant.parse(
            client
                .pods()
                .inNamespace(namespace)
                .withName(pod("delayed", 0) + "-r2")
                .get()
                .getMetadata()
                .getCreationTimestamp());
    assertThat(created).isBetween(restartAt, later(restartAt, ready).plusSeconds(LATE));
  }

  private static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }
}
