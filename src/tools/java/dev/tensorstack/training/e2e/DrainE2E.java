package dev.tensorstack.training.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.e2e.Manifest.PodText;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** A node is drained under a PodDisruptionBudget that asks for the job's scale. */
@Order(3)
@ExtendWith(ReleaseExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DrainE2E {

  private static final String BUDGET =
      """
      apiVersion: policy/v1
      kind: PodDisruptionBudget
      metadata: {name: drained}
      spec:
        maxUnavailable: 1
        selector: {matchLabels: {tensorstack.dev/owner-name: drained}}
      """;

  private final Scene scene;

  DrainE2E(Release release) {
    scene = new Scene(release.client(), "e2e-drain");
  }

  @AfterAll
  void end() {
    scene.close();
  }

  /** Pods that run on a node as long as it takes pods. */
  private static PodText preferring(String node) {
    return PodText.runs()
        .with(
            """
            affinity:
              nodeAffinity:
                preferredDuringSchedulingIgnoredDuringExecution:
                - weight: 100
                  preference:
                    matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [%s]}]
            """
                .formatted(node));
  }

  private static boolean isOn(Pod pod, String node) {
    return node.equals(pod.getSpec().getNodeName());
  }

  @Test
  void aNodeWithPodsOfAJobThatIsNotElasticIsDrainedUnderABudgetWithMaxUnavailable() {
    String node = Settings.node();
    scene.apply(
        Manifest.job("drained")
            .with("runPolicy: {backoffLimit: 0, restartScope: Replica}")
            .replicas("worker", 3, preferring(node))
            .yaml());
    scene.apply(BUDGET);
    scene.awaitPhase("drained", "Running");
    assertThat(scene.livePods("drained").values()).allMatch(pod -> isOn(pod, node));
    await("the budget allows one")
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                scene
                    .kubectl("get", "pdb", "drained", "-o", "jsonpath={.status.disruptionsAllowed}")
                    .orThrow()
                    .equals("1"));

    try {
      String uid = Objects.requireNonNull(scene.job("drained").getMetadata().getUid());
      Program.kubectl(
              "drain",
              node,
              "--ignore-daemonsets",
              "--pod-selector=batch.tensorstack.dev/job-uid=" + uid,
              "--timeout=120s")
          .orThrow();
      PyTorchTrainingJobStatus status =
          scene.await(
              "drained",
              "all pods elsewhere",
              now ->
                  "Running".equals(now.phase())
                      && scene.livePods("drained").values().stream()
                          .noneMatch(pod -> isOn(pod, node)));
      // The master's eviction is an attempt, after which no pod is left on the node.
      assertThat(status.disruptionCount()).isBetween(1, 3);
      assertThat(status.backoffCount()).isZero();
      assertThat(scene.livePods("drained")).hasSize(3);
    } finally {
      Program.kubectl("uncordon", node);
    }
    scene.delete("drained");
  }
}
