package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.FailureText;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClosedRendezvousTest {

  private static final String ELASTIC =
      "elastic: {enabled: true, minReplicas: 1, maxReplicas: 3}\n";

  @ParameterizedTest
  @CsvSource({
    "true, c10d, Application, 1, true",
    "true, c10d, Application, 143, true",
    "true, c10d, Application, 137, false",
    "true, c10d, Application, , false",
    "true, c10d, Disruption, 1, false",
    "false, c10d, Application, 1, false",
    "true, static, Application, 1, false"
  })
  void anAgentThatEndsByItselfClosesIt(
      boolean elastic, String backend, FailureCause cause, @Nullable Integer code, boolean closed) {
    JobSpec spec =
        World.model(
            World.workers(3, "OnFailure")
                + "torchrunConfig: {enabled: true, rdzvBackend: "
                + backend
                + "}\n"
                + (elastic ? ELASTIC : ""));
    PodFailure failure =
        new PodFailure(
            new ReplicaId("worker", 1),
            "pod",
            cause,
            code,
            null,
            "Error",
            null,
            null,
            Instant.EPOCH,
            FailureText.Origin.OWN,
            Instant.EPOCH,
            false);

    assertThat(ClosedRendezvous.isLeftBy(spec, failure, pod(false))).isEqualTo(closed);
    assertThat(ClosedRendezvous.isLeftBy(spec, failure, pod(true))).as("it never ran").isFalse();
    assertThat(ClosedRendezvous.isLeftBy(spec, failure, null)).as("recorded").isEqualTo(closed);
  }

  /** A pod of which one container failed. */
  private static ObservedPod pod(boolean init) {
    World world = new World(World.workers(3, "OnFailure"));
    world.settle();
    world.allRun();
    world.exit("worker", 1, 1);
    ObservedPod pod = world.pod("mnist-12e8d-worker-1");
    ObservedContainer one = pod.containers().get(0);
    return new ObservedPod(
        pod.name(),
        pod.uid(),
        pod.replica(),
        0,
        0,
        pod.mode(),
        pod.phase(),
        false,
        null,
        null,
        null,
        pod.createdAt(),
        null,
        null,
        null,
        false,
        null,
        null,
        List.of(
            new ObservedContainer(
                one.name(),
                init,
                one.state(),
                one.reason(),
                one.message(),
                one.exitCode(),
                one.signal(),
                one.finishedAt())),
        null,
        null,
        null,
        Map.of());
  }
}
