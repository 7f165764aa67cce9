package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Threads are replaced by a list of tasks that the test runs when it likes. */
class FairWriteQueueTest {

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final InstantSource clock = () -> now;
  private final ArrayDeque<Runnable> started = new ArrayDeque<>();
  private final List<String> done = new ArrayList<>();
  private final List<String> cancelled = new ArrayList<>();

  private FairWriteQueue queue(int parallelism) {
    return new FairWriteQueue(parallelism, started::add, clock);
  }

  private class Step implements FairWriteQueue.Write {
    private final String name;
    private final boolean accepted;

    private Step(String name, boolean accepted) {
      this.name = name;
      this.accepted = accepted;
    }

    @Override
    public boolean run() {
      done.add(name);
      return accepted;
    }

    @Override
    public void cancelled() {
      cancelled.add(name);
    }
  }

  private List<Step> steps(String job, int count) {
    return IntStream.range(0, count).mapToObj(i -> new Step(job + i, true)).toList();
  }

  /** Runs what was started so far: one round trip. Returns how many writes that were. */
  private int roundTrip() {
    List<Runnable> now = new ArrayList<>(started);
    started.clear();
    now.forEach(Runnable::run);
    return now.size();
  }

  @Test
  void itIsBusyWhileJobsWaitForEachOtherAndAMomentLonger() {
    FairWriteQueue queue = queue(2);
    queue.submit("a", steps("a", 1), false);
    assertThat(queue.isBusy()).as("one of two").isFalse();
    queue.submit("a", steps("a", 1), false);
    assertThat(queue.isBusy()).as("two of two, all of one job").isFalse();
    queue.submit("b", steps("b", 1), false);
    assertThat(queue.isBusy()).as("another job has to wait").isTrue();
    roundTrip();
    roundTrip();
    now = now.plusMillis(3_999);
    assertThat(queue.isBusy()).as("a moment ago").isTrue();
    now = now.plusMillis(1);
    assertThat(queue.isBusy()).as("no longer").isFalse();
  }

  @Test
  void aJobThatWasRefusedStartsSlowlyAndDoublesWithEveryRoundTrip() {
    FairWriteQueue queue = queue(50);
    queue.submit("a", steps("a", 100), true);

    List<Integer> rounds = new ArrayList<>();
    while (!started.isEmpty()) {
      rounds.add(roundTrip());
    }

    assertThat(rounds).startsWith(1, 2, 4, 8, 16, 32).allMatch(count -> count <= 50);
    assertThat(done).hasSize(100).startsWith("a0", "a1", "a2");
  }

  @Test
  void aSmallJobNeedsOneRoundTrip() {
    FairWriteQueue queue = queue(50);
    queue.submit("a", steps("a", 5), false);
    assertThat(roundTrip()).isEqualTo(5);
    queue.submit("b", steps("b", 100), false);
    assertThat(roundTrip()).isEqualTo(8);
    assertThat(roundTrip()).isEqualTo(16);
  }

  @Test
  void aClosedQueueBeginsNoMoreWrites() {
    FairWriteQueue queue = queue(4);
    queue.submit("a", steps("a", 10), false);
    queue.close();
    queue.submit("b", steps("b", 1), false);

    while (!started.isEmpty()) {
      roundTrip();
    }

    assertThat(done).as("what was in flight").containsExactly("a0", "a1", "a2", "a3");
  }

  @Test
  void aLargeJobDoesNotHoldUpASmallOne() {
    FairWriteQueue queue = queue(4);
    queue.submit("large", steps("large", 1_000), false);
    IntStream.range(0, 5).forEach(i -> roundTrip());
    queue.submit("small", steps("small", 4), false);
    done.clear();

    IntStream.range(0, 5).forEach(i -> roundTrip());

    assertThat(done).contains("small0", "small1", "small2", "small3");
  }

  /** Not a pod of each job first: half of the jobs are complete after half of the time. */
  @Test
  void smallJobsAreServedOneAfterTheOther() {
    FairWriteQueue queue = queue(2);
    for (String job : List.of("a", "b", "c")) {
      queue.submit(job, steps(job, 3), false);
    }

    while (!started.isEmpty()) {
      roundTrip();
    }

    assertThat(done).containsExactly("a0", "a1", "a2", "b0", "b1", "b2", "c0", "c1", "c2");
  }

  @Test
  void aJobWithMoreThanATurnWaitsForTheOthers() {
    FairWriteQueue queue = queue(1);
    queue.submit("a", steps("a", 20), false);
    queue.submit("b", steps("b", 20), false);

    while (!started.isEmpty()) {
      roundTrip();
    }

    assertThat(done.stream().map(name -> name.substring(0, 1)).collect(Collectors.joining()))
        .isEqualTo("aaaaaaaabbbbbbbbaaaaaaaabbbbbbbbaaaabbbb");
  }

  @Test
  void neverMoreThanTheParallelismAreInFlight() {
    FairWriteQueue queue = queue(3);
    for (int job = 0; job < 10; job++) {
      queue.submit("job" + job, steps("job" + job, 10), false);
    }

    while (!started.isEmpty()) {
      assertThat(roundTrip()).isLessThanOrEqualTo(3);
    }
    assertThat(done).hasSize(100);
  }

  @Test
  void aRefusalCancelsWhatTheJobHasWaitingAndNothingElse() {
    FairWriteQueue queue = queue(50);
    List<Step> refused = new ArrayList<>(steps("a", 1));
    refused.add(new Step("refused", false));
    refused.addAll(steps("never", 20));
    queue.submit("a", refused, true);
    queue.submit("b", steps("b", 5), false);

    while (!started.isEmpty()) {
      roundTrip();
    }

    assertThat(done).contains("a0", "refused", "b4");
    assertThat(cancelled)
        .hasSizeGreaterThanOrEqualTo(17)
        .allMatch(name -> name.startsWith("never"));
    queue.submit("a", steps("again", 3), false);
    while (!started.isEmpty()) {
      roundTrip();
    }
    assertThat(done).contains("again2");
  }

  @Test
  void aJobThatWaitedForItsTurnWhenItWasRefusedHasOneTurnAfterwards() {
    FairWriteQueue queue = queue(2);
    List<Step> refused = new ArrayList<>(List.of(new Step("refused", false)));
    refused.addAll(steps("never", 3));
    queue.submit("a", refused, false);
    queue.submit("b", steps("b", 20), false);
    roundTrip();
    queue.submit("a", steps("again", 20), false);

    while (!started.isEmpty()) {
      roundTrip();
    }

    assertThat(cancelled).containsExactly("never1", "never2");
    assertThat(done.stream().map(name -> name.substring(0, 1)).collect(Collectors.joining()))
        .isEqualTo("rnbbbbbbbbaaaaaaaabbbbbbbbaaaaaaaabbbbaaaa");
  }

  private void runAll() {
    while (!started.isEmpty()) {
      roundTrip();
    }
  }

  @Test
  void whatIsUrgentGoesBeforeWhatWaits() {
    FairWriteQueue queue = queue(2);
    queue.submit("a", steps("a", 10), false);
    queue.submitFirst("a", steps("urgent", 3), false);

    runAll();

    assertThat(done)
        .hasSize(13)
        .startsWith("a0", "a1", "urgent0", "urgent1", "urgent2", "a2", "a3");
  }

  @Test
  void aJobThatDeletesWaitsForItsTurnAsAnyOther() {
    FairWriteQueue queue = queue(1);
    queue.submit("b", steps("b", 10), false);
    queue.submitFirst("a", steps("a", 10), false);

    runAll();

    assertThat(done.stream().map(name -> name.substring(0, 1)).collect(Collectors.joining()))
        .isEqualTo("bbbbbbbbaaaaaaaabbaa");
  }

  @Test
  void refusedDeletionsAndRefusedCreationsDoNotSlowEachOtherDown() {
    FairWriteQueue queue = queue(50);
    List<Step> refused = new ArrayList<>(List.of(new Step("refused", false)));
    refused.addAll(steps("never", 20));
    queue.submitFirst("a", refused, true);
    queue.submit("a", steps("a", 20), false);

    assertThat(roundTrip()).as("one deletion, eight creations").isEqualTo(9);
    assertThat(cancelled).hasSize(20).allMatch(name -> name.startsWith("never"));
    runAll();

    assertThat(done).hasSize(21).contains("a19");
  }

  @Test
  void whatIsCalledBackNeverBeginsAndWhatIsInFlightEnds() {
    FairWriteQueue queue = queue(4);
    queue.submit("a", steps("a", 500), false);
    roundTrip();
    queue.submit("b", steps("b", 3), false);

    queue.retain("a", any -> false);
    assertThat(cancelled).hasSize(492);
    runAll();

    assertThat(done)
        .containsExactly("a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "b0", "b1", "b2");
    queue.submit("a", steps("again", 9), false);
    runAll();
    assertThat(done).contains("again8");
  }

  @Test
  void aNewPlanTakesThePlaceOfTheOldOneAndTheJobKeepsItsTurn() {
    FairWriteQueue queue = queue(1);
    queue.submit("b", steps("b", 9), false);
    queue.submit("a", steps("old", 5), false);
    queue.submit("c", steps("c", 1), false);
    queue.replace("a", steps("new", 2), false);

    runAll();

    assertThat(cancelled).containsExactly("old0", "old1", "old2", "old3", "old4");
    assertThat(done)
        .containsExactly(
            "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "new0", "new1", "c0", "b8");
  }

  @Test
  void whatDoesNotEnterIsNotMade() {
    FairWriteQueue queue = queue(1);
    List<Step> steps = new ArrayList<>(steps("a", 1));
    steps.add(
        new Step("made", true) {
          @Override
          public boolean enters() {
            return false;
          }
        });
    queue.replace("a", steps, false);
    queue.replace("none", List.of(), false);

    runAll();

    assertThat(done).containsExactly("a0");
    assertThat(cancelled).isEmpty();
  }

  @Test
  void aJobThatIsLookedAtAgainAndAgainStillGetsItsTurn() {
    FairWriteQueue queue = queue(1);
    queue.submit("b", steps("b", 40), false);
    queue.replace("a", steps("a", 3), false);
    for (int i = 0; i < 8; i++) {
      queue.replace("a", steps("a", 3), false);
      roundTrip();
    }

    assertThat(roundTrip()).isEqualTo(1);
    assertThat(done).last().isEqualTo("a0");
  }

  @Test
  void aWriteThatThrowsDoesNotBlockTheQueue() {
    FairWriteQueue queue = queue(1);
    queue.submit(
        "a",
        List.of(
            new FairWriteQueue.Write() {
              @Override
              public boolean run() {
                throw new IllegalStateException("broken");
              }

              @Override
              public void cancelled() {}
            }),
        false);
    queue.submit("b", steps("b", 1), false);

    while (!started.isEmpty()) {
      try {
        started.removeFirst().run();
      } catch (IllegalStateException expected) {
        assertThat(expected).hasMessage("broken");
      }
    }

    assertThat(done).containsExactly("b0");
  }
}
