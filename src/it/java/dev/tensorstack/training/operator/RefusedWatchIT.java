package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.apiproxy.Verdict;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import io.fabric8.kubernetes.api.model.Event;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * An API server may refuse the first watch after a start with 429, as it does while the watch cache
 * of a new CRD is not ready. The framework hears nothing of such a kind while it waits for its
 * caches; that has to be a matter of seconds.
 */
@OperatorTest(value = "refused-watch", operator = false, proxy = true)
class RefusedWatchIT {

  private static final int PODS = 2;

  private static final Predicate<ApiRequest> JOBS =
      request -> request.is("watch", "pytorchtrainingjobs");

  /** Those of the other kind have another label. */
  private static final Predicate<ApiRequest> THEIR_PODS =
      request -> request.is("watch", "pods") && request.query().contains("job-uid");

  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private final ApiProxy proxy;

  RefusedWatchIT(Jobs jobs, FakeKubelet kubelet, ApiProxy proxy) {
    this.jobs = jobs;
    this.kubelet = kubelet;
    this.proxy = proxy;
    this.namespace = jobs.namespace();
  }

  private OperatorProcess operator() {
    return OperatorProcess.start(
        proxy.kubeconfig(), Map.of("OPERATOR_WATCH_NAMESPACES", namespace));
  }

  private ApiProxy.Hook refusesTheFirst(Predicate<ApiRequest> watch) {
    return proxy.beforeForwarding(ApiProxy.first(1, watch, Verdict.answer(429, "TooManyRequests")));
  }

  private void assertRefusedOnce(Predicate<ApiRequest> watch) {
    assertThat(proxy.requests(watch.and(request -> request.code() == 429))).hasSize(1);
  }

  @Test
  void aJobRunsSoonThoughTheFirstWatchOfJobsWasRefused() {
    jobs.create(Jobs.simple("jobs", PODS, "Never"));
    try (ApiProxy.Hook refusing = refusesTheFirst(JOBS);
        OperatorProcess operator = operator()) {
      jobs.awaitPhase("jobs", "Running");
      assertThat(operator.isAlive()).isTrue();
    }
    assertRefusedOnce(JOBS);
  }

  @Test
  void aFailureIsAnsweredSoonThoughTheFirstWatchOfPodsWasRefused() {
    jobs.create(Jobs.simple("pods", PODS, "OnFailure"));
    try (OperatorProcess operator = operator()) {
      jobs.awaitPhase("pods", "Running");
      assertThat(operator.isAlive()).isTrue();
    }
    try (ApiProxy.Hook refusing = refusesTheFirst(THEIR_PODS);
        OperatorProcess operator = operator()) {
      kubelet.finish(namespace, jobs.base("pods") + "-worker-1", 1);
      jobs.await(
          "pods",
          "it runs again, restarted once",
          status ->
              "Running".equals(status.phase())
                  && Objects.equals(status.backoffCount(), 1)
                  && status.aggregate().running() == PODS);
      assertThat(operator.isAlive()).isTrue();
    }
    assertRefusedOnce(THEIR_PODS);
  }

  @Test
  void whilePodsCannotBeListedJobsWaitAndNoDefectIsTold() {
    jobs.create(Jobs.simple("unlisted", PODS, "Never"));
    try (OperatorProcess operator = operatorWithoutPods()) {
      jobs.awaitPhase("unlisted", "Running");
      assertThat(operator.isAlive()).isTrue();
    }
    assertThat(jobs.events("unlisted"))
        .extracting(Event::getReason)
        .contains("Running")
        .doesNotContain("CreateFailed");
  }

  /** One whose lists of pods are refused until the framework has waited long enough for them. */
  private OperatorProcess operatorWithoutPods() {
    Predicate<ApiRequest> lists =
        request -> request.is("list", "pods") && request.query().contains("job-uid");
    try (ApiProxy.Hook refusing =
        proxy.beforeForwarding(
            request -> lists.test(request) ? Verdict.answer(403, "Forbidden") : Verdict.pass())) {
      OperatorProcess operator = operator();
      await("the fourth refusal, seconds after the framework's wait")
          .untilAsserted(
              () ->
                  assertThat(proxy.requests(lists.and(request -> request.code() == 403)))
                      .hasSizeGreaterThanOrEqualTo(4));
      return operator;
    }
  }
}
