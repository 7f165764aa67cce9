package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequeueTimersTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final List<String> woken = new ArrayList<>();
  private Instant now = START;
  private final RequeueTimers<String> requeueTimers =
      new RequeueTimers<>(new SetClock(), woken::add);

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
    requeueTimers.set("a", START.plusSeconds(10));
    requeueTimers.tick();
    now = START.plusSeconds(9);
    requeueTimers.tick();
    assertThat(woken).isEmpty();

    now = START.plusSeconds(10);
    requeueTimers.tick();
    requeueTimers.tick();
    assertThat(woken).containsExactly("a");
  }

  @Test
  void aClockThatJumpsWakesWhatIsDue() {
    requeueTimers.set("hour", START.plusSeconds(3_600));
    requeueTimers.set("day", START.plusSeconds(86_400));
    now = START.plusSeconds(7_200);

    requeueTimers.tick();

    assertThat(woken).containsExactly("hour");
  }

  @Test
  void theLastWishCounts() {
    requeueTimers.set("a", START.plusSeconds(10));
    requeueTimers.set("a", START.plusSeconds(20));
    requeueTimers.set("b", START.plusSeconds(10));
    requeueTimers.set("b", null);
    now = START.plusSeconds(15);
    requeueTimers.tick();
    assertThat(woken).isEmpty();

    now = START.plusSeconds(20);
    requeueTimers.tick();
    assertThat(woken).containsExactly("a");
  }

  @Test
  void aWakeUpThatFailsIsTriedAgain() {
    RequeueTimers<String> failing =
        new RequeueTimers<>(
            new SetClock(),
            key -> {
              woken.add(key);
              if (woken.size() == 1) {
                throw new IllegalStateException("not yet");
              }
            });
    failing.set("a", START);

    failing.tick();
    failing.tick();
    failing.tick();

    assertThat(woken).containsExactly("a", "a");
  }
}
