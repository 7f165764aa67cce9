package dev.tensorstack.training.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WakeUpsTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final List<String> woken = new ArrayList<>();
  private Instant now = START;
  private final WakeUps<String> wakeUps = new WakeUps<>(new SetClock(), woken::add);

  private final class SetClock extends Clock {
    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return now;
    }
  }

  @Test
  void aJobIsWokenOnceAndNotBeforeItsMoment() {
    wakeUps.set("a", START.plusSeconds(10));
    wakeUps.tick();
    now = START.plusSeconds(9);
    wakeUps.tick();
    assertThat(woken).isEmpty();

    now = START.plusSeconds(10);
    wakeUps.tick();
    wakeUps.tick();
    assertThat(woken).containsExactly("a");
  }

  @Test
  void aClockThatJumpsWakesWhatIsDue() {
    wakeUps.set("hour", START.plusSeconds(3_600));
    wakeUps.set("day", START.plusSeconds(86_400));
    now = START.plusSeconds(7_200);

    wakeUps.tick();

    assertThat(woken).containsExactly("hour");
  }

  @Test
  void theLastWishCounts() {
    wakeUps.set("a", START.plusSeconds(10));
    wakeUps.set("a", START.plusSeconds(20));
    wakeUps.set("b", START.plusSeconds(10));
    wakeUps.set("b", null);
    now = START.plusSeconds(15);
    wakeUps.tick();
    assertThat(woken).isEmpty();

    now = START.plusSeconds(20);
    wakeUps.tick();
    assertThat(woken).containsExactly("a");
  }

  @Test
  void aWakeUpThatFailsIsTriedAgain() {
    WakeUps<String> stumbling =
        new WakeUps<>(
            new SetClock(),
            key -> {
              woken.add(key);
              if (woken.size() == 1) {
                throw new IllegalStateException("not yet");
              }
            });
    stumbling.set("a", START);

    stumbling.tick();
    stumbling.tick();
    stumbling.tick();

    assertThat(woken).containsExactly("a", "a");
  }
}
