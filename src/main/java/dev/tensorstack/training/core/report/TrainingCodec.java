package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.ledger.StoredTraining;
import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.model.TrainingReport;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes how far a training is into the status, and reads it again. */
public final class TrainingCodec {

  private TrainingCodec() {}

  /**
   * The form in the status.
   *
   * @param training what is known; null when nothing is
   * @return what is stored; null for nothing
   */
  public static @Nullable StoredTraining write(@Nullable Training training) {
    if (training == null || training.equals(Training.NONE)) {
      return null;
    }
    Training.Problem problem = training.problem();
    return new StoredTraining(
        training.percent(),
        training.remainingSeconds(),
        training.metrics().isEmpty()
            ? null
            : training.metrics().stream()
                .map(metric -> new StoredTraining.Metric(metric.name(), metric.value()))
                .toList(),
        training.step(),
        training.attempt() == 0 ? null : training.attempt(),
        millis(training.updatedAt()),
        millis(training.stepAt()),
        training.notANumber() == 0 ? null : training.notANumber(),
        problem == null
            ? null
            : new StoredTraining.Problem(
                problem.reason(), problem.message(), LedgerEncoder.text(problem.since())));
  }

  /**
   * What a status says; what somebody has edited into nonsense is read as absent.
   *
   * @param stored the form in the status; null for nothing
   * @return what is known; null when nothing is
   */
  public static @Nullable Training read(@Nullable StoredTraining stored) {
    if (stored == null) {
      return null;
    }
    List<StoredTraining.Metric> metrics =
        Objects.requireNonNullElse(stored.metrics(), List.<StoredTraining.Metric>of());
    return new Training(
        stored.progress(),
        stored.estimatedRemainingSeconds(),
        metrics.stream()
            .filter(Objects::nonNull)
            .filter(metric -> metric.name() != null)
            .map(
                metric ->
                    new TrainingReport.Metric(
                        Objects.requireNonNull(metric.name()),
                        Objects.requireNonNullElse(metric.value(), "")))
            .toList(),
        stored.step(),
        Objects.requireNonNullElse(stored.attempt(), 0),
        instant(stored.updatedAt()),
        instant(stored.stepAt()),
        Objects.requireNonNullElse(stored.notANumber(), 0),
        problem(stored.problem()));
  }

  private static Training.@Nullable Problem problem(StoredTraining.@Nullable Problem stored) {
    Instant since = stored == null ? null : instant(stored.since());
    return stored == null || stored.reason() == null || since == null
        ? null
        : new Training.Problem(
            stored.reason(), Objects.requireNonNullElse(stored.message(), ""), since);
  }

  private static @Nullable String millis(@Nullable Instant moment) {
    return moment == null ? null : moment.truncatedTo(ChronoUnit.MILLIS).toString();
  }

  private static @Nullable Instant instant(@Nullable String text) {
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeParseException noTime) {
      return null;
    }
  }
}
