package dev.tensorstack.training.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.admission.Violation;
import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.observation.RunModeKind;
import dev.tensorstack.training.plan.PlannedAction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JobMemoryTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final JobMemory memory = new JobMemory();

  private static PlannedAction.CreatePod creation(String pod, int attempt) {
    return new PlannedAction.CreatePod(
        new ReplicaId("worker", 0), pod, 0, attempt, RunModeKind.TRAIN);
  }

  @Test
  void aCreatedPodIsKnownUntilALookThatExpectsItFindsItGone() {
    assertThat(memory.pods()).as("before the first look").isEmpty();
    memory.seen(Set.of(), Set.of(), Set.of());
    memory.creating(creation("a", 0));
    assertThat(memory.look()).containsExactly("a");
    memory.created("a");
    assertThat(memory.look()).isEmpty();
    assertThat(memory.pods()).hasValue(Set.of("a"));
    memory.seen(Set.of(), Set.of(), Set.of());
    assertThat(memory.pods()).as("it was created during the look").hasValue(Set.of("a"));
    memory.seen(Set.of("a"), Set.of(), Set.of());
    assertThat(memory.pods()).hasValue(Set.of());
  }

  @Test
  void aCreationThatWaitsForItsTurnIsNotExpectedAndIsExpectedFromItsBeginning() {
    assertThat(memory.queued(creation("a", 0))).isTrue();
    assertThat(memory.look()).isEmpty();
    assertThat(memory.isCreating()).isTrue();
    memory.calledBack("a");
    assertThat(memory.isCreating()).isFalse();

    assertThat(memory.queued(creation("a", 1))).isTrue();
    memory.creating(creation("a", 1));
    assertThat(memory.look()).containsExactly("a");
  }

  @Test
  void whatBeganSinceTheLookIsNotQueuedAgainThoughItIsAnswered() {
    memory.look();
    memory.creating(creation("a", 0));
    assertThat(memory.begun()).containsExactly(creation("a", 0));
    memory.created("a");
    assertThat(memory.queued(creation("a", 0))).isFalse();
    memory.look();
    assertThat(memory.begun()).isEmpty();
    assertThat(memory.queued(creation("a", 0))).isTrue();
  }

  @Test
  void aDeletionIsSentOnceAndForgottenWhenThePodIsGone() {
    assertThat(memory.deleting("uid-a", "a")).isTrue();
    assertThat(memory.deleting("uid-a", "a")).isFalse();
    memory.seen(Set.of(), Set.of("a"), Set.of("uid-a"));
    assertThat(memory.isDeleting("uid-a")).isTrue();
    memory.seen(Set.of("a"), Set.of(), Set.of());
    assertThat(memory.isDeleting("uid-a")).isFalse();
  }

  @Test
  void aJobIsNotLookedAtAfterEachAnswerWhileCreationsAreUnderWay() {
    assertThat(memory.untilNextLook(NOW)).isZero();
    memory.creating(creation("a", 0));
    assertThat(memory.untilNextLook(NOW)).isEqualTo(Duration.ofMillis(200));
    assertThat(memory.untilNextLook(NOW.plusMillis(200))).isZero();
    memory.created("a");
    assertThat(memory.untilNextLook(NOW.plusMillis(250))).isZero();
  }

  @Test
  void aJobRestsAfterALookTheLongerTheMorePodsItHas() {
    assertThat(memory.untilNextLook(NOW)).isZero();
    memory.seen(Set.of(), names(10), Set.of());
    assertThat(memory.untilNextLook(NOW)).isEqualTo(Duration.ofMillis(50));
    assertThat(memory.untilNextLook(NOW.plusMillis(50))).isZero();
    memory.seen(Set.of(), names(60), Set.of());
    assertThat(memory.untilNextLook(NOW.plusMillis(50))).isEqualTo(Duration.ofMillis(120));
    memory.seen(Set.of(), names(5_000), Set.of());
    assertThat(memory.untilNextLook(NOW.plusMillis(50))).isEqualTo(Duration.ofMillis(200));
  }

  private static Set<String> names(int count) {
    return IntStream.range(0, count).mapToObj(i -> "pod-" + i).collect(Collectors.toSet());
  }

  @Test
  void aClockThatIsPutBackHoldsNothingUp() {
    JobMemory memory = new JobMemory();
    Instant now = Instant.parse("2026-01-01T12:00:00Z");
    Duration interval = Duration.ofSeconds(1);
    assertThat(memory.untilNextLook(now)).isZero();
    memory.statusDue(false, false, interval, now);
    memory.statusWritten(now, false);

    Instant earlier = now.minus(Duration.ofHours(1));
    assertThat(memory.untilNextLook(earlier)).isZero();
    assertThat(memory.statusDue(false, false, interval, earlier))
        .isBeforeOrEqualTo(earlier.plus(interval));
  }

  @Test
  void theRulesAreAskedOncePerGeneration() {
    Violation violation =
        new Violation("rule", "field", Violation.Reason.FieldValueInvalid, "wrong");
    assertThat(memory.violations(1, () -> List.of(violation))).containsExactly(violation);
    assertThat(memory.violations(1, List::of)).containsExactly(violation);
    assertThat(memory.violations(2, List::of)).isEmpty();
  }

  @Test
  void plainProgressIsReportedMoreAndMoreRarelyAndAChangeSoon() {
    assertThat(due(true, NOW)).as("first report").isEqualTo(NOW.plusSeconds(2));
    assertThat(due(false, NOW)).as("first change").isEqualTo(Instant.MIN);
    memory.statusWritten(NOW, false);
    Instant written = NOW;
    for (int seconds : new int[] {2, 4, 8, 16, 16}) {
      assertThat(due(true, written)).isEqualTo(written.plusSeconds(seconds));
      written = written.plusSeconds(seconds);
      memory.statusWritten(written, true);
      assertThat(due(false, written))
          .as("a change waits for one interval")
          .isEqualTo(written.plusSeconds(1));
    }
    memory.statusWritten(NOW, false);
    assertThat(due(true, NOW)).as("after a change").isEqualTo(NOW.plusSeconds(2));
  }

  @Test
  void afterAQuietMinuteProgressIsToldSoonAgain() {
    memory.statusWritten(NOW, false);
    Instant written = NOW;
    for (int i = 0; i < 6; i++) {
      written = written.plusSeconds(16);
      memory.statusWritten(written, true);
    }
    assertThat(due(true, written)).isEqualTo(written.plusSeconds(16));
    written = written.plusSeconds(60);
    memory.statusWritten(written, true);
    assertThat(due(true, written)).as("the burst is over").isEqualTo(written.plusSeconds(4));
  }

  @Test
  void whatHappensToSeveralPodsWithinTwoIntervalsIsOneReport() {
    memory.statusWritten(NOW, false);
    Instant later = NOW.plusSeconds(60);
    assertThat(due(true, later)).as("the first pod").isEqualTo(later.plusSeconds(2));
    assertThat(due(true, later.plusSeconds(1))).as("another").isEqualTo(later.plusSeconds(2));
    memory.statusSaysAll();
    assertThat(due(true, later.plusSeconds(5))).isEqualTo(later.plusSeconds(7));
  }

  private Instant due(boolean progressOnly, Instant now) {
    return memory.statusDue(progressOnly, false, SECOND, now);
  }

  @Test
  void whileOthersWaitForTheApiServerProgressWaitsAsLongAsItMayAndAChangeNoLonger() {
    assertThat(memory.statusDue(true, true, SECOND, NOW)).isEqualTo(NOW.plusSeconds(16));
    memory.statusWritten(NOW.plusSeconds(3), true);
    Instant later = NOW.plusSeconds(4);
    assertThat(memory.statusDue(true, true, SECOND, later)).isEqualTo(NOW.plusSeconds(19));
    assertThat(memory.statusDue(false, true, SECOND, later)).isEqualTo(NOW.plusSeconds(4));
  }
}
