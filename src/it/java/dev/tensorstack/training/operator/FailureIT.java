package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.LastFailure;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a job ends, and what is left of it. */
@OperatorTest(value = "failure", env = "OPERATOR_AGENT_EXIT_GRACE=3s")
class FailureIT {

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;

  FailureIT(ControlPlane controlPlane, KubernetesClient client, Jobs jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.jobs = jobs;
    this.kubelet = kubelet;
    this.namespace = jobs.namespace();
  }

  private String pod(String job, int index) {
    return jobs.base(job) + "-worker-" + index;
  }

  private static String with(String manifest, String line) {
    return manifest.replace("spec:\n  replicaSpecs", "spec:\n  " + line + "\n  replicaSpecs");
  }

  @Test
  void aFailedReplicaOfPolicyNeverFailsTheJobAndIsNamed() {
    jobs.create(Jobs.simple("oom", 3, "Never"));
    jobs.awaitPhase("oom", "Running");
    String node =
        client.pods().inNamespace(namespace).withName(pod("oom", 1)).get().getSpec().getNodeName();
    // A node may add words of its own; these are kept.
    controlPlane
        .kubectl(
            "patch",
            "pod",
            pod("oom", 1),
            "-n",
            namespace,
            "--subresource=status",
            "--type=merge",
            "-p",
            "{\"status\":{\"message\":\"memory is short\"}}")
        .orThrow();
    kubelet.finish(namespace, pod("oom", 1), 137, "OOMKilled");
    PyTorchTrainingJobStatus status = jobs.awaitPhase("oom", "Failed").getStatus();

    assertThat(status.columns().reason()).isEqualTo("ReplicaFailed");
    assertThat(status.completionTime()).isNotNull();
    assertThat(condition(status, "Failed").reason()).isEqualTo("ReplicaFailed");
    assertThat(condition(status, "Failed").status()).isEqualTo("True");
    assertThat(condition(status, "Failed").message()).contains(pod("oom", 1), "137", "OOMKilled");
    assertThat(condition(status, "Completed").reason()).isEqualTo("Failed");
    assertThat(condition(status, "ReplicaFailure").status()).isEqualTo("True");
    assertThat(status.backoffCount()).isZero();
    LastFailure last = Objects.requireNonNull(status.lastFailure());
    assertThat(last.replica()).isEqualTo("worker-1");
    assertThat(last.pod()).isEqualTo(pod("oom", 1));
    assertThat(last.cause()).isEqualTo("Application");
    assertThat(last.exitCode()).isEqualTo(137);
    assertThat(last.reason()).isEqualTo("OOMKilled");
    assertThat(last.node()).isEqualTo(node);
    assertThat(last.message()).isEqualTo("memory is short");
    assertThat(last.time()).isNotNull();
  }

  /** Which of master, done worker and running worker remain. */
  @ParameterizedTest(name = "{0} after master {1}")
  @CsvSource({
    "Unfinished, 0, 2",
    "All,        0, 0",
    "None,       0, 3",
    "Unfinished, 1, 2",
    "All,        1, 0",
    "None,       1, 3",
    "-,          0, 2"
  })
  void theCleanUpPolicySaysWhichPodsRemain(String policy, int exitCode, int remaining) {
    String name = "clean-" + policy.toLowerCase(java.util.Locale.ROOT).replace("-", "x") + exitCode;
    String manifest = Jobs.simple(name, 3, "Never");
    jobs.create(
        policy.equals("-")
            ? manifest
            : with(manifest, "runPolicy: {cleanUpPolicy: " + policy + "}"));
    jobs.awaitPhase(name, "Running");
    kubelet.finish(namespace, pod(name, 1), 0);
    jobs.await(name, "a worker that is done", status -> status.aggregate().succeeded() == 1);
    kubelet.finish(namespace, pod(name, 0), exitCode);
    jobs.awaitPhase(name, exitCode == 0 ? "Succeeded" : "Failed");

    List<Pod> left = jobs.awaitPods(name, remaining);
    assertThat(left)
        .extracting(one -> one.getMetadata().getName() + " " + one.getStatus().getPhase())
        .isEqualTo(
            Stream.of(
                    pod(name, 0) + (exitCode == 0 ? " Succeeded" : " Failed"),
                    pod(name, 1) + " Succeeded",
                    pod(name, 2) + " Running")
                .limit(remaining)
                .toList());
    // Nothing more goes: the next look of the operator at the job changes nothing either.
    controlPlane.kubectl("annotate", "pj", name, "look=again", "-n", namespace).orThrow();
    await("the pods stay")
        .during(Duration.ofMillis(700))
        .atMost(Duration.ofSeconds(5))
        .until(() -> jobs.pods(name).size() == remaining);
    assertThat(jobs.get(name).getStatus().phase())
        .isEqualTo(exitCode == 0 ? "Succeeded" : "Failed");
    // What had ended stays reported as it was, whatever the clean-up takes.
    var aggregate = jobs.get(name).getStatus().aggregate();
    assertThat(aggregate.failed()).isEqualTo(exitCode);
    assertThat(aggregate.succeeded()).isEqualTo(2 - exitCode);
  }

  @Test
  void torchrunsOtherAgentsGetTimeToExitAfterTheMastersSuccess() {
    jobs.create(with(Jobs.simple("agents", 3, "Never"), "torchrunConfig: {enabled: true}"));
    jobs.awaitPhase("agents", "Running");
    kubelet.finish(namespace, pod("agents", 0), 0);
    jobs.awaitPhase("agents", "Succeeded");
    // Status first; nobody is stopped yet, and who leaves by itself within the time has succeeded.
    assertThat(jobs.pods("agents"))
        .hasSize(3)
        .allMatch(one -> one.getMetadata().getDeletionTimestamp() == null);
    kubelet.finish(namespace, pod("agents", 1), 0);
    List<Pod> left = jobs.awaitPods("agents", 2);
    assertThat(left)
        .extracting(one -> one.getMetadata().getName() + " " + one.getStatus().getPhase())
        .containsExactly(pod("agents", 0) + " Succeeded", pod("agents", 1) + " Succeeded");
    assertThat(jobs.get("agents").getStatus().phase()).isEqualTo("Succeeded");
    assertThat(jobs.get("agents").getStatus().lastFailure()).isNull();
  }

  /** State of master and both workers, then the job's phase. */
  @ParameterizedTest(name = "{0}: master {1}, workers {2} {3} -> {4}")
  @CsvSource({
    "m1, run, 1,   run, Failed",
    "m2, 0,   1,   1,   Succeeded",
    "m3, 1,   0,   0,   Failed",
    "m4, run, 0,   0,   Running",
    "m5, 0,   run, run, Succeeded",
    "m6, run, 0,   run, Running",
    "m7, 143, run, run, Failed"
  })
  void theJobsPhaseFollowsFromMasterAndWorkers(
      String name, String master, String first, String second, String phase) {
    List<String> ends = List.of(master, first, second);
    jobs.create(with(Jobs.simple(name, 3, "Never"), "runPolicy: {cleanUpPolicy: None}"));
    jobs.awaitPhase(name, "Running");
    // The master first: a worker's failure would end the job before.
    for (int i = 0; i < ends.size(); i++) {
      if (!ends.get(i).equals("run")) {
        kubelet.finish(namespace, pod(name, i), Integer.parseInt(ends.get(i)));
      }
    }
    int ended = (int) ends.stream().filter(end -> !end.equals("run")).count();
    PyTorchTrainingJobStatus status =
        jobs.await(
                name,
                phase + " with " + ends,
                now ->
                    phase.equals(now.phase())
                        && now.aggregate().succeeded() + now.aggregate().failed() == ended)
            .getStatus();
    assertThat(status.aggregate().running()).isEqualTo(3 - ended);
  }

  private static JobCondition condition(PyTorchTrainingJobStatus status, String type) {
    return Objects.requireNonNull(status.conditions()).stream()
        .filter(one -> type.equals(one.type()))
        .findFirst()
        .orElseThrow();
  }
}
