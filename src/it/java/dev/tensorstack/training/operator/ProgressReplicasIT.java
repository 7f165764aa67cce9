package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.LoopbackPorts;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.HttpsURLConnection;
import org.junit.jupiter.api.Test;

/**
 * A report that reaches the replica which does not lead is passed on to the one that does. On a
 * control plane of its own, because the Lease is in the namespace default; each replica has an
 * address of its own, as pods have.
 */
class ProgressReplicasIT {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final int port = LoopbackPorts.next();

  private OperatorProcess replica(ControlPlane controlPlane, String namespace, String address) {
    return replica(controlPlane, namespace, address, Map.of());
  }

  private OperatorProcess replica(
      ControlPlane controlPlane, String namespace, String address, Map<String, String> settings) {
    Map<String, String> environment = new LinkedHashMap<>(settings);
    environment.put("OPERATOR_WATCH_NAMESPACES", namespace);
    environment.put("OPERATOR_LEADER_ELECTION_ENABLED", "true");
    environment.put("OPERATOR_PROGRESS_PORT", Integer.toString(port));
    environment.put("QUARKUS_HTTP_HOST", address);
    environment.put("POD_IP", address);
    return OperatorProcess.launchWithWebhooks(controlPlane.kubeconfig(), environment);
  }

  private static void awaitLog(OperatorProcess operator, String words) {
    await(words + " in " + operator.log())
        .atMost(LIMIT)
        .until(() -> java.nio.file.Files.readString(operator.log()).contains(words));
  }

  private static String heardBy(ControlPlane controlPlane) {
    return controlPlane
        .kubectl(
            "get",
            "lease",
            "pytorchtrainingjob-operator",
            "-n",
            "default",
            "-o",
            "jsonpath={.metadata.annotations.batch\\.tensorstack\\.dev/reports-heard-since}")
        .stdout();
  }

  private int send(ProgressScene scene, Pod pod, String address, boolean passedOn) {
    String url = ProgressScene.url(pod).replace("127.0.0.1", address);
    try {
      HttpsURLConnection connection = (HttpsURLConnection) URI.create(url).toURL().openConnection();
      connection.setSSLSocketFactory(ProgressScene.trusting(pod).getSocketFactory());
      // The certificate has the name under which the API server knows the operator.
      connection.setHostnameVerifier((host, session) -> true);
      connection.setRequestMethod("POST");
      connection.setRequestProperty("Authorization", "Bearer " + scene.token(pod));
      if (passedOn) {
        connection.setRequestProperty("X-Progress-Passed-On", "true");
      }
      connection.setConnectTimeout(5_000);
      connection.setReadTimeout(5_000);
      connection.setDoOutput(true);
      connection
          .getOutputStream()
          .write(ProgressScene.report(43, 120, "0.3").getBytes(StandardCharsets.UTF_8));
      return connection.getResponseCode();
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  @Test
  void aReportThatReachesTheOtherReplicaIsPassedOn() {
    try (ControlPlane controlPlane = ControlPlane.start();
        FakeKubelet kubelet =
            FakeKubelet.start(
                controlPlane.client(), FakeKubeletOptions.nodes(1).namePrefix("replicas"))) {
      OperatorProcess.installCrds(controlPlane.client());
      Jobs jobs = new Jobs(controlPlane.client(), controlPlane.createNamespace("replicas"));
      ProgressScene scene = new ProgressScene(controlPlane.client());
      try (OperatorProcess leader = replica(controlPlane, jobs.namespace(), "127.0.0.1")) {
        leader.awaitReady();
        awaitLog(leader, "this replica works on jobs");
        try (OperatorProcess other = replica(controlPlane, jobs.namespace(), "127.0.0.2")) {
          awaitLog(other, "this replica waits");
          jobs.create(
              Jobs.simple("passed", 1, "Never")
                  .replaceFirst("(?m)^spec:\\n", "spec:\n  runPolicy: {progress: {}}\n"));
          jobs.awaitPhase("passed", "Running");
          Pod pod = jobs.pods("passed").get(0);

          assertThat(send(scene, pod, "127.0.0.2", false)).isEqualTo(200);
          assertThat(send(scene, pod, "127.0.0.2", true)).as("but once").isEqualTo(503);
          jobs.await("passed", "the report", status -> status.training() != null);
          assertThat(Objects.requireNonNull(jobs.get("passed").getStatus().training()).progress())
              .isEqualTo(43);

          leader.kill();
          awaitLog(other, "this replica works on jobs");
          await().atMost(LIMIT).until(() -> send(scene, pod, "127.0.0.2", false) == 200);
        }
      }
      assertThat(kubelet.nodeNames()).hasSize(1);
    }
  }

  @Test
  void aTrainingThatNobodyCouldHearIsNotTakenForOneThatHangsByTheNextOperator() {
    try (ControlPlane controlPlane = ControlPlane.start();
        FakeKubelet kubelet =
            FakeKubelet.start(
                controlPlane.client(), FakeKubeletOptions.nodes(1).namePrefix("unheard"))) {
      OperatorProcess.installCrds(controlPlane.client());
      Jobs jobs = new Jobs(controlPlane.client(), controlPlane.createNamespace("unheard"));
      ProgressScene scene = new ProgressScene(controlPlane.client());
      for (String name : List.of("well", "hangs")) {
        jobs.create(
            Jobs.simple(name, 1, "Never")
                .replaceFirst(
                    "(?m)^spec:\\n",
                    "spec:\n  runPolicy: {progress: {stallSeconds: 14, onFailure: Restart}}\n"));
      }
      try (OperatorProcess hearing = replica(controlPlane, jobs.namespace(), "127.0.0.1")) {
        for (String name : List.of("well", "hangs")) {
          jobs.awaitPhase(name, "Running");
          assertThat(scene.send(jobs.pods(name).get(0), ProgressScene.report(1, 1, "1")))
              .matches(answer -> answer.statusCode() == 200);
          jobs.await(name, "the report", status -> status.training() != null);
        }
        await().atMost(LIMIT).until(() -> heardBy(controlPlane), text -> !text.isEmpty());
        hearing.kill();
      }
      Instant deaf = Instant.now();
      try (OperatorProcess off =
          replica(
              controlPlane,
              jobs.namespace(),
              "127.0.0.1",
              Map.of("OPERATOR_PROGRESS_ENABLED", "false"))) {
        awaitLog(off, "this replica works on jobs");
        await().atMost(LIMIT).until(() -> heardBy(controlPlane), String::isEmpty);
        await("longer than stallSeconds")
            .atMost(LIMIT)
            .until(() -> Instant.now().isAfter(deaf.plusSeconds(30)));
        off.kill();
      }
      try (OperatorProcess again = replica(controlPlane, jobs.namespace(), "127.0.0.1")) {
        awaitLog(again, "this replica works on jobs");
        Pod well = jobs.pods("well").get(0);
        AtomicInteger step = new AtomicInteger(1);
        await("the one that hangs is found")
            .atMost(LIMIT)
            .pollInterval(Duration.ofSeconds(2))
            .until(
                () -> {
                  // The server listens a moment later than the replica leads.
                  int next = step.incrementAndGet();
                  try {
                    scene.send(well, ProgressScene.report(1, next, "1"));
                  } catch (UncheckedIOException notYet) {
                    return false;
                  }
                  return Objects.equals(1, jobs.get("hangs").getStatus().attempt());
                });
        assertThat(jobs.get("well").getStatus().attempt()).isZero();
        assertThat(jobs.get("hangs").getStatus().backoffCount()).isEqualTo(1);
        assertThat(heardBy(controlPlane)).isNotEmpty();
      }
      assertThat(kubelet.nodeNames()).hasSize(1);
    }
  }
}
