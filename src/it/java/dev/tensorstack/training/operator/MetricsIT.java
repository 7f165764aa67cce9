package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.core.naming.Metric;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.reference.MetricNotes;
import dev.tensorstack.training.reference.MetricsReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The operator's metrics after a few jobs, before and after it is killed; on a control plane of its
 * own, because the webhooks are registered.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MetricsIT {

  private static final String OWN = Metric.PREFIX;
  private static final String LONGEST = "_max";

  private final ControlPlane controlPlane = ControlPlane.start();
  private final KubernetesClient client = controlPlane.client();
  private final FakeKubelet kubelet =
      FakeKubelet.start(client, FakeKubeletOptions.nodes(2).namePrefix("metrics"));
  private final String namespace = controlPlane.createNamespace("metrics");
  private final Jobs jobs = new Jobs(client, namespace);

  MetricsIT() {
    OperatorProcess.installCrds(client);
  }

  @AfterAll
  void stop() {
    kubelet.close();
    controlPlane.close();
  }

  @Test
  void everythingIsCountedOnceWheneverTheOperatorIsKilledAndIsInTheReference() throws IOException {
    try (ApiProxy proxy = ApiProxy.start(controlPlane.clientConfig())) {
      try (OperatorProcess operator = start(proxy)) {
        MetricsPage fresh = MetricsPage.of(operator);
        assertThat(fresh.types())
            .as("there before the first job")
            .containsKeys(
                OWN + "pods_created_total",
                OWN + "pods_deleted_total",
                OWN + "first_pod_seconds",
                OWN + "duration_seconds",
                OWN + "admission_requests_total",
                OWN + "admission_rejections_total");
        someJobs();
        await("all is counted; log: " + operator.log())
            .untilAsserted(() -> assertBeforeTheKill(MetricsPage.of(operator), proxy));
        assertIsTheReference(MetricsPage.of(operator));
        assertThat(Files.readString(operator.log()))
            .doesNotContainPattern("already been registered .*pytorchtrainingjob_");
        operator.kill();
      }
      int podsBefore = created(proxy);
      int deletedBefore = deleted(proxy);
      try (OperatorProcess again = start(proxy)) {
        await("the gauges are right without any change; log: " + again.log())
            .untilAsserted(() -> assertGauges(MetricsPage.of(again)));
        assertNothingIsCountedAgain(MetricsPage.of(again));
        kubelet.finish(namespace, jobs.base("restarted") + "-worker-0-r1", 0);
        jobs.patch("paused", "{\"spec\": {\"runMode\": {\"pause\": {\"enabled\": false}}}}");
        jobs.awaitPhase("restarted", "Succeeded");
        jobs.awaitPhase("paused", "Running");
        await("what came after the kill; log: " + again.log())
            .untilAsserted(
                () -> {
                  MetricsPage page = MetricsPage.of(again);
                  assertThat(page.sum(OWN + "finished_total")).isEqualTo(1);
                  assertThat(page.sum(OWN + "jobs", "phase", "Succeeded")).isEqualTo(2);
                  assertThat(page.sum(OWN + "pods_created_total"))
                      .isEqualTo(created(proxy) - podsBefore)
                      .isEqualTo(2);
                  assertThat(page.sum(OWN + "pods_deleted_total"))
                      .isEqualTo(deleted(proxy) - deletedBefore);
                });
        MetricsPage page = MetricsPage.of(again);
        assertThat(page.sum(OWN + "created_total")).isZero();
        assertThat(page.sum(OWN + "restarts_total")).isZero();
        assertThat(page.sum(OWN + "first_pod_seconds_count")).as("a resume is no start").isZero();
        assertThat(page.sum(OWN + "all_running_seconds_count")).isZero();
        assertThat(page.sum(OWN + "recovery_seconds_count")).isZero();
      }
    }
  }

  private OperatorProcess start(ApiProxy proxy) {
    return OperatorProcess.startWithWebhooks(
        proxy.kubeconfig(),
        Map.of(
            "OPERATOR_WATCH_NAMESPACES", namespace,
            "OPERATOR_STATUS_MIN_INTERVAL", "200ms",
            "OPERATOR_WEBHOOKS_CHECK_INTERVAL", "1s"));
  }

  private void someJobs() {
    assertThatThrownBy(
            () ->
                jobs.create(
                    Jobs.simple("refused", 1, "Never")
                        .replace("spec:\n  rep", "spec:\n  runPolicy: {backoffLimit: -1}\n  rep")))
        .isInstanceOf(KubernetesClientException.class);
    jobs.create(Jobs.simple("success", 2, "Never"));
    jobs.create(Jobs.simple("failure", 2, "Never"));
    jobs.create(Jobs.simple("restarted", 2, "OnFailure"));
    jobs.create(Jobs.simple("paused", 2, "Never"));
    for (String name : new String[] {"success", "failure", "restarted", "paused"}) {
      jobs.awaitPhase(name, "Running");
    }
    kubelet.finish(namespace, jobs.base("success") + "-worker-0", 0);
    kubelet.finish(namespace, jobs.base("failure") + "-worker-1", 3);
    kubelet.finish(namespace, jobs.base("restarted") + "-worker-1", 1);
    jobs.patch("paused", "{\"spec\": {\"runMode\": {\"pause\": {\"enabled\": true}}}}");
    jobs.awaitPhase("success", "Succeeded");
    jobs.awaitPhase("failure", "Failed");
    jobs.awaitPhase("paused", "Paused");
    jobs.await(
        "restarted",
        "the second attempt",
        status -> "Running".equals(status.phase()) && status.attempt() == 1);
  }

  private void assertBeforeTheKill(MetricsPage page, ApiProxy proxy) {
    assertGauges(page);
    SoftAssertions softly = new SoftAssertions();
    softly.assertThat(page.sum(OWN + "created_total", "namespace", namespace)).isEqualTo(4);
    softly.assertThat(page.sum(OWN + "finished_total")).isEqualTo(2);
    softly
        .assertThat(page.sum(OWN + "finished_total", "result", "succeeded", "reason", "Succeeded"))
        .isEqualTo(1);
    softly
        .assertThat(page.sum(OWN + "finished_total", "result", "failed", "reason", "ReplicaFailed"))
        .isEqualTo(1);
    softly.assertThat(page.sum(OWN + "restarts_total", "cause", "Application")).isEqualTo(1);
    softly.assertThat(page.sum(OWN + "restarts_total", "cause", "Disruption")).isZero();
    softly.assertThat(page.sum(OWN + "pods_created_total")).isEqualTo(created(proxy)).isEqualTo(10);
    softly.assertThat(page.sum(OWN + "pods_deleted_total")).isEqualTo(deleted(proxy)).isPositive();
    softly.assertThat(page.sum(OWN + "first_pod_seconds_count")).isEqualTo(4);
    softly.assertThat(page.sum(OWN + "all_running_seconds_count")).isEqualTo(4);
    softly.assertThat(page.sum(OWN + "recovery_seconds_count")).isEqualTo(1);
    for (String result : new String[] {"succeeded", "failed"}) {
      softly.assertThat(page.sum(OWN + "duration_seconds_count", "result", result)).isEqualTo(1);
    }
    softly
        .assertThat(
            page.sum(
                OWN + "admission_requests_total",
                "webhook",
                "mutate",
                "operation",
                "create",
                "allowed",
                "true"))
        .isEqualTo(4);
    softly.assertThat(page.sum(OWN + "admission_requests_total", "allowed", "false")).isPositive();
    softly
        .assertThat(page.sum(OWN + "admission_rejections_total", "rule", "run-policy"))
        .isPositive();
    softly
        .assertThat(page.sum(OWN + "admission_duration_seconds_count", "webhook", "validate"))
        .isPositive();
    softly.assertThat(page.sum(OWN + "operator_leader")).isEqualTo(1);
    softly.assertAll();
  }

  private void assertGauges(MetricsPage page) {
    Map<String, Double> phases = new TreeMap<>();
    Map<String, Double> states = new TreeMap<>();
    page.samples().stream()
        .filter(sample -> namespace.equals(sample.labels().get("namespace")))
        .forEach(
            sample -> {
              if (sample.name().equals(OWN + "jobs")) {
                phases.put(sample.labels().get("phase"), sample.value());
              } else if (sample.name().equals(OWN + "replicas")) {
                states.put(sample.labels().get("state"), sample.value());
              }
            });
    assertThat(phases)
        .isEqualTo(
            Map.of(
                "Pending",
                0.0,
                "Running",
                1.0,
                "Paused",
                1.0,
                "Resuming",
                0.0,
                "Succeeded",
                1.0,
                "Failed",
                1.0,
                "Unknown",
                0.0));
    assertThat(states)
        .containsOnlyKeys(
            "creating", "pending", "running", "succeeded", "failed", "unknown", "deleted")
        .containsEntry("running", 2.0);
  }

  private static void assertNothingIsCountedAgain(MetricsPage page) {
    for (String counter :
        new String[] {
          "created_total",
          "finished_total",
          "restarts_total",
          "pods_created_total",
          "pods_deleted_total",
          "first_pod_seconds_count",
          "all_running_seconds_count",
          "recovery_seconds_count",
          "duration_seconds_count"
        }) {
      assertThat(page.sum(OWN + counter)).as(counter).isZero();
    }
  }

  /** Without those that the webhook only tries. */
  private int created(ApiProxy proxy) {
    return proxy
        .requests(
            request ->
                request.is("create", "pods")
                    && request.namespace().equals(namespace)
                    && request.code() == 201
                    && !request.query().contains("dryRun"))
        .size();
  }

  private int deleted(ApiProxy proxy) {
    return proxy
        .requests(
            request ->
                request.is("delete", "pods")
                    && request.namespace().equals(namespace)
                    && request.code() < 300)
        .size();
  }

  /** The page about metrics is made from the same declarations. */
  private static void assertIsTheReference(MetricsPage page) {
    Map<String, String> declared = new TreeMap<>();
    for (Metric metric : Metric.values()) {
      Set<String> labels = new TreeSet<>();
      MetricNotes.of(metric).labels().forEach(label -> labels.add(label.name()));
      declared.put(metric.exposed(), MetricsReference.type(metric.kind()) + " " + labels);
    }
    Map<String, String> exposed = new TreeMap<>();
    page.types()
        .forEach(
            (name, type) -> {
              boolean longest =
                  name.endsWith(LONGEST)
                      && "histogram".equals(page.types().get(name.substring(0, name.length() - 4)));
              if (name.startsWith(OWN) && !longest) {
                exposed.put(name, type + " " + page.labels(name));
              }
            });
    assertThat(exposed).as("exposed, and declared").isEqualTo(declared);
  }
}
