package dev.tensorstack.training.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.observation.WriteFailure;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class JobMemoryTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final JobMemory memory = new JobMemory();

  private Duration retryAfterRefusal() {
    memory.refused("pod a", WriteFailure.Kind.TRANSIENT, "no", CLOCK);
    return Duration.between(NOW, Objects.requireNonNull(memory.failure()).retryAt());
  }

  @Test
  void refusedWritesAreRetriedWithGrowingDelayForEver() {
    for (int seconds : new int[] {1, 2, 4, 8, 16, 32, 60, 60, 60}) {
      assertThat(retryAfterRefusal()).isEqualTo(Duration.ofSeconds(seconds));
    }
    memory.created("a");
    assertThat(memory.failure()).isNull();
    assertThat(retryAfterRefusal()).isEqualTo(SECOND);
  }

  @Test
  void aCreatedPodIsKnownUntilALookThatExpectsItFindsItGone() {
    assertThat(memory.pods()).as("before the first look").isEmpty();
    memory.seen(Set.of(), Set.of(), Set.of());
    memory.creating("a");
    assertThat(memory.creating()).containsExactly("a");
    memory.created("a");
    assertThat(memory.creating()).isEmpty();
    assertThat(memory.pods()).hasValue(Set.of("a"));
    memory.seen(Set.of(), Set.of(), Set.of());
    assertThat(memory.pods()).as("it was created during the look").hasValue(Set.of("a"));
    memory.seen(Set.of("a"), Set.of(), Set.of());
    assertThat(memory.pods()).hasValue(Set.of());
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
    assertThat(memory.untilNextLook(NOW)).isZero();
    memory.creating("a");
    assertThat(memory.untilNextLook(NOW)).isEqualTo(Duration.ofMillis(200));
    assertThat(memory.untilNextLook(NOW.plusMillis(200))).isZero();
    memory.created("a");
    assertThat(memory.untilNextLook(NOW.plusMillis(201))).isZero();
  }

  @Test
  void plainProgressIsReportedMoreAndMoreRarelyAndAChangeSoon() {
    assertThat(memory.statusDue(true, SECOND)).isEqualTo(Instant.MIN);
    memory.statusWritten(NOW, false);
    for (int seconds : new int[] {1, 2, 4, 8, 16, 16}) {
      assertThat(memory.statusDue(true, SECOND)).isEqualTo(NOW.plusSeconds(seconds));
      assertThat(memory.statusDue(false, SECOND)).isEqualTo(NOW.plusSeconds(1));
      memory.statusWritten(NOW, true);
    }
    memory.statusWritten(NOW, false);
    assertThat(memory.statusDue(true, SECOND)).isEqualTo(NOW.plusSeconds(1));
  }
}
