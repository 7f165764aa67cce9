package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.v1beta1.LastFailure;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What a user sees of each cause of a failure. */
@OperatorTest(
    value = "cause",
    shortDelays = true,
    // Of a pod that is gone before the operator looks, nobody knows more than that.
    deletionMillis = 3_000)
class FailureCauseIT {

  private final RestartScene scene;

  FailureCauseIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet) {
    scene = new RestartScene(controlPlane, jobs, kubelet);
  }

  /** What becomes of worker-1 of the job of that name, and what the job has to say of it. */
  private record Cause(
      String name,
      Consumer<String> act,
      String cause,
      @Nullable Integer exitCode,
      @Nullable Integer signal,
      String reason,
      String message) {}

  /** Kubernetes takes the condition back when it is old and nobody has deleted the pod. */
  private static String preempted(Instant now) {
    return """
        {"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler",
         "lastTransitionTime": "%s",
         "message": "default-scheduler: preempting to accommodate a higher priority pod"}]}
        """
        .formatted(now.truncatedTo(ChronoUnit.SECONDS));
  }

  private static boolean is(Pod pod, String job) {
    return pod.getMetadata().getName().startsWith(job + "-")
        && pod.getMetadata().getName().endsWith("-worker-1");
  }

  private List<Cause> causes() {
    Instant now = Instant.now();
    return List.of(
        new Cause(
            "exit-code",
            pod -> scene.kubelet.finish(scene.namespace, pod, 3),
            "Application",
            3,
            null,
            "Error",
            ""),
        new Cause(
            "out-of-memory",
            pod -> scene.kubelet.finish(scene.namespace, pod, 137, "OOMKilled"),
            "Application",
            137,
            null,
            "OOMKilled",
            ""),
        new Cause(
            "signal",
            pod ->
                scene.report(
                    pod,
                    RestartScene.ended(
                        now, "\"exitCode\": 139, \"signal\": 11, \"reason\": \"Error\"")),
            "Application",
            139,
            11,
            "Error",
            ""),
        new Cause(
            "message",
            pod ->
                scene.report(
                    pod,
                    RestartScene.ended(
                        now,
                        "\"exitCode\": 1, \"reason\": \"Error\", \"message\": \"loss is NaN\"")),
            "Application",
            1,
            null,
            "Error",
            "loss is NaN"),
        new Cause(
            "init",
            pod ->
                scene.report(
                    pod,
                    """
                    {"phase": "Failed", "initContainerStatuses": [{"name": "data", "ready": false, "restartCount": 0,
                     "image": "i:1", "imageID": "", "state": {"terminated": {"exitCode": 2, "reason": "Error",
                     "finishedAt": "2026-01-02T03:04:05Z"}}}],
                     "containerStatuses": [{"name": "pytorch", "ready": false, "restartCount": 0, "image": "i:1",
                     "imageID": "", "state": {"waiting": {"reason": "PodInitializing"}}}]}
                    """),
            "Application",
            2,
            null,
            "Error",
            "init container data"),
        // The container ends with 143 before the pod is gone.
        new Cause(
            "deleted",
            pod -> scene.delete(pod, null),
            "Disruption",
            null,
            null,
            "Deleted",
            "the pod was deleted by somebody else"),
        new Cause(
            "force-deleted",
            pod -> scene.delete(pod, 0L),
            "Disruption",
            null,
            null,
            "Deleted",
            "the pod was deleted by somebody else"),
        // Drained, evicted, preempted
        new Cause(
            "drained",
            pod -> scene.client.pods().inNamespace(scene.namespace).withName(pod).evict(),
            "Disruption",
            null,
            null,
            "EvictionByEvictionAPI",
            "Eviction API: evicting"),
        new Cause(
            "evicted",
            pod -> scene.kubelet.evict(scene.namespace, pod),
            "Disruption",
            137,
            null,
            "TerminationByKubelet",
            "The node was low on resource: memory."),
        new Cause(
            "evicted-unstarted",
            pod ->
                scene.report(
                    pod,
                    "{\"phase\": \"Failed\", \"reason\": \"Evicted\","
                        + " \"message\": \"The node was low on resource: memory.\"}"),
            "Disruption",
            null,
            null,
            "Evicted",
            "The node was low on resource: memory."),
        new Cause(
            "preempted",
            pod -> {
              scene.report(pod, preempted(Instant.now()));
              scene.delete(pod, null);
            },
            "Disruption",
            null,
            null,
            "PreemptionByScheduler",
            "preempting to accommodate a higher priority pod"),
        new Cause(
            "refused",
            pod ->
                scene.report(
                    pod,
                    """
                    {"phase": "Failed", "reason": "OutOfcpu",
                     "message": "Pod was rejected: Node didn't have enough resource: cpu, requested: 4000, used: 0, capacity: 2000"}
                    """),
            "Disruption",
            null,
            null,
            "OutOfcpu",
            "enough resource: cpu"),
        new Cause(
            "refused-otherwise",
            pod ->
                scene.report(
                    pod,
                    """
                    {"phase": "Failed", "reason": "PodOSNotSupported",
                     "message": "Pod was rejected: Failed to admit pod as the OS field doesn't match node OS"}
                    """),
            "Disruption",
            null,
            null,
            "PodOSNotSupported",
            "doesn't match node OS"),
        new Cause(
            "shutdown",
            pod ->
                scene.report(
                    pod,
                    RestartScene.ended(now, "\"exitCode\": 143, \"reason\": \"Error\"")
                        .replaceFirst(
                            "\"phase\"",
                            "\"reason\": \"Terminated\", \"message\": \"Pod was terminated in"
                                + " response to imminent node shutdown.\", \"phase\"")),
            "Disruption",
            143,
            null,
            "Terminated",
            "imminent node shutdown"));
  }

  @TestFactory
  Stream<DynamicTest> isNamedInStatusEventsAndKubectl() {
    List<Cause> causes = causes();
    // Their containers have not started when they fail.
    for (String unstarted : List.of("init", "evicted-unstarted", "refused", "refused-otherwise")) {
      scene.kubelet.rule(pod -> is(pod, unstarted), Behaviour.stayPending());
    }
    for (Cause one : causes) {
      String manifest = scene.job(one.name(), "{restartScope: Replica}", "worker 2 OnFailure");
      scene.jobs.create(
          one.name().equals("init")
              ? manifest.replace(
                  "containers: [{name: pytorch",
                  "initContainers: [{name: data, image: \"i:1\"}]\n        containers: [{name: pytorch")
              : manifest);
    }
    for (Cause one : causes) {
      scene.jobs.await(
          one.name(),
          "both pods on a node",
          status ->
              status.aggregate().pending() + status.aggregate().running() == 2
                  && status.aggregate().running() >= 1);
    }
    for (Cause one : causes) {
      one.act().accept(scene.pod(one.name(), "worker-1"));
    }
    return causes.stream().map(one -> DynamicTest.dynamicTest(one.name(), () -> check(one)));
  }

  private void check(Cause cause) {
    String job = cause.name();
    PyTorchTrainingJobStatus status = scene.awaitRestarted(job, 1);
    LastFailure failure = Objects.requireNonNull(status.lastFailure());
    assertThat(failure.cause()).isEqualTo(cause.cause());
    assertThat(failure.exitCode()).isEqualTo(cause.exitCode());
    assertThat(failure.signal()).isEqualTo(cause.signal());
    assertThat(failure.reason()).isEqualTo(cause.reason());
    assertThat(Objects.requireNonNullElse(failure.message(), "")).contains(cause.message());
    assertThat(failure.replica()).isEqualTo("worker-1");
    assertThat(failure.pod()).isEqualTo(scene.pod(job, "worker-1"));
    assertThat(failure.time()).isNotNull();
    if (!job.equals("force-deleted")) {
      assertThat(failure.node()).startsWith("cause-");
    }
    boolean disruption = cause.cause().equals("Disruption");
    assertThat(status.backoffCount()).isEqualTo(disruption ? 0 : 1);
    assertThat(status.disruptionCount()).isEqualTo(disruption ? 1 : 0);
    assertThat(status.attempt()).isZero();

    String event = scene.events(job, "ReplicaFailed").get(0).getMessage();
    assertThat(event)
        .contains(scene.pod(job, "worker-1"), "worker-1", cause.reason(), cause.message());
    String wide = scene.kubectl("get", "pj", job, "-o", "wide", "--no-headers");
    assertThat(wide.trim().split(" +")).startsWith(job, "Running", "2/2", "1");
    String described = scene.kubectl("describe", "pj", job);
    assertThat(described).contains("Last Failure", "Warning  ReplicaFailed", cause.reason());
    System.out.println("| " + job + " | " + wide.trim() + " | " + event + " | " + failure + " |");
  }

  @Test
  void anImageThatCannotBePulledIsNoFailure() {
    scene.kubelet.rule(
        pod -> pod.getMetadata().getName().startsWith("no-image-"), Behaviour.imagePullBackOff());
    scene.jobs.create(scene.job("no-image", "{backoffLimit: 0}", "worker 2 OnFailure"));
    PyTorchTrainingJobStatus status =
        scene
            .jobs
            .await(
                "no-image",
                "ImagePullFailed",
                now -> now.columns().reason().equals("ImagePullFailed"))
            .getStatus();
    assertThat(status.phase()).isEqualTo("Pending");
    scene.kubectl("annotate", "pj", "no-image", "look=again");
    await("nothing is restarted")
        .during(Duration.ofSeconds(1))
        .atMost(Duration.ofSeconds(10))
        .until(
            () -> scene.jobs.get("no-image").getStatus(),
            now -> now.lastFailure() == null && now.phase().equals("Pending"));
    assertThat(scene.replicas("no-image")).containsExactly("worker-0", "worker-1");
  }
}
