package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The status as users see it. */
@OperatorTest("status")
class StatusIT {

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;

  StatusIT(ControlPlane controlPlane, KubernetesClient client, Jobs jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.jobs = jobs;
    this.kubelet = kubelet;
    this.namespace = jobs.namespace();
  }

  private static final String TWO_TYPES =
      """
      apiVersion: batch.tensorstack.dev/v1beta1
      kind: PyTorchTrainingJob
      metadata:
        name: %s
      spec:
        replicaSpecs:
        - type: master
          template: {spec: {containers: [{name: pytorch, image: i:1, command: [run]}]}}
        - type: worker
          replicas: 2
          template: {spec: {containers: [{name: pytorch, image: i:1, command: [run]}]}}
      """;

  private void createRunning(String name) {
    jobs.create(TWO_TYPES.formatted(name));
    jobs.awaitPhase(name, "Running");
  }

  private String kubectl(String... arguments) {
    List<String> all = new java.util.ArrayList<>(List.of(arguments));
    all.addAll(List.of("-n", namespace));
    return controlPlane.kubectl(all.toArray(String[]::new)).orThrow();
  }

  /**
   * Plain progress would be told two seconds later at the earliest. A busy machine makes single
   * times long, so the quickest of some rounds counts.
   */
  @ParameterizedTest
  @CsvSource({"again, 3", "again-less-one, 4"})
  void thatAllNodesOfAnElasticJobRunAgainIsToldWithinASecond(String name, int nodes) {
    jobs.create(
        Jobs.simple(name, nodes, "ExitCode")
            .replace(
                "spec:\n  replicaSpecs",
                "spec:\n  torchrunConfig: {enabled: true}\n"
                    + "  elastic: {enabled: true, minReplicas: 2, maxReplicas: %d}\n"
                        .formatted(nodes)
                    + "  replicaSpecs"));
    jobs.await(name, "all run", status -> running(status) == nodes);
    String base = jobs.base(name);
    if (nodes == 4) {
      kubelet.finish(namespace, base + "-worker-3", 42);
      jobs.await(name, "one has failed for good", status -> status.aggregate().failed() == 1);
    }
    List<Duration> told = new ArrayList<>();
    for (int round = 1; round <= 3; round++) {
      int disruptions = round;
      kubelet.evict(namespace, base + "-worker-2" + (round == 1 ? "" : "-r" + (round - 1)));
      String next = base + "-worker-2-r" + round;
      await(next)
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(20))
          .until(() -> isRunning(client.pods().inNamespace(namespace).withName(next).get()));
      Instant runs = Instant.now();
      jobs.await(
          name,
          "all run again",
          status -> running(status) == 3 && status.disruptionCount() == disruptions);
      told.add(Duration.between(runs, Instant.now()));
    }
    System.out.printf("%s: that all run again was told after %s%n", name, told);
    assertThat(Collections.min(told)).isLessThan(Duration.ofMillis(1_500));
  }

  private static int running(PyTorchTrainingJobStatus status) {
    return status.aggregate() == null ? 0 : status.aggregate().running();
  }

  private static boolean isRunning(@Nullable Pod pod) {
    return pod != null && "Running".equals(pod.getStatus().getPhase());
  }

  @Test
  void theStatusOfARunningJobIsAsThePageSays() throws IOException {
    createRunning("whole");
    JsonNode job = Serialization.jsonMapper().readTree(kubectl("get", "pj", "whole", "-o", "json"));
    ObjectNode status = (ObjectNode) job.get("status");
    status.remove("columns");
    assertThat(status.remove("ledger").get("version").asInt()).isEqualTo(1);
    for (JsonNode condition : status.get("conditions")) {
      assertThat(condition.get("lastTransitionTime").asText()).matches("\\d{4}-.*Z");
      assertThat(condition.get("message").isTextual()).isTrue();
      ((ObjectNode) condition).remove(List.of("lastTransitionTime", "message"));
    }
    String text =
        status
            .toString()
            .replaceAll("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}", "UID")
            .replaceAll("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ", "TIME")
            .replace(jobs.base("whole"), "BASE");
    assertThat(Serialization.jsonMapper().readTree(text))
        .isEqualTo(
            Serialization.yamlMapper()
                .readTree(
                    """
                    observedGeneration: 1
                    phase: Running
                    startTime: TIME
                    attempt: 0
                    runMode: Train
                    backoffCount: 0
                    disruptionCount: 0
                    replicas: 3
                    selector: batch.tensorstack.dev/job-uid=UID
                    aggregate: {creating: 0, pending: 0, running: 3, succeeded: 0, failed: 0, unknown: 0, deleted: 0}
                    tasks:
                    - type: master
                      restartCount: 0
                      replicas:
                      - {name: BASE-master-0, uid: UID, phase: Running, containers: [{name: pytorch, state: Running}]}
                    - type: worker
                      restartCount: 0
                      replicas:
                      - {name: BASE-worker-0, uid: UID, phase: Running, containers: [{name: pytorch, state: Running}]}
                      - {name: BASE-worker-1, uid: UID, phase: Running, containers: [{name: pytorch, state: Running}]}
                    conditions:
                    - {type: Initialized, status: "True", reason: "-", observedGeneration: 1}
                    - {type: Running, status: "True", reason: "-", observedGeneration: 1}
                    - {type: ReplicaFailure, status: "False", reason: "-", observedGeneration: 1}
                    - {type: Completed, status: "False", reason: NotFinished, observedGeneration: 1}
                    - {type: Failed, status: "False", reason: "-", observedGeneration: 1}
                    - {type: Paused, status: "False", reason: "-", observedGeneration: 1}
                    - {type: Succeeded, status: "False", reason: "-", observedGeneration: 1}
                    - {type: Reconciling, status: "False", reason: "-", observedGeneration: 1}
                    - {type: Stalled, status: "False", reason: "-", observedGeneration: 1}
                    """));
  }

  @Test
  void kubectlShowsTheColumns() {
    createRunning("columns");
    assertThat(words(kubectl("get", "pj", "columns")))
        .isEqualTo("NAME PHASE RUNNING RESTARTS PROGRESS ETA AGE\ncolumns Running 3/3 0 <age>");
    assertThat(words(kubectl("get", "pytorchtrainingjobs", "columns", "-o", "wide")))
        .isEqualTo(
            "NAME PHASE RUNNING RESTARTS PROGRESS ETA AGE NODES QUEUE REASON\n"
                + "columns Running 3/3 0 <age> 3 - -");
    assertThat(kubectl("get", "all")).contains("pytorchtrainingjob.batch.tensorstack.dev/columns");
  }

  /** One space between words; a column without a value is {@code -}. */
  private static String words(String table) {
    return table
        .strip()
        .replaceAll("(?m)^(columns +\\S+ +\\S+ +\\S+ +)\\d+m?\\d*s", "$1<age>")
        .replace("<none>", "-")
        .replaceAll("(?m)(<age> +3) {6,}-", "$1 - -")
        .replaceAll("[ ]+", " ")
        .replaceAll("(?m) $", "");
  }

  @Test
  void kubectlScaleChangesTheNodesOfAnElasticJob() {
    jobs.create(
        Jobs.simple("scaled", 2, "Never")
            .replace(
                "spec:\n  replicaSpecs",
                "spec:\n  torchrunConfig: {enabled: true}\n"
                    + "  elastic: {enabled: true, minReplicas: 2, maxReplicas: 4, expectedReplicas: 2}\n"
                    + "  replicaSpecs"));
    jobs.awaitPhase("scaled", "Running");
    kubectl("scale", "pj/scaled", "--replicas=4");
    assertThat(Objects.requireNonNull(jobs.get("scaled").getSpec().elastic()).expectedReplicas())
        .isEqualTo(4);
    jobs.await("scaled", "4 replicas", status -> Objects.equals(status.replicas(), 4));
    assertThat(words(kubectl("get", "pj", "scaled", "-o", "wide"))).contains(" 2:4 ");
  }

  /** Pending, running and done pods, and what the job says of them. */
  @Test
  void countsAndPhaseFollowThePods() {
    kubelet.rule(
        pod -> pod.getMetadata().getName().matches("mix-[0-9a-f]{5}-worker-3"),
        Behaviour.stayPending());
    jobs.create(Jobs.simple("mix", 4, "Never"));
    awaitCounts("Pending", "3/4", 1, 3, 0);
    kubelet.finish(namespace, jobs.base("mix") + "-worker-2", 0);
    awaitCounts("Pending", "2/4", 1, 2, 1);
    report("Running", "{\"running\": {\"startedAt\": \"2026-01-02T03:04:05Z\"}}");
    awaitCounts("Running", "3/4", 0, 3, 1);
    report(
        "Succeeded",
        "{\"running\": null, \"terminated\": {\"exitCode\": 0, \"reason\": \"Completed\"}}");
    kubelet.finish(namespace, jobs.base("mix") + "-worker-1", 0);
    // All workers are done; the master is not, and neither is the job.
    awaitCounts("Running", "1/4", 0, 1, 3);
    kubelet.finish(namespace, jobs.base("mix") + "-worker-0", 0);
    awaitCounts("Succeeded", "0/4", 0, 0, 4);
  }

  private void report(String phase, String state) {
    kubectl(
        "patch",
        "pod",
        jobs.base("mix") + "-worker-3",
        "--subresource=status",
        "--type=merge",
        "-p",
        """
        {"status": {"phase": "%s", "containerStatuses": [{"name": "pytorch", "ready": false,
         "restartCount": 0, "image": "i:1", "imageID": "", "state": %s}]}}
        """
            .formatted(phase, state));
  }

  private void awaitCounts(String phase, String column, int pending, int running, int succeeded) {
    jobs.await(
        "mix",
        phase + " " + column,
        status ->
            phase.equals(status.phase())
                && status.columns().running().equals(column)
                && status.aggregate().pending() == pending
                && status.aggregate().running() == running
                && status.aggregate().succeeded() == succeeded
                && status.aggregate().failed() == 0);
  }

  @Test
  void aPlainSuccessTellsTheseEvents() {
    createRunning("plain");
    kubelet.finish(namespace, jobs.base("plain") + "-master-0", 0);
    jobs.awaitPhase("plain", "Succeeded");
    jobs.awaitPods("plain", 1);
    assertThat(jobs.events("plain"))
        .extracting(event -> event.getType() + " " + event.getReason() + " x" + event.getCount())
        // Told only where some pods run before all do.
        .filteredOn(event -> !event.equals("Normal Start x1"))
        .containsExactlyInAnyOrder("Normal Created x1", "Normal Running x1", "Normal Succeeded x1");
  }

  /** Pods that nothing touches after their creation are in the status all the same. */
  @Test
  void podsThatNoSchedulerTouchesAreReported() {
    List<String> names = Stream.of("a", "b", "c", "d", "e", "f").map(x -> "idle-" + x).toList();
    for (String name : names) {
      jobs.create(
          Jobs.simple(name, 1, "Never")
              .replace("containers:", "schedulerName: nobody\n        containers:"));
    }
    await("the uids of all pods in the status")
        .atMost(Duration.ofSeconds(15))
        .untilAsserted(
            () ->
                assertThat(names)
                    .allSatisfy(
                        name -> {
                          var status = jobs.get(name).getStatus();
                          assertThat(status).isNotNull();
                          assertThat(status.tasks().get(0).replicas().get(0).uid()).isNotNull();
                        }));
  }

  @Test
  void aQueueThatIsNamedLaterIsShown() {
    createRunning("queued-later");
    jobs.patch(
        "queued-later",
        """
        {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "team"}}}
        """);
    jobs.await(
        "queued-later",
        "its queue",
        status -> status.columns() != null && "team".equals(status.columns().queue()));
  }

  /** Every setting has a default. */
  @Test
  void theOperatorStartsWithoutAnySetting() {
    try (OperatorProcess plain = OperatorProcess.start(controlPlane.kubeconfig(), Map.of())) {
      assertThat(plain.isAlive()).isTrue();
    }
  }
}
