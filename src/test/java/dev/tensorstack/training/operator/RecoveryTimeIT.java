package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * How long a job of 64 pods is down when one of them fails. The bounds are those of a busy machine.
 */
@ExtendWith(ControlPlaneExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RecoveryTimeIT {

  private static final Duration SLACK = Duration.ofSeconds(10);

  private final RestartScene scene;
  private final OperatorProcess operator;

  RecoveryTimeIT(ControlPlane controlPlane) {
    scene = new RestartScene(controlPlane, "recovery", FakeKubeletOptions.nodes(4));
    operator = scene.operator(controlPlane.kubeconfig(), Map.of());
  }

  @AfterAll
  void stop() {
    operator.close();
    scene.close();
  }

  @Test
  void itIsBackSoon() {
    Duration first = start("alone", "Replica");
    Duration alone = failure("alone");
    Duration start = start("anew", "Job");
    Duration anew = failure("anew");
    System.out.printf(
        "64 pods: start %d ms (first job of the operator %d ms), back after one failure: scope Job"
            + " %d ms, scope Replica %d ms%n",
        start.toMillis(), first.toMillis(), anew.toMillis(), alone.toMillis());
    assertThat(alone).isLessThan(Duration.ofSeconds(2).plus(SLACK));
    assertThat(anew).isLessThan(start.multipliedBy(2).plus(SLACK));
  }

  private Duration start(String job, String scope) {
    Instant begin = Instant.now();
    scene.jobs.create(scene.job(job, "{restartScope: " + scope + "}", "worker 64 OnFailure"));
    scene.jobs.awaitPhase(job, "Running");
    return Duration.between(begin, Instant.now());
  }

  private Duration failure(String job) {
    scene.kubelet.finish(scene.namespace, scene.pod(job, "worker-17"), 1);
    Instant begin = Instant.now();
    scene.awaitRestarted(job, 1);
    return Duration.between(begin, Instant.now());
  }
}
