package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NewestWakeTest {

  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private Instant now = BEGIN;
  private List<Instant> wakes = List.of();
  private final AtomicInteger looks = new AtomicInteger();
  private final InstantSource source = () -> now;
  private final NewestWake newest = new NewestWake(clock());

  private Clock clock() {
    return source.withZone(ZoneOffset.UTC);
  }

  private @Nullable Instant ask() {
    return newest.newest(
        () -> {
          looks.incrementAndGet();
          return wakes.stream();
        });
  }

  @Test
  void oneLookHoldsForAllThatAskAtTheSameMoment() {
    assertThat(ask()).isNull();
    wakes = List.of(BEGIN.minusSeconds(9), BEGIN.minusSeconds(3));
    assertThat(ask()).isNull();
    assertThat(looks).hasValue(1);
    now = now.plus(Duration.ofMillis(250));
    assertThat(ask()).isEqualTo(BEGIN.minusSeconds(3));
    assertThat(looks).hasValue(2);
  }

  @Test
  void whatWasWrittenHereCountsAtOnce() {
    assertThat(ask()).isNull();
    newest.written(BEGIN);
    newest.written(Instant.EPOCH);
    assertThat(ask()).isEqualTo(BEGIN);
    assertThat(looks).hasValue(1);
  }

  @Test
  void aClockThatWasPutBackDoesNotMakeALookHoldForLong() {
    assertThat(ask()).isNull();
    wakes = List.of(BEGIN);
    now = BEGIN.minusSeconds(3600);
    assertThat(ask()).isEqualTo(BEGIN);
  }
}
