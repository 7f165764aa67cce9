package dev.tensorstack.training.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.e2e.Manifest.PodText;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Operators come and go while jobs run. */
@Tag("core")
@Order(5)
@ExtendWith(ReleaseExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UpgradeE2E {

  /** The promise is 3 s; a pod goes on serving for another 3 s before it is told to end. */
  private static final Duration ORDERLY = Duration.ofSeconds(6);

  private final Release release;
  private final Scene scene;

  UpgradeE2E(Release release) {
    this.release = release;
    scene = new Scene(release.client(), "e2e-upgrade");
  }

  @AfterAll
  void end() {
    scene.close();
  }

  @Test
  void anUpgradeTouchesNoPodAndWebhooksAnswerAllTheTime() {
    PodText trains = PodText.torchrunDigits("--epochs=100000", "--step-delay=0.1");
    scene.apply(Manifest.digitsScript());
    scene.apply(
        Manifest.job("trains")
            .with("torchrunConfig: {enabled: true}")
            .replicas("master", 1, trains)
            .replicas("worker", 1, trains)
            .yaml());
    scene.apply(
        Manifest.job("runs")
            .replicas("master", 1, PodText.runs())
            .replicas("worker", 2, PodText.runs())
            .yaml());
    scene.awaitPhase("runs", "Running");
    scene.awaitLog("trains", "master-0", "an epoch", log -> log.contains("epoch 1/"));
    Map<String, String> runs = scene.uids("runs");
    Map<String, String> trained = scene.uids("trains");
    Set<String> operators = operators();

    Timing timing = Timing.start();
    String probe = Manifest.job("probe").replicas("worker", 1, PodText.runs()).yaml();
    try (AdmissionProbe asks = AdmissionProbe.start(release.client(), scene.namespace(), probe)) {
      release.upgrade("--set=podAnnotations.upgraded=yes");
      release.awaitReady();
      timing.report("helm upgrade --wait, until one leads");
      asks.awaitMore(10);
      assertThat(asks.refusals()).as("of %d requests", asks.count()).isEmpty();
    }

    assertThat(operators()).hasSize(2).doesNotContainAnyElementsOf(operators);
    assertThat(scene.uids("runs")).isEqualTo(runs);
    assertThat(scene.uids("trains")).isEqualTo(trained);
    for (String job : Set.of("runs", "trains")) {
      PyTorchTrainingJobStatus status = scene.status(job);
      assertThat(status.phase()).isEqualTo("Running");
      assertThat(status.columns().restarts()).isZero();
      assertThat(scene.pods(job))
          .flatExtracting(pod -> pod.getStatus().getContainerStatuses())
          .extracting(ContainerStatus::getRestartCount)
          .containsOnly(0);
    }
    // The new leader works on them: what happens now is answered.
    Pod worker = Objects.requireNonNull(scene.livePods("trains").get("worker-0"));
    scene.kubectl("delete", "pod", worker.getMetadata().getName(), "--wait=false").orThrow();
    scene.await("trains", "the answer to a deletion", now -> now.columns().restarts() == 1);
    scene.delete("trains");
    scene.delete("runs");
  }

  @Test
  void whenTheLeadersPodIsDeletedAnotherTakesOverAtOnce() {
    release.awaitReady();
    String before = release.holder();
    Pod leader = release.leader().orElseThrow();

    Timing timing = Timing.start();
    Program.kubectl(
            "delete",
            "pod",
            "-n",
            Release.NAMESPACE,
            leader.getMetadata().getName(),
            "--wait=false")
        .orThrow();
    release.awaitOtherLeader(before);
    timing.report("the leader's pod was deleted: until another one leads");
    assertThat(timing.elapsed()).isLessThan(ORDERLY);
    release.awaitReady();
  }

  private Set<String> operators() {
    return release.pods().stream()
        .map(pod -> pod.getMetadata().getName())
        .collect(Collectors.toSet());
  }
}
