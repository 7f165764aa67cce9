package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.FailureText;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.PodNotes;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Of failures that follow one another, which one is named. */
class RootCauseTest {

  private static final String BAD = "ValueError: loss is not a number";
  private static final String LOST = "RuntimeError: Connection closed by peer [127.0.0.1]:5002";

  private static World running() {
    World world = new World(World.workers(3, "Never") + "torchrunConfig: {enabled: true}\n");
    world.settle();
    world.allRun();
    world.settle();
    return world;
  }

  /** The end of a log of which torchrun's report is left, and what it ended with. */
  private static String message(World world, String kind) {
    String[] words = kind.split("@", 2);
    return switch (words[0]) {
      case "own" -> BAD;
      case "lost" -> LOST;
      case "signal" -> report(world, words, "-9");
      default -> report(world, words, "1");
    };
  }

  /** In the local time of somewhere else. */
  private static String report(World world, String[] words, String exitCode) {
    long ago = words.length < 2 ? 0 : Long.parseLong(words[1]);
    String time =
        DateTimeFormatter.ofPattern("yyyy-MM-dd_HH:mm:ss")
            .withZone(ZoneOffset.ofHoursMinutes(5, 45))
            .format(world.now().minusSeconds(ago));
    return """
        torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
        Root Cause (first observed failure):
        [0]:
          time      : %s
          rank      : 1 (local_rank: 0)
          exitcode  : %s (pid: 23951)
        """
        .formatted(time, exitCode);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // worker-0 ends, a second later worker-1, then worker-2; who is named
        "lost       | own       | lost      | worker-1",
        "unknown    | own       | lost      | worker-1",
        "unknown    | lost      | own       | worker-2",
        "lost       | unknown   | lost      | worker-1",
        "lost       | unknown   | signal    | worker-2",
        "lost       | lost      | lost      | worker-0",
        "unknown    | unknown   | unknown   | worker-0",
        "own        | own       | own       | worker-0",
        // seconds before the end in which the first process of the pod had failed
        "unknown@1  | unknown@3 | unknown@3 | worker-1",
        "unknown@1  | unknown@2 | lost      | worker-0",
        "signal@0   | signal@5  | lost      | worker-1",
        "own        | signal@5  | lost      | worker-1",
        "own        | unknown@5 | lost      | worker-0",
      })
  void theEarliestThatSaysWhyIsNamed(String first, String second, String third, String named) {
    World world = running();
    int index = 0;
    for (String kind : new String[] {first, second, third}) {
      world.exit("worker", index++, 1, message(world, kind));
      world.settle();
      world.pass(Duration.ofSeconds(1));
    }
    world.settle();
    assertThat(Objects.requireNonNull(world.status().lastFailure()).replica()).isEqualTo(named);
  }

  /** Of a pod that is gone nothing says any more when it failed. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatAnElasticJobWentOnWithoutLongAgoIsNotToBlameForItsEnd(boolean disruption) {
    World world =
        new World(
            World.workers(3, "Never")
                + "torchrunConfig: {enabled: true}\n"
                + "elastic: {enabled: true, minReplicas: 2, maxReplicas: 3}\n");
    world.settle();
    world.allRun();
    world.settle();
    if (disruption) {
      world.vanish("mnist-12e8d-worker-1");
    } else {
      world.exit("worker", 1, 7);
      world.settle();
      world.vanish("mnist-12e8d-worker-1");
    }
    world.settle();
    world.pass(Duration.ofHours(1));
    world.exit("worker", 2, 42);
    world.pass(Duration.ofSeconds(1));
    world.settle();
    assertThat(world.status().completionTime()).as("the others may end by themselves").isNull();
    world.pass(Duration.ofSeconds(10));
    world.settle();

    assertThat(world.status().phase()).isEqualTo("Failed");
    var failure = Objects.requireNonNull(world.status().lastFailure());
    assertThat(failure.replica()).isEqualTo("worker-2");
    assertThat(failure.exitCode()).isEqualTo(42);
  }

  /** Recorded, and waited for: that its pod is removed meanwhile does not make it innocent. */
  @Test
  void aRecordedFailureWhosePodIsRemovedBeforeTheDecisionIsTheRootCause() {
    World world = new World(World.workers(3, "ExitCode") + "torchrunConfig: {enabled: true}\n");
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 1, 137);
    world.settle();
    world.pass(Duration.ofSeconds(2));
    world.exit("worker", 0, 1, LOST);
    world.settle();
    assertThat(world.status().attempt()).isZero();
    world.vanish("mnist-12e8d-worker-1");
    world.settle();
    world.pass(Duration.ofSeconds(10));
    world.settle();

    assertThat(world.status().completionTime()).isNull();
    assertThat(world.status().attempt()).isEqualTo(1);
    assertThat(Objects.requireNonNull(world.status().lastFailure()).replica())
        .isEqualTo("worker-1");
  }

  /** The master ends well five seconds later: a cleaner of failed pods must not hide that. */
  @ParameterizedTest
  @ValueSource(strings = {"Never", "OnFailure"})
  void theGraceGoesOnWhenTheFailedPodIsRemoved(String policy) {
    World world = new World(World.workers(3, policy) + "torchrunConfig: {enabled: true}\n");
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 1, 1);
    ObservedPod failed = world.pod("mnist-12e8d-worker-1");
    world.settle();
    world.vanish(failed.name());
    world.note(
        new PodNotes(
            Map.of(), Map.of(), Map.of(), Map.of(), Set.of(), Map.of(failed.name(), failed)));
    world.settle();
    world.pass(Duration.ofSeconds(5));
    world.settle();
    assertThat(world.status().attempt()).isZero();
    assertThat(world.status().completionTime()).isNull();
    world.exit("worker", 0, 0);
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Succeeded");
  }

  @Test
  void whatTheLogSaysCountsAndIsTold() {
    World world = running();
    world.exit("worker", 0, 1, message(world, "unknown"));
    world.exit("worker", 1, 1, message(world, "unknown"));
    world.exit("worker", 2, 1, message(world, "lost"));
    String first = world.pod("mnist-12e8d-worker-0").uid();
    String second = world.pod("mnist-12e8d-worker-1").uid();
    world.note(
        new PodNotes(
            Map.of(),
            Map.of(),
            Map.of(),
            Map.of(first, new FailureText(LOST, FailureText.Origin.CONSEQUENCE, null)),
            Set.of(second),
            Map.of()));
    world.settle();
    assertThat(world.status().completionTime()).as("a log is being read").isNull();

    world.note(
        new PodNotes(
            Map.of(),
            Map.of(),
            Map.of(),
            Map.of(
                first,
                new FailureText(LOST, FailureText.Origin.CONSEQUENCE, null),
                second,
                new FailureText(BAD, FailureText.Origin.OWN, null)),
            Set.of(),
            Map.of()));
    world.settle();
    var failure = Objects.requireNonNull(world.status().lastFailure());
    assertThat(failure.replica()).isEqualTo("worker-1");
    assertThat(failure.message()).isEqualTo(BAD);
    assertThat(world.pods()).as("all logs are kept").hasSize(3);
  }

  @Test
  void aLogThatCannotBeHadIsWaitedForNoLongerThanTheGrace() {
    World world = running();
    world.exit("worker", 0, 1, message(world, "unknown"));
    world.exit("worker", 1, 1, message(world, "lost"));
    world.exit("worker", 2, 1, message(world, "lost"));
    String uid = world.pod("mnist-12e8d-worker-0").uid();
    world.note(new PodNotes(Map.of(), Map.of(), Map.of(), Map.of(), Set.of(uid), Map.of()));
    world.settle();
    assertThat(world.plan().requeueAt()).isEqualTo(world.now().plusSeconds(10));
    world.pass(Duration.ofSeconds(10));
    world.settle();
    var failure = Objects.requireNonNull(world.status().lastFailure());
    assertThat(failure.replica()).isEqualTo("worker-0");
    assertThat(failure.message()).contains("its log says why");
  }
}
