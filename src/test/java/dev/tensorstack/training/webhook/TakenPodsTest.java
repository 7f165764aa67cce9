package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TakenPodsTest {

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1);
  private final TakenPods taken = new TakenPods(clock::get);

  @Test
  void whatWasTakenIsRememberedForSomeSecondsWhereverTheClockStands() {
    taken.add("a");

    clock.addAndGet(TakenPods.VALID.toNanos() - 1);
    assertThat(taken.contains("a")).isTrue();
    assertThat(taken.contains("b")).isFalse();

    clock.addAndGet(1);
    assertThat(taken.contains("a")).isFalse();
  }

  @Test
  void noMoreIsRememberedThanThereIsRoomFor() {
    for (int i = 0; i < TakenPods.MOST; i++) {
      taken.add("first-" + i);
    }
    taken.add("late");
    assertThat(taken.contains("late")).isFalse();
    assertThat(taken.contains("first-0")).isTrue();

    clock.addAndGet(TakenPods.VALID.toNanos());
    taken.add("late");
    assertThat(taken.contains("late")).as("what is too old makes room").isTrue();
  }
}
