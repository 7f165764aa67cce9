package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.fakekubelet.FakeKubelet;
import org.junit.jupiter.api.Test;

/** A job's life on a real API server, with a fake kubelet. */
@OperatorTest("training")
class TrainingIT {

  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private final OperatorProcess operator;

  TrainingIT(Jobs jobs, FakeKubelet kubelet, OperatorProcess operator) {
    this.jobs = jobs;
    this.kubelet = kubelet;
    this.operator = operator;
    this.namespace = jobs.namespace();
  }

  @Test
  void theMastersSuccessIsTheJobsSuccess() {
    jobs.create(Jobs.simple("success", 4, "Never"));
    jobs.awaitPhase("success", "Running");
    kubelet.finish(namespace, jobs.base("success") + "-worker-0", 0);
    jobs.awaitPhase("success", "Succeeded");

    assertThat(jobs.awaitPods("success", 1))
        .singleElement()
        .extracting(pod -> pod.getMetadata().getName())
        .isEqualTo(jobs.base("success") + "-worker-0");
    assertThat(jobs.get("success").getStatus().backoffCount()).isZero();
  }

  @Test
  void theMetricsPageHasTheOperatorsOwnSeriesAndTheFrameworks() {
    jobs.create(Jobs.simple("measured", 2, "Never"));
    jobs.awaitPhase("measured", "Running");

    String metrics = operator.get("/q/metrics").body();
    assertThat(metrics)
        .containsPattern(
            "(?m)^pytorchtrainingjob_pods_created_total\\{kind=\"PyTorchTrainingJob\",?} [1-9]")
        .containsPattern("(?m)^operator_sdk_reconciliations_success_total.* [1-9]");
    assertThat(operator.get("/q/health/live").statusCode()).isEqualTo(200);
    assertThat(operator.get("/q/health/ready").statusCode()).isEqualTo(200);
  }
}
