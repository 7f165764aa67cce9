package dev.tensorstack.training.schedulers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A real Volcano binds gangs, or none of their pods, on a real API server. */
@Tag("schedulers")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VolcanoIT {
  private final ControlPlane plane = ControlPlane.builder().memoryForTime(true).start();
  private final FakeKubelet kubelet =
      FakeKubelet.start(plane.client(), FakeKubeletOptions.nodes(2).resource("cpu", "2"));

  private Volcano volcano;
  private GangPods pods;

  @BeforeAll
  void start() {
    volcano = Volcano.start(plane);
  }

  @AfterAll
  void stop() {
    try (plane;
        kubelet) {
      boolean running = volcano.isRunning();
      volcano.close();
      assertThat(running).isTrue();
    }
  }

  @BeforeEach
  void makeNamespace() {
    pods =
        new GangPods(
            plane, "annotations: {scheduling.k8s.io/group-name: GROUP}", Volcano.SCHEDULER);
  }

  private void createGroup(String name, int members) {
    pods.create(
        """
        apiVersion: scheduling.volcano.sh/v1beta1
        kind: PodGroup
        metadata: {name: %s}
        spec: {minMember: %d}
        """
            .formatted(name, members));
  }

  @Test
  void aGangIsBoundTogetherAndOneThatIsTooLargeNotAtAll() {
    createGroup("large", 5);
    pods.createPods("large", 5); // there are four CPUs
    createGroup("incomplete", 2);
    pods.createPods("incomplete", 1);

    createGroup("two", 2);
    pods.createPods("two", 2); // seen after the others

    pods.awaitBound("two-0");
    pods.awaitBound("two-1");
    pods.assertUnbound("large", 5);
    pods.assertUnbound("incomplete", 1);
  }

  @Test
  void aNewOneTakesUpWhatIsThere() {
    volcano.close();
    createGroup("waiting", 2);
    pods.createPods("waiting", 2);

    volcano = Volcano.start(plane);

    pods.awaitBound("waiting-0");
    pods.awaitBound("waiting-1");
  }
}
