package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.apiproxy.Verdict;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** An API server that is away, slow, or cuts its watches: what was under way goes on exactly. */
@OperatorTest(value = "outage", proxy = true, env = "OPERATOR_STATUS_MIN_INTERVAL=200ms")
class OutageIT {

  private static final Duration OUTAGE = Duration.ofMinutes(1);
  private static final long SLOW_MILLIS = 1_500;
  private static final int PODS = 4;
  private static final int JOBS = 6;
  private static final int CUTS = 8;

  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private final ApiProxy proxy;
  private final OperatorProcess operator;

  OutageIT(Jobs jobs, FakeKubelet kubelet, ApiProxy proxy, OperatorProcess operator) {
    this.jobs = jobs;
    this.kubelet = kubelet;
    this.proxy = proxy.keepBodies();
    this.operator = operator;
    this.namespace = jobs.namespace();
  }

  private void run(String name) {
    jobs.create(Jobs.simple(name, PODS, "OnFailure"));
    jobs.awaitPhase(name, "Running");
  }

  private void worker(String job, int exitCode) {
    kubelet.finish(namespace, jobs.base(job) + "-worker-1", exitCode);
  }

  private Set<String> uids(String job) {
    return jobs.pods(job).stream()
        .map(pod -> pod.getMetadata().getUid())
        .collect(Collectors.toSet());
  }

  private void awaitRestartedOnce(String job) {
    jobs.await(
        job,
        "it runs again, restarted once",
        status ->
            "Running".equals(status.phase())
                && status.attempt() == 1
                && Objects.equals(status.backoffCount(), 1)
                && Objects.equals(status.disruptionCount(), 0)
                && status.aggregate().running() == PODS);
  }

  /** All that were created since the class began, by the name in the body. */
  private List<String> createdPods() {
    return proxy.requests(request -> request.is("create", "pods") && request.code() == 201).stream()
        .map(request -> Serialization.unmarshal(request.body(), Pod.class))
        .map(pod -> pod.getMetadata().getName())
        .toList();
  }

  @Test
  void anApiServerThatIsAwayForAMinuteLosesAndDoublesNothing() {
    List.of("runs", "fails", "ends").forEach(this::run);
    Set<String> untouched = uids("runs");
    try (ApiProxy.Hook away = proxy.beforeForwarding(any -> Verdict.drop())) {
      proxy.cutConnections();
      Instant end = Instant.now().plus(OUTAGE);
      worker("fails", 1);
      jobs.pods("ends").forEach(pod -> kubelet.finish(namespace, pod.getMetadata().getName(), 0));
      jobs.create(Jobs.simple("new", PODS, "OnFailure"));
      await("the end of the outage")
          .atMost(OUTAGE.multipliedBy(2))
          .pollInterval(Duration.ofSeconds(1))
          .until(
              () -> {
                assertThat(operator.get("/q/health/live").statusCode())
                    .as("a restart would help nobody")
                    .isEqualTo(200);
                return Instant.now().isAfter(end);
              });
    }
    Instant back = Instant.now();
    jobs.awaitPhase("ends", "Succeeded");
    awaitRestartedOnce("fails");
    jobs.awaitPhase("new", "Running");
    System.out.println(
        "everything as it must be "
            + Duration.between(back, Instant.now()).toSeconds()
            + " s after an outage of "
            + OUTAGE.toSeconds()
            + " s");
    assertThat(uids("runs")).isEqualTo(untouched);
    assertThat(jobs.get("runs").getStatus().backoffCount()).isZero();
    assertThat(createdPods()).doesNotHaveDuplicates();
  }

  /** Large clusters store events apart from everything else. */
  @Test
  void aStoreOfEventsThatIsAwayHoldsUpNoJobAndItsEventsComeLater() {
    run("untold");
    try (ApiProxy.Hook away =
        proxy.beforeForwarding(
            request ->
                request.resource().equals("events")
                    ? Verdict.answer(503, "ServiceUnavailable")
                    : Verdict.pass())) {
      worker("untold", 1);
      awaitRestartedOnce("untold");
      assertThat(reasons("untold")).doesNotContain("Restarting");
    }
    await("the events")
        .untilAsserted(
            () -> assertThat(reasons("untold")).contains("ReplicaFailed", "Restarting", "Running"));
    assertThat(jobs.events("untold")).allMatch(event -> event.getCount() == 1);
  }

  private List<String> reasons(String job) {
    return jobs.events(job).stream().map(Event::getReason).toList();
  }

  @Test
  void aSlowEtcdOnlyCostsTime() {
    try (ApiProxy.Hook slow =
        proxy.beforeForwarding(ApiProxy.delay(SLOW_MILLIS, ApiRequest::isWrite))) {
      run("slow");
      worker("slow", 1);
      awaitRestartedOnce("slow");
    }
    assertThat(createdPods()).doesNotHaveDuplicates();
    assertThat(createdPods())
        .filteredOn(pod -> pod.startsWith(jobs.base("slow")))
        .hasSize(2 * PODS);
  }

  @Test
  void watchesThatAreCutAgainAndAgainCostNothing() {
    ScheduledExecutorService cutting = Executors.newSingleThreadScheduledExecutor();
    AtomicInteger cuts = new AtomicInteger();
    try {
      cutting.scheduleAtFixedRate(
          () -> {
            proxy.cutConnections();
            cuts.incrementAndGet();
          },
          0,
          1_500,
          TimeUnit.MILLISECONDS);
      for (int job = 0; job < JOBS; job++) {
        jobs.create(Jobs.simple("cut-" + job, PODS, "OnFailure"));
      }
      for (int job = 0; job < JOBS; job++) {
        jobs.awaitPhase("cut-" + job, "Running");
        worker("cut-" + job, 1);
      }
      for (int job = 0; job < JOBS; job++) {
        awaitRestartedOnce("cut-" + job);
      }
      await("cuts").until(() -> cuts.get() >= CUTS);
    } finally {
      cutting.shutdownNow();
    }
    for (int job = 0; job < JOBS; job++) {
      String base = jobs.base("cut-" + job);
      assertThat(jobs.pods("cut-" + job))
          .as("the one that failed is kept for its log")
          .filteredOn(pod -> pod.getStatus().getPhase().equals("Running"))
          .hasSize(PODS);
      // A creation whose answer was cut off is found to be done, and is not in the proxy's list.
      assertThat(createdPods()).filteredOn(pod -> pod.startsWith(base)).doesNotHaveDuplicates();
    }
  }
}
