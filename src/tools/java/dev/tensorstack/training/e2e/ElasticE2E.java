package dev.tensorstack.training.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tensorstack.training.e2e.Manifest.PodText;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** A large job on the fake nodes of KWOK. */
@Order(4)
@ExtendWith(ReleaseExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ElasticE2E {

  private static final int MOST = 200;

  private final Release release;
  private final Scene scene;

  ElasticE2E(Release release) {
    this.release = release;
    scene = new Scene(release.client(), "e2e-elastic");
  }

  private void needFakeNodes() {
    assumeTrue(
        !release.client().nodes().withLabel("type", "kwok").list().getItems().isEmpty(),
        "the cluster has no nodes with the label type=kwok: make some with KWOK");
  }

  @AfterAll
  void end() {
    scene.close();
  }

  @Test
  void anElasticJobGrowsTo200PodsAndShrinksAndTheOthersStay() {
    needFakeNodes();
    PodText pod =
        PodText.torchrunDigits()
            .with(
                """
                nodeSelector: {type: kwok}
                tolerations: [{key: kwok.x-k8s.io/node, operator: Exists}]
                """);
    scene.apply(Manifest.digitsScript());
    scene.apply(
        Manifest.job("large")
            .with("torchrunConfig: {enabled: true}")
            .with("elastic: {enabled: true, minReplicas: 2, maxReplicas: 200, expectedReplicas: 4}")
            .replicas("master", 1, "scalingWeight: 0", pod)
            .replicas("worker", 1, "scalingWeight: 1", pod)
            .yaml());
    awaitRunning(4);
    Map<String, String> first = scene.uids("large");

    Timing growth = Timing.start();
    scale(MOST);
    awaitRunning(MOST);
    growth.report("4 to 200 running pods");
    Map<String, String> most = scene.uids("large");
    assertThat(most).hasSize(MOST).containsAllEntriesOf(first);
    OperatorUsage.report(release, "one job of 200 pods");

    Timing shrinkage = Timing.start();
    scale(8);
    awaitRunning(8);
    await("the others are gone")
        .atMost(Scene.PATIENCE)
        .until(() -> scene.pods("large").size() == 8);
    shrinkage.report("200 to 8 pods");
    Map<String, String> last = scene.uids("large");
    assertThat(last).hasSize(8).containsEntry("master-0", first.get("master-0"));
    assertThat(most).containsAllEntriesOf(last);
    PyTorchTrainingJobStatus status = scene.status("large");
    assertThat(status.columns().restarts()).isZero();
    assertThat(status.disruptionCount()).isZero();
    scene.delete("large");
  }

  private void scale(int nodes) {
    scene.kubectl("scale", "pj/large", "--replicas=" + nodes).orThrow();
  }

  private void awaitRunning(int nodes) {
    scene.await(
        "large",
        nodes + " running pods",
        now ->
            Integer.valueOf(nodes).equals(now.replicas())
                && Objects.requireNonNull(now.aggregate()).running() == nodes);
  }
}
