package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.RefusedWrites;
import dev.tensorstack.training.core.observe.WriteFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RefusalMemoryTest {

  private static final ObjectWrite A = ObjectWrite.pod("a");
  private static final ObjectWrite B = ObjectWrite.pod("b");
  private static final ObjectWrite DELETION = ObjectWrite.podDeletion("a");
  private static final ObjectWrite SERVICE = ObjectWrite.of(ObjectKind.SERVICE, "a");

  private final RefusalMemory memory = new RefusalMemory();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  private void refuse(ObjectWrite write) {
    memory.refused(write, WriteFailure.Kind.QUOTA, "no", now);
  }

  private Duration delay(ObjectWrite write) {
    return Duration.between(now, Objects.requireNonNull(memory.known().get(write)).retryAt());
  }

  @Test
  void refusedWritesAreRetriedWithGrowingDelayForEver() {
    for (int seconds : new int[] {1, 2, 4, 8, 16, 32, 60, 60, 60}) {
      refuse(A);
      assertThat(delay(A)).isEqualTo(Duration.ofSeconds(seconds));
      now = now.plusSeconds(seconds);
    }
    memory.accepted(A, now);
    assertThat(memory.known().isEmpty()).isTrue();
    assertThat(memory.isRefused(A)).isFalse();
    refuse(A);
    assertThat(delay(A)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void writesThatWereUnderWayTogetherAreOneRefusalToTheDelay() {
    refuse(A);
    now = now.plusMillis(200);
    refuse(B);
    assertThat(delay(B)).isEqualTo(Duration.ofMillis(800));
    now = now.plusMillis(800);
    refuse(A);
    assertThat(delay(A)).isEqualTo(Duration.ofSeconds(2));
  }

  /**
   * Half of a quota was free: what still fits beside a refused pod does not make the rest try at
   * once.
   */
  @Test
  void whatIsAcceptedBesideARefusedWriteDoesNotEndTheWait() {
    refuse(A);
    memory.accepted(B, now.plusMillis(10));
    assertThat(delay(A)).isEqualTo(Duration.ofSeconds(1));
    now = now.plusSeconds(1);
    refuse(A);
    assertThat(delay(A)).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void creationsAndDeletionsThatAreBothRefusedDoNotUndoEachOthersDelay() {
    for (int seconds : new int[] {1, 2, 4, 8}) {
      refuse(A);
      refuse(DELETION);
      assertThat(delay(A)).isEqualTo(Duration.ofSeconds(seconds));
      assertThat(delay(DELETION)).isEqualTo(Duration.ofSeconds(seconds));
      now = now.plusSeconds(seconds);
    }
    memory.accepted(DELETION, now);
    refuse(A);
    assertThat(delay(A)).isEqualTo(Duration.ofSeconds(16));
    assertThat(memory.known().get(DELETION)).isNull();
  }

  @Test
  void anObjectThatIsNoPodHasARowOfItsOwn() {
    refuse(SERVICE);
    now = now.plusSeconds(1);
    refuse(SERVICE);
    memory.accepted(A, now);
    assertThat(delay(SERVICE)).isEqualTo(Duration.ofSeconds(2));
    refuse(A);
    assertThat(delay(A)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void whatIsNotWantedAnyMoreIsForgottenWithItsDelay() {
    refuse(A);
    now = now.plusSeconds(1);
    refuse(A);
    RefusedWrites seen = memory.known();
    memory.forget(seen, RefusedWrites.NONE);
    assertThat(memory.known().isEmpty()).isTrue();
    refuse(B);
    assertThat(delay(B)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void whatWasRefusedSinceThePlanWasMadeIsKept() {
    refuse(A);
    RefusedWrites seen = memory.known();
    now = now.plusSeconds(1);
    refuse(A);
    refuse(DELETION);
    memory.forget(seen, RefusedWrites.NONE);
    assertThat(memory.known().byWrite()).containsOnlyKeys(A, DELETION);
  }

  @Test
  void whatIsBeingTriedAgainIsKnownUntilItIsAnswered() {
    refuse(A);
    memory.sent(A);
    RefusedWrites seen = memory.known();
    assertThat(Objects.requireNonNull(seen.get(A)).retried()).isTrue();
    memory.forget(seen, RefusedWrites.NONE);
    assertThat(memory.known().get(A)).isNotNull();
    memory.cancelled(A);
    assertThat(Objects.requireNonNull(memory.known().get(A)).retried()).isFalse();
    memory.sent(A);
    memory.accepted(A, now.plusSeconds(1));
    assertThat(memory.known().isEmpty()).isTrue();
  }

  private void ending(ObjectWrite write) {
    memory.refused(write, WriteFailure.Kind.NAME_ENDING, "still being deleted", now);
  }

  @Test
  void aNameThatIsAboutToBeFreeIsTriedEverySecond() {
    for (int i = 0; i < 10; i++) {
      ending(A);
      assertThat(delay(A)).isEqualTo(Duration.ofSeconds(1));
      assertThat(Objects.requireNonNull(memory.known().get(A)).passes()).isTrue();
      now = now.plusSeconds(1);
    }
    memory.accepted(A, now);
    assertThat(memory.known().isEmpty()).isTrue();
  }

  @Test
  void waitingForANameMakesNoOtherRefusalWaitLonger() {
    for (int i = 0; i < 5; i++) {
      ending(A);
      now = now.plusSeconds(1);
    }
    refuse(A);
    assertThat(delay(A)).isEqualTo(Duration.ofSeconds(1));
    now = now.plusSeconds(1);
    ending(A);
    assertThat(delay(A)).isEqualTo(Duration.ofSeconds(1));
    now = now.plusSeconds(1);
    refuse(A);
    assertThat(delay(A)).as("the row goes on").isEqualTo(Duration.ofSeconds(2));
  }

  /** One pod's old namesake is still there, and the quota refuses the next. */
  @Test
  void aNameThatIsAboutToBeFreeWaitsWithTheWritesThatAreHeldBack() {
    refuse(A);
    now = now.plusSeconds(1);
    refuse(A);
    ending(B);
    assertThat(delay(B)).isEqualTo(delay(A)).isEqualTo(Duration.ofSeconds(2));
  }
}
