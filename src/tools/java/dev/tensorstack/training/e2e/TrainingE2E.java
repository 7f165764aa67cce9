package dev.tensorstack.training.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tensorstack.training.e2e.Manifest.PodText;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Real PyTorch in real pods. */
@Tag("core")
@Order(2)
@ExtendWith(ReleaseExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TrainingE2E {

  private static final String[] LEARN = {"--epochs=10", "--target-accuracy=0.9"};

  private final Release release;
  private final Scene scene;

  TrainingE2E(Release release) {
    this.release = release;
    scene = new Scene(release.client(), "e2e-training");
  }

  @BeforeAll
  void script() {
    scene.apply(Manifest.digitsScript());
  }

  @AfterAll
  void end() {
    scene.close();
  }

  private void needTwoNodes() {
    assumeTrue(release.nodes() > 1, "the cluster has one node; this takes two");
  }

  @Test
  void digitsAreLearntOnTwoNodesWithTorchrun() {
    needTwoNodes();
    PodText pod = PodText.torchrunDigits(LEARN).onDifferentNodes();
    learn(
        Manifest.job("with-torchrun")
            .with("torchrunConfig: {enabled: true}")
            .with("runPolicy: {cleanUpPolicy: None}")
            .replicas("master", 1, pod)
            .replicas("worker", 1, pod),
        "with-torchrun");
  }

  @Test
  void digitsAreLearntOnTwoNodesWithoutTorchrun() {
    needTwoNodes();
    PodText pod = PodText.digits(LEARN).onDifferentNodes();
    learn(
        Manifest.job("without-torchrun")
            .with("runPolicy: {cleanUpPolicy: None}")
            .replicas("master", 1, pod)
            .replicas("worker", 1, pod),
        "without-torchrun");
  }

  private void learn(Manifest manifest, String job) {
    Timing timing = Timing.start();
    scene.apply(manifest.yaml());
    PyTorchTrainingJobStatus status =
        scene.await(job, "its end", now -> now.completionTime() != null);
    timing.report(job + ", from kubectl apply to its end");

    assertThat(status.phase()).isEqualTo("Succeeded");
    assertThat(status.columns().restarts()).isZero();
    assertThat(scene.pods(job).stream().map(pod -> pod.getSpec().getNodeName()).distinct())
        .hasSize(2);
    Pod master = scene.pods(job).get(0);
    assertThat(scene.log(master))
        .contains("starting, world_size 2")
        .containsPattern("accuracy 0\\.9");
    System.out.println(scene.kubectl("get", "pj", job, "-o", "wide").orThrow());
  }

  @Test
  void aPausedTrainingGoesOnFromItsCheckpoint() {
    SharedVolume.claim(scene);
    PodText pod =
        PodText.torchrunDigits(
                "--epochs=1000", "--step-delay=0.02", "--checkpoint-dir=/data/$(JOB_UID)")
            .withData();
    scene.apply(
        Manifest.job("paused")
            .with("torchrunConfig: {enabled: true}")
            .replicas("master", 1, pod)
            .replicas("worker", 1, pod)
            .yaml());
    scene.awaitLog("paused", "master-0", "two epochs", log -> log.contains("epoch 2/"));
    Map<String, String> before = scene.uids("paused");

    pause("true");
    scene.awaitPhase("paused", "Paused");
    assertThat(scene.livePods("paused")).isEmpty();
    pause("false");

    String log =
        scene.awaitLog("paused", "master-0", "the next epoch", now -> now.contains("epoch "));
    assertThat(log).containsPattern("continuing after epoch [0-9]+, world_size 2");
    PyTorchTrainingJobStatus status = scene.awaitPhase("paused", "Running");
    assertThat(status.backoffCount()).isZero();
    assertThat(status.disruptionCount()).isZero();
    assertThat(scene.uids("paused")).hasSize(2).doesNotContainValue(before.get("master-0"));
    scene.delete("paused");
  }

  private void pause(String enabled) {
    scene
        .kubectl(
            "patch",
            "pj",
            "paused",
            "--type=merge",
            "-p",
            "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":" + enabled + "}}}}")
        .orThrow();
  }
}
