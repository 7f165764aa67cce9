package dev.tensorstack.training.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.e2e.Manifest.PodText;
import dev.tensorstack.training.kind.trainingjob.v1beta1.LastFailure;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Failures that only real kubelets and a real API server make. */
@Order(3)
@ExtendWith(ReleaseExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FailureE2E {

  private final Release release;
  private final Scene scene;

  FailureE2E(Release release) {
    this.release = release;
    scene = new Scene(release.client(), "e2e-failures");
  }

  @AfterAll
  void end() {
    scene.close();
  }

  @Test
  void aWorkerThatIsOutOfMemoryIsToldAndCountsARestart() {
    PodText hungry =
        PodText.python(
                """
                import os, signal
                if os.environ['ATTEMPT'] == '0':
                    hoard = [bytes([1]) * (1 << 20) for _ in range(400)]
                signal.signal(15, lambda *_: exit(143))
                signal.pause()
                """)
            .memory("96Mi");
    scene.apply(
        Manifest.job("hungry")
            .replicas("master", 1, PodText.runs())
            .replicas("worker", 1, hungry)
            .yaml());

    PyTorchTrainingJobStatus status =
        scene.await(
            "hungry",
            "another attempt that runs",
            now -> Integer.valueOf(1).equals(now.attempt()) && "Running".equals(now.phase()));
    LastFailure failure = Objects.requireNonNull(status.lastFailure());
    assertThat(failure.replica()).isEqualTo("worker-0");
    assertThat(failure.reason()).isEqualTo("OOMKilled");
    assertThat(failure.exitCode()).isEqualTo(137);
    assertThat(failure.cause()).isEqualTo("Application");
    assertThat(status.backoffCount()).isEqualTo(1);
    assertThat(status.disruptionCount()).isZero();
    assertThat(scene.kubectl("describe", "pj", "hungry").orThrow()).contains("OOMKilled");
    scene.delete("hungry");
  }

  @Test
  void anEvictedPodIsReplacedAndCostsNothing() {
    scene.apply(
        Manifest.job("evicted")
            .with("runPolicy: {backoffLimit: 0, restartScope: Replica}")
            .replicas("master", 1, PodText.runs())
            .replicas("worker", 2, PodText.runs())
            .yaml());
    scene.awaitPhase("evicted", "Running");
    Map<String, String> before = scene.uids("evicted");

    Pod evicted = Objects.requireNonNull(scene.livePods("evicted").get("worker-1"));
    assertThat(release.client().pods().resource(evicted).evict()).isTrue();

    PyTorchTrainingJobStatus status =
        scene.await(
            "evicted",
            "the pod in its place",
            now ->
                Integer.valueOf(1).equals(now.disruptionCount()) && "Running".equals(now.phase()));
    LastFailure failure = Objects.requireNonNull(status.lastFailure());
    assertThat(failure.replica()).isEqualTo("worker-1");
    assertThat(failure.cause()).isEqualTo("Disruption");
    assertThat(status.backoffCount()).isZero();
    Map<String, String> after = scene.uids("evicted");
    assertThat(after).hasSize(3);
    assertThat(after.get("worker-1")).isNotEqualTo(before.get("worker-1"));
    assertThat(after.get("master-0")).isEqualTo(before.get("master-0"));
    assertThat(after.get("worker-0")).isEqualTo(before.get("worker-0"));
    scene.delete("evicted");
  }
}
