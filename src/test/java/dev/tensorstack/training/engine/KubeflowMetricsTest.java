package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.report.JobTransition;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubeflowMetricsTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final JobMetrics metrics =
      new JobMetrics(registry, "PyTorchJob", new KubeflowMetrics(registry, "pytorch"));

  private double jobs(String what, String namespace) {
    return registry
        .get("training_operator_jobs_" + what)
        .tags("job_namespace", namespace, "framework", "pytorch")
        .counter()
        .count();
  }

  private double own(String meter) {
    return registry.get("pytorchtrainingjob_" + meter).tag("kind", "PyTorchJob").counters().stream()
        .mapToDouble(counter -> counter.count())
        .sum();
  }

  @Test
  void factsAreCountedUnderBothNames() {
    metrics.count(
        "ns",
        List.of(
            new JobTransition.Created(),
            new JobTransition.FirstPodRan(Duration.ofSeconds(1)),
            new JobTransition.AllPodsRan(Duration.ofSeconds(1)),
            new JobTransition.Restarted(FailureCause.Application, 2),
            new JobTransition.Restarted(FailureCause.Disruption, 3),
            new JobTransition.Recovered(Duration.ofSeconds(1)),
            new JobTransition.Ended(true, "Succeeded", Duration.ofSeconds(2))));
    metrics.count(
        "ns",
        List.of(
            new JobTransition.Created(), new JobTransition.Ended(false, "ReplicaFailed", null)));
    metrics.deleted("ns");

    assertThat(jobs("created", "ns")).isEqualTo(2).isEqualTo(own("created"));
    assertThat(jobs("restarted", "ns")).isEqualTo(5).isEqualTo(own("restarts"));
    assertThat(jobs("successful", "ns")).isEqualTo(1);
    assertThat(jobs("failed", "ns")).isEqualTo(1);
    assertThat(own("finished")).isEqualTo(2);
    assertThat(jobs("deleted", "ns")).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"created", "deleted", "successful", "failed", "restarted"})
  void theSeriesOfANamespaceBeginWithZero(String what) {
    metrics.known("ns");
    assertThat(jobs(what, "ns")).isZero();

    metrics.count("other", List.of());
    assertThat(registry.find("training_operator_jobs_" + what).counters())
        .as("nothing is known of it")
        .hasSize(1);
  }

  @Test
  void eachNamespaceIsCountedByItself() {
    metrics.count("a", List.of(new JobTransition.Created()));
    metrics.known("b");

    assertThat(jobs("created", "a")).isEqualTo(1);
    assertThat(jobs("created", "b")).isZero();
  }

  @Test
  void aKindThatIsNotKubeflowsHasNoneOfThem() {
    JobMetrics own = new JobMetrics(registry, "PyTorchTrainingJob", null);
    own.known("ns");
    own.count("ns", List.of(new JobTransition.Created()));
    own.deleted("ns");

    assertThat(registry.getMeters())
        .extracting(Meter::getId)
        .noneMatch(id -> id.getName().startsWith("training_operator"));
  }

  /** What dashboards made for Kubeflow's operator ask for. */
  @ParameterizedTest
  @ValueSource(strings = {"created", "deleted", "successful", "failed", "restarted"})
  void prometheusSeesTheNamesOfKubeflowsOperator(String what) {
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    new KubeflowMetrics(prometheus, "pytorch").known("ns");

    assertThat(prometheus.scrape())
        .containsPattern(
            "(?m)^training_operator_jobs_"
                + what
                + "_total\\{framework=\"pytorch\",job_namespace=\"ns\",?} 0.0$");
  }
}
