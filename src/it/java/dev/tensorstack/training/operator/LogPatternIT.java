package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.core.ledger.StoredTraining;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.localnode.LocalNode;
import dev.tensorstack.training.localnode.LocalNodeOptions;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Scripts that report nothing: what their logs say is read, through the API server. */
@OperatorTest(value = "log-pattern", nodes = 0, env = "OPERATOR_RESTART_DELAY_BASE=1s")
class LogPatternIT {

  private static final String NODE = "log-pattern";

  /**
   * Two readings of a log are ten seconds apart; how fast a script writes is the machine's affair.
   */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final KubernetesClient client;
  private final Jobs jobs;
  private final LocalNode node;

  LogPatternIT(KubernetesClient client, Jobs jobs) {
    this.client = client;
    this.jobs = jobs;
    this.node =
        LocalNode.start(
            client,
            LocalNodeOptions.named(NODE).withTimes(Duration.ofSeconds(1), Duration.ofMillis(100)));
  }

  @AfterAll
  void stop() {
    node.close();
    client.nodes().withName(NODE).delete();
  }

  /** A job of one pod that runs a script of the shell. */
  private void create(String name, String progress, String script) {
    jobs.create(
        """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata:
          name: %s
        spec:
          runPolicy:
            progress: {%s}
          replicaSpecs:
          - type: worker
            replicas: 1
            restartPolicy: Never
            template:
              spec:
                nodeName: %s
                terminationGracePeriodSeconds: 15
                containers:
                - name: pytorch
                  image: registry.example/train:1
                  command: [sh, -c]
                  args: ["%s"]
        """
            .formatted(name, progress, NODE, script));
  }

  private PyTorchTrainingJobStatus awaitStatus(
      String job, Predicate<PyTorchTrainingJobStatus> wanted) {
    return await(job)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(200))
        .until(() -> jobs.get(job).getStatus(), status -> status != null && wanted.test(status));
  }

  private static @Nullable StoredTraining training(PyTorchTrainingJobStatus status) {
    return status.training();
  }

  @Test
  void whatTheLogSaysIsInTheStatus() {
    create(
        "reads",
        "logPattern: '^step (?P<step>\\d{1,9})/\\d+ loss (?P<loss>\\S+) \\((?P<percent>\\d+)%\\)'",
        "echo starting; echo 'step 3/10 loss 0.25 (30%)'; sleep 600");

    PyTorchTrainingJobStatus status = awaitStatus("reads", known -> training(known) != null);

    assertThat(Objects.requireNonNull(status.training()).step()).isEqualTo("3");
    assertThat(status.training().progress()).isEqualTo(30);
    assertThat(status.training().metrics()).asString().contains("loss", "0.25");
  }

  @Test
  void aTrainingWhoseLogStandsStillIsStartedAnewWithItsOldLogKept() {
    create(
        "stands",
        "logPattern: 'step (?P<step>\\d+)', stallSeconds: 12, onFailure: Restart",
        "trap 'echo a stack; exit 1' TERM; for i in 1 2 3; do echo step $i; done; sleep 600 & wait");

    PyTorchTrainingJobStatus status =
        await()
            .atMost(PATIENCE)
            .until(
                () -> jobs.get("stands").getStatus(),
                known -> known != null && Objects.equals(1, known.attempt()));

    assertThat(status.backoffCount()).isEqualTo(1);
    assertThat(Objects.requireNonNull(status.lastFailure()).reason()).isEqualTo("NoProgress");
    assertThat(events("stands", "NoProgress"))
        .singleElement()
        .extracting(Event::getMessage)
        .asString()
        .contains("the last step was 3");
    Pod first =
        jobs.pods("stands").stream()
            .filter(pod -> pod.getMetadata().getName().endsWith("-worker-0"))
            .findFirst()
            .orElseThrow();
    // The new attempt is decided before the old pod has ended.
    await("the last words of the pod that stood still")
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(
                        client
                            .pods()
                            .inNamespace(jobs.namespace())
                            .withName(first.getMetadata().getName())
                            .getLog())
                    .contains("step 3", "a stack"));
  }

  @Test
  void aTrainingThatGoesOnIsNoHangHoweverMuchItWrites() {
    create(
        "goes-on",
        "logPattern: 'step (?P<step>\\d+)', stallSeconds: 12, onFailure: Restart",
        "i=0; while true; do i=$((i+1)); seq 1 2000; echo step $i; sleep 1; done");

    awaitStatus(
        "goes-on",
        known -> {
          StoredTraining training = training(known);
          return training != null && Integer.parseInt(training.step()) > 25;
        });

    assertThat(jobs.get("goes-on").getStatus().attempt()).isZero();
    assertThat(events("goes-on", "NoProgress")).isEmpty();
  }

  @Test
  void aLossThatIsNoNumberIsTold() {
    create(
        "diverges",
        "logPattern: 'step (?P<step>\\d+) loss (?P<loss>\\S+)', failOnNaN: 3",
        "for i in 1 2 3 4; do echo step $i loss nan; done; sleep 600");

    awaitStatus(
        "diverges",
        known -> {
          StoredTraining training = training(known);
          return training != null
              && training.problem() != null
              && "NotANumber".equals(training.problem().reason());
        });

    assertThat(events("diverges", "NotANumber")).hasSize(1);
  }

  private List<Event> events(String job, String reason) {
    return jobs.events(job).stream().filter(event -> event.getReason().equals(reason)).toList();
  }
}
