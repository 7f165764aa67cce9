package dev.tensorstack.training.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.e2e.Manifest.PodText;
import dev.tensorstack.training.kind.trainingjob.v1beta1.LastFailure;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** A node dies, with the operator that leads and a pod of a training on it, and comes back. */
@Order(6)
@ExtendWith(ReleaseExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NodeLossE2E {

  private static final Duration TAKE_OVER = Duration.ofSeconds(20);
  private static final Pattern EPOCH = Pattern.compile("epoch ([0-9]+)/");
  private static final Pattern CONTINUES =
      Pattern.compile("continuing after epoch ([0-9]+), world_size 2");

  private final Release release;
  private final Scene scene;

  NodeLossE2E(Release release) {
    this.release = release;
    scene = new Scene(release.client(), "e2e-node-loss");
  }

  @AfterAll
  void end() {
    scene.close();
  }

  @Test
  void theOtherOperatorTakesOverAndTheTrainingGoesOnElsewhereAndNothingDoublesAfterwards() {
    String node = Settings.node();
    String stop = Settings.nodeStop();
    String start = Settings.nodeStart();
    SharedVolume.claim(scene);
    scene.apply(Manifest.digitsScript());
    scene.apply(training(node));
    scene.apply(bystander("bystander", node));
    leadOn(node);
    scene.awaitPhase("bystander", "Running");
    scene.awaitLog("training", "master-0", "two epochs", log -> log.contains("epoch 2/"));
    Map<String, String> before = scene.uids("training");
    assertThat(nodeOf("training", "worker-0")).isEqualTo(node);

    Program.shell(stop, node).orThrow();
    try (AdmissionProbe asks =
        AdmissionProbe.start(release.client(), scene.namespace(), bystander("probe", node))) {
      Timing loss = Timing.start();
      theOtherOperatorTakesOver(loss);
      theTrainingGoesOn(node, before, loss);
      // Until the dead operator is taken out of the webhooks' Service, some are sent to it.
      System.out.printf(
          "e2e: %d of %d webhook calls failed meanwhile%n", asks.refusals().size(), asks.count());
      asks.refusals().stream().limit(3).forEach(refusal -> System.out.println("e2e: " + refusal));
    } finally {
      Program.shell(start, node);
    }
    theNodeComesBackAndNothingDoubles(node);
    scene.delete("training");
    scene.delete("bystander");
    release.awaitReady();
  }

  /** What happens on the other node is answered, though nobody has noticed the loss yet. */
  private void theOtherOperatorTakesOver(Timing loss) {
    String holder = release.holder();
    Pod pod = Objects.requireNonNull(scene.livePods("bystander").get("worker-0"));
    scene.kubectl("delete", "pod", pod.getMetadata().getName(), "--wait=false").orThrow();
    release.awaitOtherLeader(holder);
    loss.report("the leader's node stopped: until another one leads");
    assertThat(loss.elapsed()).isLessThan(TAKE_OVER);
    scene.await(
        "bystander",
        "its pod in place of one that was deleted",
        now -> now.columns().restarts() == 1 && "Running".equals(now.phase()));
    loss.report("the leader's node stopped: until a deleted pod was replaced");
  }

  private void theTrainingGoesOn(String node, Map<String, String> before, Timing loss) {
    PyTorchTrainingJobStatus status =
        scene.await(
            "training",
            "its pod in place of the lost one",
            now -> now.columns().restarts() == 1 && "2/2".equals(now.columns().running()));
    loss.report("a worker's node stopped: until the worker ran elsewhere");
    assertThat(status.disruptionCount()).isEqualTo(1);
    assertThat(status.backoffCount()).isZero();
    assertThat(status.attempt()).isZero();
    LastFailure failure = Objects.requireNonNull(status.lastFailure());
    assertThat(failure.replica()).isEqualTo("worker-0");
    assertThat(failure.node()).isEqualTo(node);
    System.out.println("e2e: " + failure);
    assertThat(nodeOf("training", "worker-0")).isNotEqualTo(node);
    assertThat(scene.uids("training")).containsEntry("master-0", before.get("master-0"));

    String log =
        scene.awaitLog(
            "training", "master-0", "both train again", now -> CONTINUES.matcher(now).find());
    loss.report("a worker's node stopped: until both trained again");
    Matcher continued = CONTINUES.matcher(log);
    assertThat(continued.find()).isTrue();
    assertThat(Integer.parseInt(continued.group(1))).isGreaterThanOrEqualTo(2);
    int first = Integer.parseInt(continued.group(1)) + 1;
    scene.awaitLog("training", "master-0", "an epoch more", now -> lastEpoch(now) > first);
  }

  private static int lastEpoch(String log) {
    return EPOCH
        .matcher(log)
        .results()
        .mapToInt(found -> Integer.parseInt(found.group(1)))
        .max()
        .orElse(0);
  }

  private void theNodeComesBackAndNothingDoubles(String node) {
    Timing back = Timing.start();
    await(node + " is ready")
        .atMost(Scene.PATIENCE)
        .until(() -> release.client().nodes().withName(node).get(), NodeLossE2E::ready);
    Map<String, String> uids = scene.uids("training");
    await("the lost pod is gone")
        .atMost(Scene.PATIENCE)
        .until(
            () ->
                scene.pods("training").stream()
                    .noneMatch(pod -> pod.getMetadata().getDeletionTimestamp() != null));
    back.report("the node was started: until it was ready and the lost pod gone");
    await("nothing doubles")
        .during(Duration.ofSeconds(3))
        .atMost(Scene.PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(scene.uids("training")).isEqualTo(uids).hasSize(2);
              assertThat(scene.status("training").columns().restarts()).isEqualTo(1);
            });
    System.out.println(scene.kubectl("get", "pj,pods", "-o", "wide").orThrow());
    release.awaitReady();
  }

  private static boolean ready(Node node) {
    return Readiness.isNodeReady(node);
  }

  private String nodeOf(String job, String replica) {
    return Objects.requireNonNull(scene.livePods(job).get(replica)).getSpec().getNodeName();
  }

  /**
   * Lets the operator on this node lead: for a moment it is the only one. Were the other one's pod
   * deleted, the pod in its place might lead.
   */
  private void leadOn(String node) {
    release.awaitReady();
    Pod leader = release.leader().orElseThrow();
    if (!leader.getSpec().getNodeName().equals(node)) {
      String holder = release.holder();
      release.scaleDown(1, leader);
      release.awaitOtherLeader(holder);
      release.scale(2);
      release.awaitReady();
    }
    assertThat(release.leader().orElseThrow().getSpec().getNodeName()).isEqualTo(node);
  }

  /**
   * An elastic training: its master is elsewhere, its worker on the node as long as it is there.
   */
  private static String training(String node) {
    PodText master = digits().with(affinity(node, "NotIn"));
    PodText worker =
        digits()
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
    return Manifest.job("training")
        .with("torchrunConfig: {enabled: true, maxRestarts: 10}")
        .with("elastic: {enabled: true, minReplicas: 1, maxReplicas: 2, expectedReplicas: 2}")
        .with("runPolicy: {backoffLimit: 0}")
        .replicas("master", 1, "scalingWeight: 0", master)
        .replicas("worker", 1, "scalingWeight: 1", worker)
        .yaml();
  }

  private static PodText digits() {
    return PodText.torchrunDigits(
            "--epochs=100000", "--step-delay=0.05", "--checkpoint-dir=/data/$(JOB_UID)")
        .withData();
  }

  /** A job that is not on the node at all. */
  private static String bystander(String name, String node) {
    PodText pod = PodText.runs().with(affinity(node, "NotIn"));
    return Manifest.job(name)
        .with("runPolicy: {restartScope: Replica}")
        .replicas("master", 1, pod)
        .replicas("worker", 1, pod)
        .yaml();
  }

  private static String affinity(String node, String operator) {
    return """
        affinity:
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
              - matchExpressions: [{key: kubernetes.io/hostname, operator: %s, values: [%s]}]
        """
        .formatted(operator, node);
  }
}
