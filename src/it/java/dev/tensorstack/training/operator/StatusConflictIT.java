package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.apiproxy.Verdict;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Conflicts and errors of the API server are the operator's business, not the user's. */
@OperatorTest(value = "conflict", proxy = true)
class StatusConflictIT {

  private static final String STATUS = "pytorchtrainingjobs/status";
  private static final Duration SOON = Duration.ofSeconds(15);

  private final KubernetesClient client;
  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private final ApiProxy proxy;
  private final OperatorProcess operator;

  StatusConflictIT(
      KubernetesClient client,
      Jobs jobs,
      FakeKubelet kubelet,
      ApiProxy proxy,
      OperatorProcess operator) {
    this.operator = operator;
    this.client = client;
    this.jobs = jobs;
    this.kubelet = kubelet;
    this.proxy = proxy;
    this.namespace = jobs.namespace();
  }

  private static Predicate<ApiRequest> status(String job) {
    return request -> request.is("update", STATUS) && request.name().equals(job);
  }

  private Predicate<ApiRequest> podOf(String job) {
    return request ->
        request.is("create", "pods")
            && request.namespace().equals(namespace)
            && request.body().contains("\"" + job + "\"");
  }

  private void patch(String job, String json) {
    client
        .resources(PyTorchTrainingJob.class)
        .inNamespace(namespace)
        .withName(job)
        .patch(PatchContext.of(PatchType.JSON_MERGE), json);
  }

  private void assertOnlyTheUsualEvents(String job) {
    assertThat(jobs.events(job))
        .allMatch(event -> event.getType().equals("Normal"))
        .allMatch(event -> event.getCount() == 1)
        .extracting(Event::getReason)
        // Told only where some pods run before all do.
        .filteredOn(reason -> !reason.equals("Start"))
        .containsExactlyInAnyOrder("Created", "Running");
  }

  /** #1492. */
  @Test
  void anInjectedConflictOnTheStatusIsInvisibleToTheUser() throws IOException {
    try (ApiProxy.Hook hook =
        proxy.beforeForwarding(
            ApiProxy.first(1, status("injected"), Verdict.answer(409, "Conflict")))) {
      jobs.create(Jobs.simple("injected", 2, "Never"));
      jobs.awaitPhase("injected", "Running");
    }
    assertThat(proxy.requests(status("injected"))).extracting(ApiRequest::code).contains(409, 200);
    assertOnlyTheUsualEvents("injected");
    await("it is told in one line")
        .untilAsserted(
            () ->
                assertThat(Files.readAllLines(operator.log()))
                    .filteredOn(line -> line.contains(namespace + "/injected"))
                    .anyMatch(
                        line -> line.contains("has changed meanwhile and is looked at again")));
    assertThat(Files.readString(operator.log()))
        .doesNotContain("Uncaught error", "\tat io.javaoperatorsdk");
  }

  @Test
  void anObjectThatIsNotThereAnyMoreIsToldInOneLine() throws IOException {
    try (ApiProxy.Hook hook =
        proxy.beforeForwarding(
            ApiProxy.first(1, status("not-there"), Verdict.answer(404, "NotFound")))) {
      jobs.create(Jobs.simple("not-there", 1, "Never"));
      jobs.awaitPhase("not-there", "Running");
    }
    assertThat(Files.readAllLines(operator.log()))
        .filteredOn(line -> line.contains(namespace + "/not-there"))
        .anyMatch(line -> line.contains("is looked at again, an object is not there"));
    assertThat(Files.readString(operator.log())).doesNotContain("KubernetesClientException");
  }

  /** #1492. */
  @Test
  void aRealConflictOnTheStatusIsInvisibleToTheUserAndTheChangeCounts() {
    AtomicBoolean changed = new AtomicBoolean();
    Function<ApiRequest, Verdict> change =
        request -> {
          if (status("real").test(request) && changed.compareAndSet(false, true)) {
            patch(
                "real",
                """
                {"metadata":{"labels":{"team":"a"}},"spec":{"runPolicy":{"backoffLimit":5}}}
                """);
          }
          return Verdict.pass();
        };
    try (ApiProxy.Hook hook = proxy.beforeForwarding(change)) {
      jobs.create(Jobs.simple("real", 2, "Never"));
      jobs.awaitPhase("real", "Running");
    }
    assertThat(proxy.requests(status("real")).get(0).code()).isEqualTo(409);
    PyTorchTrainingJob job =
        jobs.await(
            "real", "generation 2", status -> Long.valueOf(2).equals(status.observedGeneration()));
    assertThat(job.getMetadata().getLabels()).containsEntry("team", "a");
    assertThat(job.getSpec().runPolicy()).isNotNull();
    assertOnlyTheUsualEvents("real");
  }

  /** The operator has seen how the pod ended, and its status was refused. */
  @Test
  void aFailureThatWasSeenStaysOneWhenItsPodIsRemovedBeforeTheStatusSaysSo() {
    String job = "at-once";
    jobs.create(
        Jobs.simple(job, 3, "ExitCode")
            .replace(
                "spec:\n  replicaSpecs",
                "spec:\n  torchrunConfig: {enabled: true}\n"
                    + "  elastic: {enabled: true, minReplicas: 1, maxReplicas: 3}\n"
                    + "  replicaSpecs"));
    jobs.awaitPhase(job, "Running");
    String pod = jobs.base(job) + "-worker-2";
    AtomicBoolean removed = new AtomicBoolean();
    Function<ApiRequest, Verdict> remove =
        request -> {
          if (!status(job).test(request)
              || !request.body().contains("\"ended\"")
              || !removed.compareAndSet(false, true)) {
            return Verdict.pass();
          }
          client.pods().inNamespace(namespace).withName(pod).withGracePeriod(0).delete();
          return Verdict.answer(503, "ServiceUnavailable");
        };
    try (ApiProxy.Hook hook = proxy.beforeForwarding(remove)) {
      kubelet.finish(namespace, pod, 42);
      jobs.await(job, "the failure", status -> status.lastFailure() != null);
    }
    assertThat(removed).isTrue();
    await("nothing else happens")
        .during(Duration.ofSeconds(3))
        .atMost(SOON)
        .untilAsserted(
            () -> {
              PyTorchTrainingJobStatus status = jobs.get(job).getStatus();
              assertThat(status.disruptionCount()).isZero();
              assertThat(status.attempt()).isZero();
              assertThat(status.aggregate().failed()).isEqualTo(1);
              assertThat(Objects.requireNonNull(status.lastFailure()).exitCode()).isEqualTo(42);
            });
  }

  /**
   * The framework filters the events of its own writes; a spec change that arrives while a status
   * write is not answered yet must not go with them.
   */
  @Test
  void aSpecChangeDuringTheStatusWriteIsNotLost() {
    CountDownLatch never = new CountDownLatch(1);
    AtomicBoolean changed = new AtomicBoolean();
    Function<ApiRequest, Verdict> change =
        request -> {
          // The last status write: nothing that follows would bring the change in by chance.
          if (status("during").test(request)
              && request.body().contains("\"phase\":\"Running\"")
              && changed.compareAndSet(false, true)) {
            patch("during", "{\"spec\":{\"runPolicy\":{\"backoffLimit\":7}}}");
            // The watch is faster than this answer.
            boolean unused = ApiProxy.await(never, 1_000);
          }
          return Verdict.pass();
        };
    try (ApiProxy.Hook hook = proxy.beforeAnswering(change)) {
      jobs.create(Jobs.simple("during", 2, "Never"));
      jobs.awaitPhase("during", "Running");
      await("the change is seen")
          .atMost(SOON)
          .until(
              () -> jobs.get("during").getStatus().observedGeneration(),
              generation -> Long.valueOf(2).equals(generation));
    }
    assertThat(changed).isTrue();
    assertOnlyTheUsualEvents("during");
  }

  /** #1896. */
  @Test
  void anEventThatTheApiServerCannotTakeJustNowIsNotLost() {
    Predicate<ApiRequest> last =
        request ->
            request.is("create", "events")
                && request.body().contains("\"Succeeded\"")
                && request.body().contains("\"told\"");
    jobs.create(Jobs.simple("told", 1, "Never"));
    jobs.awaitPhase("told", "Running");
    try (ApiProxy.Hook hook =
        proxy.beforeForwarding(ApiProxy.first(2, last, Verdict.answer(500, "InternalError")))) {
      kubelet.finish(namespace, jobs.base("told") + "-worker-0", 0);
      jobs.awaitPhase("told", "Succeeded");
      await("the event, which holds nothing up")
          .untilAsserted(
              () ->
                  assertThat(jobs.events("told"))
                      .extracting(Event::getReason)
                      .contains("Succeeded"));
    }
    assertThat(proxy.requests(last)).extracting(ApiRequest::code).startsWith(500, 500);
  }

  @Test
  void failedPodCreationsAreRetriedWithGrowingDelayUntilTheyWork() {
    int refusals = 5;
    try (ApiProxy.Hook hook =
        proxy.beforeForwarding(
            ApiProxy.first(refusals, podOf("errors"), Verdict.answer(500, "InternalError")))) {
      jobs.create(Jobs.simple("errors", 1, "Never"));
      jobs.awaitPhase("errors", "Running");
    }
    List<Instant> tries =
        proxy.requests(request -> request.is("create", "pods")).stream()
            .filter(request -> request.code() == 500)
            .map(ApiRequest::arrival)
            .toList();
    List<Long> delays = new ArrayList<>();
    for (int i = 1; i < tries.size(); i++) {
      delays.add(Duration.between(tries.get(i - 1), tries.get(i)).toMillis());
    }
    System.out.println("delays between refused pod creations: " + delays);
    assertThat(tries).hasSize(refusals);
    for (int i = 1; i < delays.size(); i++) {
      assertThat(delays.get(i)).as("delay " + i + " of " + delays).isGreaterThan(delays.get(i - 1));
    }
    assertOnlyTheUsualEvents("errors");
    assertThat(jobs.get("errors").getStatus().backoffCount()).isZero();
  }

  @Test
  void anAnswerThatIsLostOnTheWayCostsNoSecondPodAndNoRestart() {
    try (ApiProxy.Hook hook =
        proxy.beforeAnswering(ApiProxy.first(2, podOf("lost"), Verdict.drop()))) {
      jobs.create(Jobs.simple("lost", 3, "Never"));
      jobs.awaitPhase("lost", "Running");
    }
    assertThat(jobs.pods("lost"))
        .extracting(pod -> pod.getMetadata().getName())
        .containsExactly(
            jobs.base("lost") + "-worker-0",
            jobs.base("lost") + "-worker-1",
            jobs.base("lost") + "-worker-2");
    assertOnlyTheUsualEvents("lost");
  }
}
