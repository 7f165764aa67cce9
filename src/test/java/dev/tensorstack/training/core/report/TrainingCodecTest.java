package dev.tensorstack.training.core.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.ledger.StoredTraining;
import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.model.TrainingReport;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is known of a training survives in the status. */
class TrainingCodecTest {

  private static final Instant TIME = Instant.parse("2026-01-01T00:00:01.234Z");

  @Test
  void whatIsWrittenIsReadAgain() {
    Training training =
        new Training(
            43,
            8100L,
            List.of(new TrainingReport.Metric("loss", "0.3")),
            "120",
            2,
            TIME.plusMillis(5),
            TIME,
            1,
            new Training.Problem(
                "NoProgress", "no newer step", Instant.parse("2026-01-01T00:00:09Z")));

    assertThat(TrainingCodec.read(TrainingCodec.write(training))).isEqualTo(training);
  }

  @Test
  void nothingIsNothing() {
    assertThat(TrainingCodec.write(null)).isNull();
    assertThat(TrainingCodec.write(Training.NONE)).isNull();
    assertThat(TrainingCodec.read(null)).isNull();
  }

  @Test
  void whatSomebodyHasEditedIntoNonsenseIsAbsent() {
    Training read =
        Objects.requireNonNull(
            TrainingCodec.read(
                new StoredTraining(
                    null,
                    null,
                    Arrays.asList(
                        null,
                        new StoredTraining.Metric(null, "1"),
                        new StoredTraining.Metric("a", null)),
                    null,
                    null,
                    "noon",
                    "tomorrow",
                    null,
                    new StoredTraining.Problem("NoProgress", null, "later"))));

    assertThat(read)
        .isEqualTo(
            new Training(
                null,
                null,
                List.of(new TrainingReport.Metric("a", "")),
                null,
                0,
                null,
                null,
                0,
                null));
  }
}
