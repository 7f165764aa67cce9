package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A container of a PyTorchJob that fails when no restart is left is not started again, and does not
 * fail a job whose master succeeds in the same moment; wherever the operator is killed meanwhile.
 */
@OperatorTest(value = "kflast", operator = false)
class PyTorchJobLastRestartIT {

  private static final int MOST_WRITES = 12;

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final FakeKubelet kubelet;
  private final SoftAssertions softly = new SoftAssertions();

  /** What {@code reasons} says of a job that nobody has disturbed. */
  private final List<String> undisturbed = new ArrayList<>();

  PyTorchJobLastRestartIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    this.namespace = jobs.namespace();
    this.kubelet = kubelet;
  }

  /** A job whose Worker fails, and whose Master is done once the Worker's pod is gone. */
  private final class Victim extends KillRounds.Victim {
    private boolean failed;
    private boolean finished;

    Victim(int kill, boolean afterwards) {
      super("last-" + (afterwards ? "a" : "b") + kill, kill, afterwards);
      create(name);
    }

    @Override
    boolean isReady() {
      return runs(name);
    }

    @Override
    void begin() {
      kubelet.backOff(namespace, name + "-worker-0", 1);
      failed = true;
    }

    @Override
    boolean isSettled() {
      return isStopped(name);
    }

    @Override
    boolean isOver() {
      if (!failed && runs(name)) {
        begin();
      } else if (failed && !finished && isStopped(name)) {
        kubelet.finish(namespace, name + "-master-0", 0);
        finished = true;
      }
      return finished && isTrue(status(name), "Succeeded");
    }

    @Override
    boolean owns(ApiRequest request) {
      return request.isWrite()
          && (request.name().equals(name)
              || request.name().startsWith(name + "-")
              || request.body().contains("\"" + name + "-")
              || request.body().contains("\"" + name + "."));
    }

    @Override
    void check(ApiProxy proxy) {
      PyTorchJobStatus status = Objects.requireNonNull(status(name));
      StoredLedger ledger = Objects.requireNonNull(status.ledger());
      softly.assertThat(ledger.backoff()).as(name + ": nothing was restarted").isNull();
      softly.assertThat(ledger.disruptions()).as(name + ": nothing was disrupted").isNull();
      softly.assertThat(ledger.ending()).as(name + ": has ended").isNull();
      softly
          .assertThat(status.conditions())
          .as(name)
          .extracting(one -> one.type() + " " + one.status())
          .containsExactly("Created True", "Running False", "Succeeded True");
      softly
          .assertThat(created(proxy))
          .as(name + ": pods created")
          .containsExactlyInAnyOrder(name + "-master-0", name + "-worker-0");
      softly.assertThat(worker(status).failed()).as(name + ": failed workers").isEqualTo(1);
      softly.assertThat(reasons(name)).as(name + ": events").isEqualTo(undisturbed);
    }
  }

  /** The reasons of its events, each with how often it was counted. */
  private List<String> reasons(String name) {
    return client
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.name", name)
        .list()
        .getItems()
        .stream()
        .map(event -> event.getReason() + " x" + event.getCount())
        .sorted()
        .toList();
  }

  private void create(String name) {
    client
        .resource(
            Serialization.unmarshal(
                PyTorchJobScene.manifest(name, "OnFailure", 1, "{backoffLimit: 0}"),
                PyTorchJob.class))
        .inNamespace(namespace)
        .create();
  }

  private @Nullable PyTorchJobStatus status(String name) {
    PyTorchJob job = client.resources(PyTorchJob.class).inNamespace(namespace).withName(name).get();
    return job == null ? null : job.getStatus();
  }

  private static ReplicaStatus worker(PyTorchJobStatus status) {
    return Objects.requireNonNull(status.replicaStatuses().get("Worker"));
  }

  private boolean runs(String name) {
    PyTorchJobStatus status = status(name);
    return status != null
        && isTrue(status, "Running")
        && status.replicaStatuses().values().stream().allMatch(type -> type.active() == 1);
  }

  /** The status announces the end, and the pod that failed is gone. */
  private boolean isStopped(String name) {
    PyTorchJobStatus status = status(name);
    return status != null
        && status.ledger() != null
        && status.ledger().ending() != null
        && client.pods().inNamespace(namespace).withName(name + "-worker-0").get() == null
        && worker(status).active() == 0;
  }

  private static boolean isTrue(@Nullable PyTorchJobStatus status, String type) {
    return status != null
        && status.conditions() != null
        && status.conditions().stream()
            .anyMatch(one -> type.equals(one.type()) && "True".equals(one.status()));
  }

  private OperatorProcess operator(Path kubeconfig, String grace) {
    Map<String, String> settings = new HashMap<>(OperatorProcess.SHORT_DELAYS);
    settings.put("OPERATOR_WATCH_NAMESPACES", namespace);
    settings.put("OPERATOR_PLAIN_FAILURE_GRACE", grace);
    return OperatorProcess.start(kubeconfig, settings);
  }

  private void liveUndisturbed() {
    try (ApiProxy proxy = ApiProxy.start(controlPlane.clientConfig()).keepBodies();
        OperatorProcess operator = operator(proxy.kubeconfig(), "2m")) {
      List<Victim> jobs = List.of(new Victim(0, false));
      KillRounds.awaitAll("the job lives undisturbed", jobs, Victim::isOver);
      KillRounds.awaitQuiet(proxy, jobs);
      assertThat(operator.isAlive()).isTrue();
      undisturbed.addAll(reasons("last-b0"));
      System.out.println("undisturbed: " + undisturbed);
      jobs.forEach(job -> job.check(proxy));
    }
  }

  @Test
  void aMasterThatSucceedsInTheSameMomentMakesTheJobSucceedWhereverTheOperatorIsKilled() {
    OperatorProcess.installCrds(client);
    liveUndisturbed();
    softly.assertAll();
    int reached =
        new KillRounds(controlPlane, config -> operator(config, "2m"), MOST_WRITES)
            .run(kill -> List.of(new Victim(kill, false), new Victim(kill, true)));
    softly.assertAll();
    // The status with the decision, and the deletion.
    assertThat(reached).isBetween(2, MOST_WRITES - 1);
  }

  @Test
  void aJobWhoseMasterRunsOnFailsAMomentLaterAlsoWhenTheOperatorIsKilledMeanwhile() {
    OperatorProcess.installCrds(client);
    Path kubeconfig = controlPlane.kubeconfig();
    OperatorProcess first = operator(kubeconfig, "10s");
    create("late");
    await("runs").atMost(PyTorchJobScene.PATIENCE).until(() -> runs("late"));
    kubelet.backOff(namespace, "late-worker-0", 7);
    await("the end is announced").atMost(PyTorchJobScene.PATIENCE).until(() -> isStopped("late"));
    assertThat(isTrue(status("late"), "Running")).isTrue();
    first.kill();
    try (OperatorProcess second = operator(kubeconfig, "10s")) {
      await("fails").atMost(PyTorchJobScene.PATIENCE).until(() -> isTrue(status("late"), "Failed"));
      assertThat(second.isAlive()).isTrue();
    }
    PyTorchJobStatus status = Objects.requireNonNull(status("late"));
    assertThat(status.ledger().backoff()).as("nothing was restarted").isNull();
    assertThat(status.conditions())
        .filteredOn(one -> one.type().equals("Failed"))
        .first()
        .satisfies(
            failed ->
                assertThat(failed.message())
                    .contains(
                        "pod late-worker-0 (worker-0) failed with exit code 7",
                        "the backoffLimit of 0 restarts is used up"));
  }
}
