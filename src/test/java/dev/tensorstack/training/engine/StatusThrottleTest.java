package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class StatusThrottleTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final StatusThrottle pace = new StatusThrottle();

  private Instant due(boolean progressOnly, Instant now) {
    return due(news(progressOnly), now);
  }

  private Instant due(StatusThrottle.News news, Instant now) {
    return pace.due(news, false, SECOND, now);
  }

  private static StatusThrottle.News news(boolean progressOnly) {
    return progressOnly ? StatusThrottle.News.PROGRESS : StatusThrottle.News.CHANGE;
  }

  @Test
  void plainProgressIsReportedMoreAndMoreRarelyAndAChangeSoon() {
    assertThat(due(true, NOW)).as("first report").isEqualTo(NOW.plusSeconds(2));
    assertThat(due(false, NOW)).as("first change").isEqualTo(Instant.MIN);
    pace.written(NOW, news(false));
    Instant written = NOW;
    for (int seconds : new int[] {2, 4, 8, 16, 16}) {
      assertThat(due(true, written)).isEqualTo(written.plusSeconds(seconds));
      written = written.plusSeconds(seconds);
      pace.written(written, news(true));
      assertThat(due(false, written))
          .as("a change waits for one interval")
          .isEqualTo(written.plusSeconds(1));
    }
    pace.written(NOW, news(false));
    assertThat(due(true, NOW)).as("after a change").isEqualTo(NOW.plusSeconds(2));
  }

  @Test
  void afterAQuietMinuteProgressIsToldSoonAgain() {
    pace.written(NOW, news(false));
    Instant written = NOW;
    for (int i = 0; i < 6; i++) {
      written = written.plusSeconds(16);
      pace.written(written, news(true));
    }
    assertThat(due(true, written)).isEqualTo(written.plusSeconds(16));
    written = written.plusSeconds(60);
    pace.written(written, news(true));
    assertThat(due(true, written)).as("the burst is over").isEqualTo(written.plusSeconds(4));
  }

  @Test
  void whatHappensToSeveralPodsWithinTwoIntervalsIsOneReport() {
    pace.written(NOW, news(false));
    Instant later = NOW.plusSeconds(60);
    assertThat(due(true, later)).as("the first pod").isEqualTo(later.plusSeconds(2));
    assertThat(due(true, later.plusSeconds(1))).as("another").isEqualTo(later.plusSeconds(2));
    pace.saysAll();
    assertThat(due(true, later.plusSeconds(5))).isEqualTo(later.plusSeconds(7));
  }

  @Test
  void whileOthersWaitForTheApiServerProgressWaitsAsLongAsItMayAndAChangeNoLonger() {
    assertThat(pace.due(news(true), true, SECOND, NOW)).isEqualTo(NOW.plusSeconds(16));
    pace.written(NOW.plusSeconds(3), news(true));
    Instant later = NOW.plusSeconds(4);
    assertThat(pace.due(news(true), true, SECOND, later)).isEqualTo(NOW.plusSeconds(19));
    assertThat(pace.due(news(false), true, SECOND, later)).isEqualTo(NOW.plusSeconds(4));
  }

  /** The first status says that a job starts; most run before there is need of another. */
  @Test
  void howPodsGetOnWhileAJobStartsIsToldAfterEightIntervalsAndThatItRunsSoon() {
    pace.written(NOW, StatusThrottle.News.CHANGE);
    Instant soon = NOW.plusMillis(300);
    assertThat(due(StatusThrottle.News.START, soon)).isEqualTo(NOW.plusSeconds(8));
    assertThat(due(StatusThrottle.News.CHANGE, soon)).isEqualTo(NOW.plusSeconds(1));
    assertThat(due(StatusThrottle.News.ENDS, soon)).isEqualTo(soon.plusSeconds(1));
    pace.written(NOW.plusSeconds(8), StatusThrottle.News.START);
    pace.written(NOW.plusSeconds(16), StatusThrottle.News.START);
    pace.written(NOW.plusSeconds(24), StatusThrottle.News.START);
    assertThat(due(StatusThrottle.News.START, NOW.plusSeconds(24))).isEqualTo(NOW.plusSeconds(40));
    assertThat(pace.due(StatusThrottle.News.START, true, SECOND, NOW.plusSeconds(24)))
        .as("while others wait for the API server")
        .isEqualTo(NOW.plusSeconds(40));
  }

  /** What no status has recorded is lost with the pod. */
  @Test
  void thatPodsHaveEndedIsToldAfterOneIntervalHoweverOftenOfProgressWasTold() {
    pace.written(NOW, StatusThrottle.News.CHANGE);
    Instant written = NOW;
    for (int i = 0; i < 6; i++) {
      written = written.plusSeconds(16);
      pace.written(written, StatusThrottle.News.PROGRESS);
    }
    assertThat(due(StatusThrottle.News.PROGRESS, written)).isEqualTo(written.plusSeconds(16));
    Instant first = written.plusMillis(5_700);
    assertThat(due(StatusThrottle.News.ENDS, first))
        .as("the first")
        .isEqualTo(first.plusSeconds(1));
    assertThat(due(StatusThrottle.News.ENDS, first.plusMillis(900)))
        .as("another that ended with it")
        .isEqualTo(first.plusSeconds(1));
    pace.written(first.plusSeconds(1), StatusThrottle.News.ENDS);
    Instant next = first.plusMillis(1_200);
    assertThat(due(StatusThrottle.News.ENDS, next)).as("one more").isEqualTo(next.plusSeconds(1));
    assertThat(due(StatusThrottle.News.CHANGE, next)).isEqualTo(first.plusSeconds(2));
    assertThat(pace.due(StatusThrottle.News.ENDS, true, SECOND, next))
        .as("while others wait for the API server")
        .isEqualTo(next.plusSeconds(1));
  }

  @Test
  void thatAPodHasEndedIsNotToldSoonerAfterAStatusThanAnythingElse() {
    Instant ended = NOW.plusMillis(100);
    assertThat(due(StatusThrottle.News.ENDS, ended)).isEqualTo(ended.plusSeconds(1));
    pace.written(ended.plusMillis(800), StatusThrottle.News.CHANGE);
    assertThat(due(StatusThrottle.News.ENDS, ended.plusMillis(801)))
        .isEqualTo(ended.plusMillis(1_801));
  }

  @Test
  void aClockThatIsPutBackDoesNotHoldUpTheNextWrite() {
    due(false, NOW);
    pace.written(NOW, news(false));

    Instant earlier = NOW.minus(Duration.ofHours(1));
    assertThat(due(false, earlier)).isBeforeOrEqualTo(earlier.plus(SECOND));
  }
}
