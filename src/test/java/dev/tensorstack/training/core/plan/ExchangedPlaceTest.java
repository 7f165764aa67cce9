package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.queue.KueueQueue;
import dev.tensorstack.training.world.World;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ExchangedPlaceTest {

  private static final KueueQueue QUEUE = new KueueQueue("research", null, false);
  private static final ObjectKind WORKLOAD = QUEUE.kinds().get(0);
  private static final QueueFacts FACTS =
      new QueueFacts(
          Map.of("a100", new QueueFacts.Flavor(Map.of("gpu", "a100"), List.of())),
          Map.of(),
          QueueFacts.NONE.podPriorities());

  private static World placed(String spec) {
    World world = new World(spec).inQueue(QUEUE, WORKLOAD, FACTS);
    world.settle();
    kueue(world).admitOn("worker", "a", "b", "c");
    world.settle();
    return world;
  }

  private static KueueWorkloads kueue(World world) {
    return new KueueWorkloads(world, "mnist-12e8d");
  }

  private static List<String> places(World world) {
    return world.observe().pods().stream()
        .filter(ObservedPod::live)
        .map(pod -> pod.replica().index() + " " + pod.nodeSelector().get("kubernetes.io/hostname"))
        .sorted()
        .toList();
  }

  @Test
  void aPodThatWaitsForALostNodeIsReplacedForNothingOnceTheQueueHasExchangedIt() {
    World world = placed(World.workers(3, "Never"));
    assertThat(places(world)).containsExactly("0 a", "1 b", "2 c");
    List<String> before = world.observe().pods().stream().map(ObservedPod::uid).toList();

    kueue(world).admitOn("worker", "a", "c", "d");
    world.settle();

    assertThat(places(world)).containsExactly("0 a", "1 d", "2 c");
    assertThat(world.observe().pods().stream().map(ObservedPod::uid).filter(before::contains))
        .as("the others stay")
        .hasSize(2);
    assertThat(world.status().backoffCount()).isZero();
    assertThat(world.status().disruptionCount()).isZero();
    assertThat(world.status().phase()).isNotEqualTo("Failed");
  }

  @Test
  void aPodThatRunsStaysWhereItIs() {
    World world = placed(World.workers(3, "Never"));
    world.allRun();
    world.settle();
    kueue(world).admitOn("worker", "a", "c", "d");
    world.settle();
    assertThat(places(world)).containsExactly("0 a", "1 b", "2 c");
  }

  @Test
  void aPodWhoseUserHasChosenItsNodeIsNotReplacedForEver() {
    World world = placed(World.workers(1, "Never"));
    ObservedPod pod =
        world.observe().pods().stream().filter(ObservedPod::live).findFirst().orElseThrow();
    QueueState queue = QueueState.of(world.observe());
    kueue(world).admitOn("worker", "z");
    QueueState exchanged = QueueState.of(world.observe());
    assertThat(
            ExchangedPlace.isWaitedFor(
                pod, world.job().spec(), Objects.requireNonNull(queue).admittedEntries()))
        .isFalse();
    assertThat(ExchangedPlace.isWaitedFor(pod, world.job().spec(), exchanged.admittedEntries()))
        .isTrue();
    World own =
        new World(
            World.workers(1, "Never")
                .replace(
                    "    spec:\n",
                    "    spec:\n      nodeSelector: {kubernetes.io/hostname: mine}\n"));
    assertThat(ExchangedPlace.isWaitedFor(pod, own.job().spec(), exchanged.admittedEntries()))
        .isFalse();
  }
}
