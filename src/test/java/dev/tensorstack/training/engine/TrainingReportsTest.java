package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.TrainingReport;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reports that no stored status knows yet. */
class TrainingReportsTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.123456Z");

  private final TrainingReports reports = new TrainingReports();

  private TrainingReport receive(Instant now) {
    return reports.receive(now, moment -> new TrainingReport(0, 1, null, List.of(), moment));
  }

  @Test
  void noTwoReportsHaveTheSameMomentAndNoneIsEarlierThanTheOneBefore() {
    TrainingReport first = receive(NOW);
    TrainingReport second = receive(NOW);
    TrainingReport third = receive(NOW.minusSeconds(60));

    assertThat(first.receivedAt()).isEqualTo(Instant.parse("2026-01-01T00:00:00.123Z"));
    assertThat(second.receivedAt()).isEqualTo(first.receivedAt().plusMillis(1));
    assertThat(third.receivedAt()).isEqualTo(first.receivedAt().plusMillis(2));
  }

  @Test
  void whatTheStatusKnowsIsForgotten() {
    TrainingReport first = receive(NOW);
    TrainingReport second = receive(NOW);

    assertThat(reports.since(null, NOW)).containsExactly(first, second);
    assertThat(reports.since(first.receivedAt(), NOW)).containsExactly(second);
    assertThat(reports.since(null, NOW)).containsExactly(second);
  }

  @Test
  void aTimeThatNobodyCanHaveReportedLosesNothing() {
    TrainingReport first = receive(NOW);

    assertThat(reports.since(NOW.plusSeconds(3_600), NOW)).containsExactly(first);
  }

  @Test
  void onlySoManyAreKept() {
    for (int i = 0; i < 1_000; i++) {
      TrainingReport unused = receive(NOW.plusSeconds(i));
    }

    assertThat(reports.since(null, NOW)).hasSize(64);
    assertThat(reports.since(null, NOW).get(63).receivedAt())
        .isEqualTo(Instant.parse("2026-01-01T00:16:39.123Z"));
  }
}
