package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.CleanUpPolicy;
import dev.tensorstack.training.core.model.RestartScope;
import dev.tensorstack.training.core.model.RunPolicy;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BackoffWindowTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private static RunPolicy policy(@Nullable Long window) {
    return new RunPolicy(
        3, window, RestartScope.JOB, Set.of(), CleanUpPolicy.UNFINISHED, null, null);
  }

  private static Ledger.Counts restartedAt(long... seconds) {
    Ledger.Counts counts = Ledger.Counts.ZERO;
    for (long second : seconds) {
      counts = counts.restarted("worker", false, false, START.plusSeconds(second));
    }
    return counts;
  }

  private static int count(@Nullable Long window, Ledger.Counts counts, long second) {
    return BackoffWindow.count(policy(window), counts, START.plusSeconds(second));
  }

  private static @Nullable Instant next(@Nullable Long window, Ledger.Counts counts, long second) {
    return BackoffWindow.nextExpiry(policy(window), counts, START.plusSeconds(second));
  }

  @Test
  void withoutAWindowAllRestartsCountForEver() {
    Ledger.Counts counts = restartedAt(0, 10, 20);

    assertThat(count(null, counts, 1_000_000)).isEqualTo(3);
    assertThat(next(null, counts, 30)).isNull();
  }

  @Test
  void aRestartStopsCountingWhenTheWindowHasPassed() {
    Ledger.Counts counts = restartedAt(0, 10);

    assertThat(count(60L, counts, 59)).isEqualTo(2);
    assertThat(count(60L, counts, 60)).isEqualTo(1);
    assertThat(count(60L, counts, 70)).isZero();
  }

  @Test
  void theNextToStopCountingIsKnown() {
    Ledger.Counts counts = restartedAt(0, 10);

    assertThat(next(60L, counts, 20)).isEqualTo(START.plusSeconds(60));
    assertThat(next(60L, counts, 60)).isEqualTo(START.plusSeconds(70));
    assertThat(next(60L, counts, 70)).isNull();
  }

  @Test
  void disruptionsAndRepeatedReplicasDoNotCount() {
    Ledger.Counts counts =
        restartedAt(0).restarted("worker", true, true, START).repeated("worker").nextAttempt();

    assertThat(count(60L, counts, 1)).isEqualTo(1);
  }

  @Test
  void restartsByTheKubeletCountEach() {
    assertThat(count(60L, Ledger.Counts.ZERO.restartedInPlace("worker", 3, START), 1)).isEqualTo(3);
  }

  @Test
  void asManyAreRememberedAsALimitMayHaveWithinAWindow() {
    Ledger.Counts counts = restartedAt(new long[BackoffWindow.REMEMBERED + 50]);

    assertThat(counts.backoff()).isEqualTo(BackoffWindow.REMEMBERED + 50);
    assertThat(count(60L, counts, 1)).isEqualTo(BackoffWindow.REMEMBERED);
  }

  @Test
  void aMomentThatNoClockCanHaveSetDoesNotCount() {
    Ledger.Counts counts =
        Ledger.Counts.ZERO.restarted("worker", false, false, Instant.MAX.minusSeconds(1));

    assertThat(count(60L, counts, 0)).isZero();
    assertThat(next(60L, counts, 0)).isNull();
  }

  @Test
  void aWindowLongerThanTimeHoldsAllAndNeverEnds() {
    Ledger.Counts counts = restartedAt(0, 10);

    assertThat(count(Long.MAX_VALUE, counts, 20)).isEqualTo(2);
    assertThat(next(Long.MAX_VALUE, counts, 20)).isNull();
  }
}
