package dev.tensorstack.training.kind.trainingjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kind.trainingjob.v1beta1.HistoryEntry;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Why it took two days is answered when events are gone. */
class HistoryRenderingTest {

  private static World running(String spec) {
    World world = new World(spec);
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  private static void goOn(World world) {
    world.pass(Duration.ofMinutes(10));
    world.settle();
    world.allRun();
    world.settle();
  }

  private static List<HistoryEntry> history(World world) {
    List<HistoryEntry> history = world.status().history();
    return history == null ? List.of() : history;
  }

  @Test
  void aJobThatEndsInItsFirstStretchHasNone() {
    World world = running(World.workers(2, "Never"));
    assertThat(world.status().history()).isNull();

    world.exit("worker", 1, 3);
    goOn(world);

    assertThat(world.status().phase()).isEqualTo("Failed");
    assertThat(world.status().history()).isNull();
  }

  @Test
  void aRestartIsToldWithItsFailureAndTheNextStretchBeginsThere() {
    World world = running(World.workers(2, "OnFailure"));
    world.pass(Duration.ofHours(1));
    world.exit("worker", 1, 137);
    goOn(world);
    world.exit("worker", 0, 0);
    goOn(world);

    HistoryEntry first = history(world).get(0);
    assertThat(first.attempt()).isZero();
    assertThat(first.startTime()).isEqualTo("2026-01-01T00:00:00Z");
    assertThat(first.endTime()).isEqualTo(world.status().lastFailure().time());
    assertThat(first.end()).isEqualTo("Restarted");
    assertThat(first.running()).isEqualTo(2);
    assertThat(first.cause()).isEqualTo("Application");
    assertThat(first.replica()).isEqualTo("worker-1");
    assertThat(first.exitCode()).isEqualTo(137);
    HistoryEntry last = history(world).get(1);
    assertThat(last)
        .isEqualTo(
            new HistoryEntry(
                1,
                first.endTime(),
                world.status().completionTime(),
                "Succeeded",
                2,
                null,
                null,
                null,
                null,
                null));
    assertThat(history(world)).hasSize(2);
  }

  @Test
  void aPauseEndsAStretchAndTheNextBeginsAtTheResume() {
    String spec = World.workers(2, "Never");
    World world = running(spec);
    world.edit(spec + "runMode: {pause: {enabled: true}}\n");
    world.settle();
    world.pass(Duration.ofHours(8));
    world.edit(spec);
    goOn(world);
    String resumed = world.status().startTime();
    world.edit(spec + "runMode: {pause: {enabled: true}}\n");
    world.settle();

    assertThat(history(world)).extracting(HistoryEntry::end).containsExactly("Paused", "Paused");
    assertThat(history(world).get(1).startTime()).isEqualTo(resumed);
  }

  @Test
  void aWorkerThatAnElasticJobGoesOnWithoutDoesNotRun() {
    String spec =
        World.workers(4, "Never")
            + "torchrunConfig: {enabled: true}\n"
            + "elastic: {enabled: true, minReplicas: 2, maxReplicas: 4}\n";
    World world = running(spec);
    world.exit("worker", 3, 1);
    goOn(world);
    world.edit(spec + "runMode: {pause: {enabled: true}}\n");
    world.settle();

    assertThat(history(world)).extracting(HistoryEntry::end).containsExactly("Paused");
    assertThat(history(world).get(0).running()).isEqualTo(3);
  }

  @Test
  void aFailureOfTheMomentOfAPauseIsPartOfThePause() {
    String spec = World.workers(2, "OnFailure");
    World world = running(spec);
    world.edit(spec + "runMode: {pause: {enabled: true}}\n");
    world.exit("worker", 1, 1);
    world.settle();

    assertThat(history(world)).extracting(HistoryEntry::end).containsExactly("Paused");
    assertThat(world.status().backoffCount()).isEqualTo(1);
    assertThat(history(world).get(0).replica()).isEqualTo("worker-1");
  }

  @Test
  void ofTwoFailuresTheOneThatIsNotRestartedIsNotNamed() {
    World world =
        running(
            World.workers(4, "OnFailure")
                + "torchrunConfig: {enabled: true}\n"
                + "elastic: {enabled: true, minReplicas: 2, maxReplicas: 4}\n"
                + "runPolicy: {backoffLimit: 1}\n");
    world.exit("worker", 2, 137);
    world.pass(Duration.ofSeconds(2));
    world.exit("worker", 3, 137);
    goOn(world);

    assertThat(world.status().phase()).isEqualTo("Running");
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-2-r1");
    assertThat(world.status().lastFailure().replica()).isEqualTo("worker-3");
    assertThat(history(world)).extracting(HistoryEntry::end).containsExactly("Restarted");
    assertThat(history(world).get(0).replica()).isNotEqualTo("worker-3");
  }

  @Test
  void aDeadlineNamesNoEarlierFailure() {
    World world =
        running(World.workers(2, "OnFailure") + "runPolicy: {activeDeadlineSeconds: 7200}\n");
    world.exit("worker", 1, 1);
    goOn(world);
    world.pass(Duration.ofHours(3));
    world.settle();

    HistoryEntry last = history(world).get(1);
    assertThat(last.end()).isEqualTo("Failed");
    assertThat(last.replica()).isNull();
  }

  @Test
  void aFailureThatEndsTheJobIsNamed() {
    World world = running(World.workers(2, "OnFailure") + "runPolicy: {backoffLimit: 1}\n");
    world.exit("worker", 1, 1);
    goOn(world);
    world.exit("worker", 0, 7);
    goOn(world);

    HistoryEntry last = history(world).get(1);
    assertThat(last.end()).isEqualTo("Failed");
    assertThat(last.replica()).isEqualTo("worker-0");
    assertThat(last.exitCode()).isEqualTo(7);
  }

  @Test
  void aStretchEndsNotBeforeItBeganWhateverTheClockOfANodeSays() {
    World world = running(World.workers(2, "OnFailure"));
    world.exit("worker", 1, 1);
    goOn(world);
    Duration skew = Duration.ofHours(3);
    world.pass(skew.negated());
    world.exit("worker", 1, 1);
    world.pass(skew);
    goOn(world);

    HistoryEntry first = history(world).get(0);
    HistoryEntry second = history(world).get(1);
    assertThat(second.startTime()).isEqualTo(first.endTime());
    assertThat(second.endTime()).isEqualTo(second.startTime());
    assertThat(second.running()).isEqualTo(2);
  }

  @Test
  void theLatestTenAreKept() {
    World world = running(World.workers(1, "OnFailure") + "runPolicy: {backoffLimit: 99}\n");
    for (int i = 0; i < 13; i++) {
      world.exit("worker", 0, i + 1);
      goOn(world);
    }

    assertThat(history(world)).hasSize(HistoryRendering.LATEST);
    assertThat(history(world).get(9).exitCode()).isEqualTo(13);
  }
}
