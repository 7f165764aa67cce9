package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.report.JobEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class PendingEventsTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant LATER = NOW.plus(PendingEvents.BETWEEN_TRIES);

  private final PendingEvents events = new PendingEvents();

  private static JobEvent event(String reason, int attempt, String message) {
    return new JobEvent(reason, false, attempt, message);
  }

  @Test
  void whatIsTakenIsForgotten() {
    List<JobEvent> news = List.of(event("Start", 0, "a"));
    assertThat(events.with(news, NOW)).isEqualTo(news);
    events.written();
    assertThat(events.with(List.of(), NOW)).isEmpty();
    assertThat(events.untilNextTry(NOW)).isZero();
  }

  @Test
  void whatIsNotTakenIsTriedAgainAfterAWhileInItsOrder() {
    JobEvent first = event("Start", 0, "a");
    JobEvent second = event("Running", 0, "b");
    events.refused(events.with(List.of(first), NOW), NOW);
    assertThat(events.untilNextTry(NOW)).isEqualTo(PendingEvents.BETWEEN_TRIES);
    assertThat(events.with(List.of(second), NOW.plusSeconds(1))).as("not yet").isEmpty();
    assertThat(events.with(List.of(), LATER)).containsExactly(first, second);
  }

  @Test
  void ofOneReasonAndAttemptTheNewestCounts() {
    events.refused(List.of(event("CreateFailed", 0, "quota"), event("Start", 0, "a")), NOW);
    JobEvent newest = event("CreateFailed", 0, "policy");
    assertThat(events.with(List.of(newest, event("Start", 1, "b")), LATER))
        .containsExactly(newest, event("Start", 0, "a"), event("Start", 1, "b"));
  }

  @Test
  void aClockThatIsPutBackHoldsNothingUp() {
    events.refused(List.of(event("Start", 0, "a")), NOW);
    Instant earlier = NOW.minus(Duration.ofHours(1));
    assertThat(events.untilNextTry(earlier)).isEqualTo(PendingEvents.BETWEEN_TRIES);
    assertThat(events.with(List.of(), earlier)).hasSize(1);
  }

  @Test
  void theOldestAreGivenUpWhenThereAreTooMany() {
    for (int attempt = 0; attempt < 1_000; attempt++) {
      events.refused(List.of(event("Restarting", attempt, "a")), NOW);
    }
    List<JobEvent> kept = events.with(List.of(), LATER);
    assertThat(kept).hasSizeLessThan(100);
    assertThat(kept.get(kept.size() - 1).attempt()).isEqualTo(999);
  }
}
