package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/**
 * An operator that is killed between any two writes of a restart leaves exact counts and no pod
 * twice: {@link KillRounds} with a job for each scope, each cause and each side of a write.
 */
@OperatorTest(value = "kill", operator = false)
class RestartKilledAtEveryWriteIT {

  private static final int MOST_WRITES = 20;

  private final ControlPlane controlPlane;
  private final RestartScene scene;
  private final SoftAssertions softly = new SoftAssertions();

  RestartKilledAtEveryWriteIT(ControlPlane controlPlane, Jobs jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    scene = new RestartScene(controlPlane, jobs, kubelet);
  }

  /** One job of one round. */
  private final class Victim extends KillRounds.Victim {
    private final boolean scopeJob;
    private final boolean disruption;
    private final String base;

    Victim(int kill, boolean scopeJob, boolean disruption, boolean afterwards) {
      super(
          (scopeJob ? "j" : "r") + (disruption ? "d" : "a") + (afterwards ? "a" : "b") + "-" + kill,
          kill,
          afterwards);
      this.scopeJob = scopeJob;
      this.disruption = disruption;
      scene.jobs.create(
          scene.job(
              name,
              "{restartScope: " + (scopeJob ? "Job" : "Replica") + "}",
              "worker 2 OnFailure"));
      base = scene.jobs.base(name);
    }

    @Override
    boolean isReady() {
      PyTorchTrainingJobStatus status = scene.jobs.get(name).getStatus();
      return status != null && "Running".equals(status.phase());
    }

    @Override
    boolean owns(ApiRequest request) {
      return request.isWrite()
          && (request.name().equals(name)
              || request.name().startsWith(base)
              || request.body().contains("\"" + base + "-")
              || request.body().contains("\"" + base + "."));
    }

    @Override
    void begin() {
      String pod = base + "-worker-1";
      if (disruption) {
        scene.delete(pod, 0L);
      } else {
        scene.kubelet.finish(scene.namespace, pod, 1);
      }
    }

    @Override
    boolean isSettled() {
      PyTorchTrainingJobStatus status = scene.jobs.get(name).getStatus();
      return status != null
          && "Running".equals(status.phase())
          && status.aggregate().running() == 2
          && status.tasks().get(0).restartCount() > 0;
    }

    @Override
    boolean isOver() {
      return isSettled();
    }

    @Override
    void check(ApiProxy proxy) {
      PyTorchTrainingJobStatus status = scene.jobs.get(name).getStatus();
      softly.assertThat(status.attempt()).as(name).isEqualTo(scopeJob ? 1 : 0);
      softly.assertThat(status.backoffCount()).as(name).isEqualTo(disruption ? 0 : 1);
      softly.assertThat(status.disruptionCount()).as(name).isEqualTo(disruption ? 1 : 0);
      softly.assertThat(status.tasks().get(0).restartCount()).as(name).isEqualTo(1);
      softly
          .assertThat(Objects.requireNonNull(status.lastFailure()).replica())
          .as(name)
          .isEqualTo("worker-1");
      softly
          .assertThat(
              scene.jobs.pods(name).stream()
                  .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
                  .map(pod -> pod.getMetadata().getName().substring(base.length() + 1)))
          .as(name)
          .containsExactly(scopeJob ? "worker-0-r1" : "worker-0", "worker-1-r1");
      softly
          .assertThat(created(proxy))
          .as(name + ": pods created")
          .doesNotHaveDuplicates()
          .hasSize(scopeJob ? 4 : 3);
      softly
          .assertThat(scene.jobs.events(name))
          .as(name)
          .extracting(Event::getReason)
          // Told only where some pods run before all do.
          .filteredOn(reason -> !reason.equals("Start"))
          .containsExactlyInAnyOrderElementsOf(
              scopeJob
                  ? List.of(
                      "Created", "Running", "ReplicaFailed", "Restarting", "NewReplica", "Running")
                  : List.of("Created", "Running", "ReplicaFailed", "Restarting", "NewReplica"));
      softly
          .assertThat(scene.jobs.events(name))
          .as(name)
          .allMatch(event -> event.getCount() == 1, "counted once");
    }
  }

  private List<Victim> victims(int kill) {
    List<Victim> victims = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      victims.add(new Victim(kill, (i & 1) == 0, (i & 2) == 0, (i & 4) == 0));
    }
    return victims;
  }

  @Test
  void countsAreExactWhereverTheOperatorIsKilled() {
    int reached =
        new KillRounds(
                controlPlane, kubeconfig -> scene.operator(kubeconfig, Map.of()), MOST_WRITES)
            .run(this::victims);
    softly.assertAll();
    // Three events, the status, a deletion, two creations, two events, a status.
    assertThat(reached).isBetween(8, MOST_WRITES - 1);
  }
}
