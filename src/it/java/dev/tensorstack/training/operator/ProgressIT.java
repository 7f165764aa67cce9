package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.LoopbackPorts;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Trainings report their progress; hangs are found; nobody else reports for them. */
@OperatorTest(value = "progress", operator = false)
class ProgressIT {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final ControlPlane controlPlane;
  private final Jobs jobs;
  private final ProgressScene scene;
  private final PyTorchJobScene pyTorchJobs;
  private final int port = LoopbackPorts.next();
  private OperatorProcess operator;

  ProgressIT(ControlPlane controlPlane, KubernetesClient client, Jobs jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.jobs = jobs;
    this.scene = new ProgressScene(client);
    this.pyTorchJobs = new PyTorchJobScene(controlPlane, jobs.namespace());
    this.operator = startOperator();
  }

  private OperatorProcess startOperator() {
    return OperatorProcess.startWithWebhooks(
        controlPlane.kubeconfig(),
        Map.of(
            "OPERATOR_WATCH_NAMESPACES",
            jobs.namespace(),
            "OPERATOR_RESTART_DELAY_BASE",
            "1s",
            // As the Service has it: pods live longer than an operator.
            "OPERATOR_PROGRESS_PORT",
            Integer.toString(port)));
  }

  @AfterAll
  void stop() {
    operator.close();
  }

  private Pod running(String name, int pods, String progress) {
    jobs.create(
        Jobs.simple(name, pods, "Never")
            .replaceFirst("(?m)^spec:\\n", "spec:\n  runPolicy: {progress: {" + progress + "}}\n"));
    jobs.awaitPhase(name, "Running");
    return pod(name, "worker-0");
  }

  private Pod pod(String job, String replica) {
    return jobs.pods(job).stream()
        .filter(pod -> pod.getMetadata().getName().equals(jobs.base(job) + "-" + replica))
        .findFirst()
        .orElseThrow(
            () ->
                new AssertionError(
                    replica
                        + " is not among "
                        + jobs.pods(job).stream().map(one -> one.getMetadata().getName()).toList()
                        + ", events "
                        + jobs.events(job).stream()
                            .map(one -> one.getReason() + ": " + one.getMessage())
                            .toList()));
  }

  private PyTorchTrainingJobStatus awaitStatus(
      String job, Duration limit, Predicate<PyTorchTrainingJobStatus> wanted) {
    return await(job)
        .atMost(limit)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> Objects.requireNonNull(jobs.get(job).getStatus()), wanted);
  }

  private static String reason(PyTorchTrainingJobStatus status) {
    return Objects.requireNonNull(Objects.requireNonNull(status.columns()).reason());
  }

  private double reports(String result) {
    return MetricsPage.of(operator).samples().stream()
        .filter(sample -> sample.name().equals("pytorchtrainingjob_progress_reports_total"))
        .filter(sample -> result.equals(sample.labels().get("result")))
        .mapToDouble(MetricsPage.Sample::value)
        .sum();
  }

  @Test
  void aReportIsInTheStatusAndInTheColumnsAndLivesOnWithTheNextOperator() {
    Pod pod = running("told", 2, "");

    assertThat(scene.send(pod, ProgressScene.report(43, 120, "0.31")).statusCode()).isEqualTo(200);

    PyTorchTrainingJobStatus status = awaitStatus("told", SOON, known -> known.training() != null);
    assertThat(Objects.requireNonNull(status.training()).progress()).isEqualTo(43);
    assertThat(status.training().estimatedRemainingSeconds()).isEqualTo(8100);
    assertThat(status.training().step()).isEqualTo("120");
    assertThat(status.training().metrics()).hasSize(2);
    assertThat(controlPlane.kubectl("get", "pj", "told", "-n", jobs.namespace()).orThrow())
        .containsPattern("RESTARTS +PROGRESS +ETA +AGE")
        .containsPattern("43% +2h15m ");
    assertThat(jobs.events("told")).noneMatch(event -> event.getMessage().contains("43"));

    operator.kill();
    operator = startOperator();
    // It is ready for webhooks a moment before it works on jobs: 503 until then.
    await()
        .atMost(SOON)
        .until(() -> scene.send(pod, ProgressScene.report(50, 140, "0.3")).statusCode() == 200);
    awaitStatus("told", SOON, known -> Objects.equals(50, known.training().progress()));
  }

  @Test
  void reportsAreWrittenEveryTenSecondsAtMost() {
    Pod pod = running("often", 1, "");
    scene.send(pod, ProgressScene.report(1, 1, "1"));
    awaitStatus("often", SOON, known -> known.training() != null);
    String written = jobs.get("often").getMetadata().getResourceVersion();
    Instant begin = Instant.now();

    assertThat(scene.send(pod, ProgressScene.report(2, 2, "1")).statusCode()).isEqualTo(200);
    assertThat(scene.send(pod, ProgressScene.report(3, 3, "1")).statusCode()).isEqualTo(200);
    awaitStatus("often", SOON, known -> Objects.equals(3, known.training().progress()));

    assertThat(Duration.between(begin, Instant.now())).isGreaterThan(Duration.ofSeconds(8));
    assertThat(written).isNotEqualTo(jobs.get("often").getMetadata().getResourceVersion());
  }

  @Test
  void nobodyElseReportsForAJobAndWhoTriesIsCounted() {
    Pod pod = running("guarded", 1, "");
    Pod other = running("other", 1, "");
    String url = ProgressScene.url(pod);
    String body = ProgressScene.report(99, 1, "0");

    String token = scene.token(pod);
    String forged = token.substring(0, token.length() - 6) + "AAAAAA";
    assertThat(scene.send(pod, url, null, body).statusCode()).isEqualTo(401);
    assertThat(scene.send(pod, url, forged, body).statusCode()).isEqualTo(401);
    assertThat(scene.send(pod, url, scene.token(pod, "", true), body).statusCode())
        .as("for the API server")
        .isEqualTo(401);
    assertThat(scene.send(pod, url, scene.token(pod, ProgressScene.AUDIENCE, false), body))
        .as("of the account, of no pod")
        .matches(answer -> answer.statusCode() == 401);
    assertThat(scene.send(pod, url, scene.token(other), body).statusCode()).isEqualTo(403);
    assertThat(scene.send(pod, url.replace("/guarded", "/missing"), token, body).statusCode())
        .isEqualTo(404);
    assertThat(scene.send(pod, url, token, "{\"trainerStatus\": 1}").statusCode()).isEqualTo(400);
    assertThat(scene.send(pod, url, token, "x".repeat(70_000)).statusCode()).isEqualTo(413);

    assertThat(reports("unauthenticated")).isGreaterThanOrEqualTo(4);
    assertThat(reports("foreign")).isGreaterThanOrEqualTo(1);
    assertThat(reports("malformed")).isGreaterThanOrEqualTo(1);
    assertThat(reports("too_large")).isGreaterThanOrEqualTo(1);
    assertThat(jobs.get("guarded").getStatus().training()).isNull();
  }

  @Test
  void moreThanAFewReportsASecondAreTooMany() {
    Pod pod = running("flood", 1, "");
    String token = scene.token(pod);

    assertThat(
            IntStream.range(0, 60)
                .parallel()
                .map(
                    step ->
                        scene
                            .send(
                                pod,
                                ProgressScene.url(pod),
                                token,
                                ProgressScene.report(step, step, "1"))
                            .statusCode()))
        .contains(200, 429);
  }

  @Test
  void aHangIsToldAndIsOverWithTheNextStep() {
    Pod pod = running("hangs", 2, "stallSeconds: 3");
    scene.send(pod, ProgressScene.report(1, 7, "1"));

    PyTorchTrainingJobStatus status =
        awaitStatus("hangs", SOON, known -> "NoProgress".equals(reason(known)));
    assertThat(status.phase()).isEqualTo("Running");
    assertThat(Objects.requireNonNull(status.training().problem()).message())
        .contains("stallSeconds: 3", "the last step was 7");
    assertThat(jobs.events("hangs"))
        .anyMatch(
            event -> event.getReason().equals("NoProgress") && event.getType().equals("Warning"));

    scene.send(pod, ProgressScene.report(1, 8, "1"));
    awaitStatus("hangs", SOON, known -> known.training().problem() == null);
  }

  @Test
  void aHangIsEndedInPlaceAndStartsAnewAlsoAfterAKillOfTheOperator() {
    Pod pod = running("anew", 2, "stallSeconds: 14, onFailure: Restart");
    scene.send(pod, ProgressScene.report(1, 7, "1"));
    awaitStatus("anew", SOON, known -> known.training() != null);
    operator.kill();
    operator = startOperator();
    PyTorchTrainingJobStatus status =
        awaitStatus(
            "anew",
            Duration.ofSeconds(60),
            known -> Objects.equals(1, known.attempt()) && "Running".equals(known.phase()));
    assertThat(status.backoffCount()).isEqualTo(1);
    assertThat(Objects.requireNonNull(status.lastFailure()).reason()).isEqualTo("NoProgress");
    Pod ended = pod("anew", "worker-0");
    assertThat(ended.getStatus().getPhase()).isEqualTo("Failed");
    assertThat(ended.getStatus().getReason()).isEqualTo("DeadlineExceeded");
    assertThat(ended.getMetadata().getDeletionTimestamp()).isNull();
    assertThat(MetricsPage.of(operator).sum("pytorchtrainingjob_hangs_total")).isPositive();
    assertThat(scene.send(pod, ProgressScene.report(1, 9, "1")).statusCode())
        .as("a pod of the attempt before")
        .isIn(401, 403);
  }

  @Test
  void aPyTorchJobAsksForItWithAnAnnotation() {
    pyTorchJobs.apply(
        PyTorchJobScene.manifest("kubeflow", "Never", 1, "{}")
            .replace(
                "metadata: {",
                "metadata: {annotations: {batch.tensorstack.dev/progress: '{\"stallSeconds\": 3}'},"
                    + " "));
    pyTorchJobs.apply(PyTorchJobScene.manifest("plain", "Never", 1, "{}"));
    await()
        .atMost(SOON)
        .until(() -> "Running".equals(pyTorchJobs.pod("kubeflow-master-0").getStatus().getPhase()));
    Pod pod = pyTorchJobs.pod("kubeflow-master-0");

    assertThat(scene.send(pod, ProgressScene.report(5, 7, "1")).statusCode()).isEqualTo(200);

    await()
        .atMost(SOON)
        .until(() -> pyTorchJobs.get("kubeflow", "{.status.training.progress}"), "5"::equals);
    await()
        .atMost(SOON)
        .until(
            () -> pyTorchJobs.get("kubeflow", "{.status.training.problem.reason}"),
            "NoProgress"::equals);
    await().atMost(SOON).until(() -> pyTorchJobs.pod("plain-master-0") != null);
    assertThat(
            ProgressScene.variable(
                pyTorchJobs.pod("plain-master-0"), "KUBEFLOW_TRAINER_SERVER_URL"))
        .isNull();
  }

  @Test
  void aWrongLimitIsRefusedAtOnce() {
    String manifest =
        Jobs.simple("wrong", 1, "Never")
            .replaceFirst(
                "(?m)^spec:\\n", "spec:\n  runPolicy: {progress: {logPattern: 'step ([0-9]+)'}}\n");

    assertThat(
            controlPlane
                .kubectlWithInput(manifest, "apply", "-n", jobs.namespace(), "-f", "-")
                .stderr())
        .contains("spec.runPolicy.progress.logPattern", "named groups");
  }
}
