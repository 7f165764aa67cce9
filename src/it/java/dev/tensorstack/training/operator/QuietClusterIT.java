package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.AdminAccount;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jobs to which nothing happens cost the API server no write. */
@OperatorTest(value = "quiet", operator = false)
class QuietClusterIT {

  private static final int FINISHED = 200;
  private static final int RUNNING = 50;

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final Jobs jobs;
  private final AdminAccount account;

  QuietClusterIT(
      ControlPlane controlPlane, KubernetesClient client, Jobs jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.jobs = jobs;
    this.namespace = jobs.namespace();
    account = AdminAccount.create(controlPlane, namespace, "operator");
    kubelet.rule(
        pod ->
            pod.getMetadata().getName().startsWith("finished-")
                && "master".equals(pod.getMetadata().getLabels().get(TrainingJobLabels.JOB_ROLE)),
        Behaviour.succeedAfter(Duration.ofMillis(500)));
  }

  private OperatorProcess operator() {
    return OperatorProcess.start(
        account.kubeconfig(), Map.of("OPERATOR_WATCH_NAMESPACES", namespace));
  }

  @Test
  void twoHundredFinishedAndFiftyRunningJobsCostNoWriteInAMinuteNorAtARestart() {
    AuditLog log = AuditLog.fromNowOn(controlPlane, account.user());
    try (OperatorProcess operator = operator()) {
      IntStream.range(0, FINISHED + RUNNING)
          .parallel()
          .forEach(
              i ->
                  jobs.create(
                      Jobs.simple((i < FINISHED ? "finished-" : "running-") + i, 2, "Never")));
      await("all jobs where they belong")
          .atMost(Duration.ofMinutes(5))
          .pollInterval(Duration.ofSeconds(1))
          // While 250 jobs are created at once, a list may take longer than the client waits.
          .ignoreExceptionsInstanceOf(KubernetesClientException.class)
          .untilAsserted(
              () ->
                  assertThat(countByPhase())
                      .isEqualTo(Map.of("Succeeded", (long) FINISHED, "Running", (long) RUNNING)));
      // The workers of the jobs that succeeded are cleaned up; then everything has been said.
      await("the clean-up")
          .atMost(Duration.ofMinutes(2))
          .pollInterval(Duration.ofSeconds(1))
          .until(
              () -> client.pods().inNamespace(namespace).list().getItems().size(),
              pods -> pods == FINISHED + 2 * RUNNING);
      awaitLastWrites(log);
      assertThat(log.writes()).as("the log sees the operator").isNotEmpty();

      assertNoWriteFor(Duration.ofSeconds(60));
      assertThat(operator.isAlive()).isTrue();
    }
    AuditLog afterRestart = AuditLog.fromNowOn(controlPlane, account.user());
    try (OperatorProcess again = operator()) {
      assertNoWriteFor(Duration.ofSeconds(10));
      assertThat(afterRestart.writes()).as("from the start on").isEmpty();
      assertThat(again.isAlive()).isTrue();
    }
  }

  private Map<String, Long> countByPhase() {
    return client
        .resources(PyTorchTrainingJob.class)
        .inNamespace(namespace)
        .list()
        .getItems()
        .stream()
        .map(job -> job.getStatus() == null ? "none" : String.valueOf(job.getStatus().phase()))
        .collect(Collectors.groupingBy(phase -> phase, Collectors.counting()));
  }

  /** The last status write may wait for its turn: a second without a write ends that. */
  private static void awaitLastWrites(AuditLog log) {
    await("the last writes")
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofSeconds(3))
        .until(
            new java.util.concurrent.Callable<>() {
              private int before = -1;

              @Override
              public Boolean call() {
                int now = log.writes().size();
                boolean same = now == before;
                before = now;
                return same;
              }
            });
  }

  private void assertNoWriteFor(Duration time) {
    AuditLog log = AuditLog.fromNowOn(controlPlane, account.user());
    await("no write for " + time)
        .during(time)
        .atMost(time.plusSeconds(10))
        .pollInterval(Duration.ofSeconds(1))
        .failFast(() -> assertThat(log.writes()).isEmpty())
        .until(log::writes, List::isEmpty);
  }
}
