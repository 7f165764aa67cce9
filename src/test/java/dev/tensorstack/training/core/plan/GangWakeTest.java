package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.GangWakes;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class GangWakeTest {

  private static final ObjectKind COSCHEDULING =
      new ObjectKind("scheduling.x-k8s.io", "v1alpha1", "PodGroup", "podgroups");
  private static final String TWO = World.workers(2, "OnFailure");

  private final World world = waiting("scheduler: {coscheduling: {}}\n");

  private static World waiting(String scheduler) {
    World world = new World(TWO + scheduler);
    world.serve(scheduler.contains("coscheduling") ? COSCHEDULING : null);
    world.settle();
    return world;
  }

  private static List<PlannedAction.WakeGang> wakes(World world) {
    return world.step().actions().stream()
        .filter(PlannedAction.WakeGang.class::isInstance)
        .map(PlannedAction.WakeGang.class::cast)
        .toList();
  }

  /** Looks whenever the plan says so. */
  private List<Instant> wakesWithin(Duration time) {
    Instant end = world.now().plus(time);
    List<Instant> all = new ArrayList<>();
    while (true) {
      wakes(world).forEach(wake -> all.add(wake.at()));
      Instant next = Objects.requireNonNull(world.plan().requeueAt());
      assertThat(next).as("the next look").isAfter(world.now());
      if (next.isAfter(end)) {
        world.pass(Duration.between(world.now(), end));
        return all;
      }
      world.pass(Duration.between(world.now(), next));
    }
  }

  @Test
  void aGangThatWaitsIsWokenSlowlyForRoomThatNobodyHasSeen() {
    assertThat(wakesWithin(Duration.ofMinutes(10))).hasSizeBetween(17, 20);
  }

  @Test
  void itIsWokenOnceWhenRoomHasSettled() {
    world.pass(Duration.ofSeconds(10));
    Instant room = world.now();
    world.see(new GangWakes(null, room));
    List<Instant> woken = wakesWithin(Duration.ofSeconds(20));
    assertThat(woken).hasSize(1);
    assertThat(woken.get(0))
        .isBetween(room.plus(GangWake.SETTLE), room.plus(GangWake.SETTLE).plus(GangWake.SPREAD));
  }

  @Test
  void roomThatComesAllTheTimeWakesNoMoreOftenThanAllowed() {
    int wakes = 0;
    Instant last = null;
    for (int look = 0; look < 600; look++) {
      world.pass(Duration.ofMillis(100));
      List<PlannedAction.WakeGang> now = wakes(world);
      wakes += now.size();
      last = now.isEmpty() ? last : now.get(0).at();
      world.see(new GangWakes(last, world.now()));
    }
    assertThat(wakes).as("in a minute").isBetween(1, 3);
    for (int look = 0; look < 600; look++) {
      world.pass(Duration.ofMillis(100));
      List<PlannedAction.WakeGang> now = wakes(world);
      wakes += now.size();
      last = now.isEmpty() ? last : now.get(0).at();
      if (look % 20 == 0) {
        world.see(new GangWakes(last, world.now()));
      }
    }
    assertThat(wakes).as("with pauses in which it settles").isBetween(10, 23);
  }

  @Test
  void aWakeOfAnotherGangIsOneForThisGangToo() {
    world.pass(Duration.ofSeconds(20));
    Instant room = world.now();
    world.pass(Duration.ofSeconds(5));
    world.see(new GangWakes(room.plusSeconds(2), room));
    assertThat(wakes(world)).isEmpty();
    world.see(new GangWakes(world.now().plus(Duration.ofDays(1)), room));
    assertThat(wakes(world)).as("a wake that lies ahead is none").hasSize(1);
  }

  @Test
  void nobodyIsWokenWithoutNeed() {
    world.allRun();
    world.settle();
    world.pass(Duration.ofHours(1));
    world.see(new GangWakes(null, world.now().minusSeconds(10)));
    assertThat(wakes(world)).as("all run").isEmpty();
    for (String scheduler : List.of("", "scheduler: {volcano: {}}\n")) {
      World other = waiting(scheduler);
      other.pass(Duration.ofHours(1));
      other.see(new GangWakes(null, other.now().minusSeconds(10)));
      assertThat(wakes(other)).as(scheduler).isEmpty();
    }
    World paused = waiting("scheduler: {coscheduling: {}}\n");
    paused.edit(TWO + "scheduler: {coscheduling: {}}\nrunMode: {pause: {enabled: true}}\n");
    paused.pass(Duration.ofHours(1));
    assertThat(wakes(paused)).as("paused").isEmpty();
  }
}
