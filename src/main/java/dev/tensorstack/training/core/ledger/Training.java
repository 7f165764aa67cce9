package dev.tensorstack.training.core.ledger;

import dev.tensorstack.training.core.model.TrainingReport;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How far the training of a job is, as it has reported last.
 *
 * @param percent how much is done, 0 to 100; null when the last report did not say
 * @param remainingSeconds how many seconds are left; null when the last report did not say
 * @param metrics what else the last report said
 * @param step the step that was reported last; null before any was
 * @param attempt the attempt of the last report
 * @param updatedAt when the last report came, on a whole millisecond; null before the first
 * @param stepAt when the step last was another one than before; null before the first report
 * @param notANumber how many reports in a row have told a loss that is no number
 * @param problem the hang that was found and only reported; null when there is none
 */
public record Training(
    @Nullable Integer percent,
    @Nullable Long remainingSeconds,
    List<TrainingReport.Metric> metrics,
    @Nullable String step,
    int attempt,
    @Nullable Instant updatedAt,
    @Nullable Instant stepAt,
    int notANumber,
    @Nullable Problem problem) {

  /** Nothing was reported. */
  public static final Training NONE =
      new Training(null, null, List.of(), null, 0, null, null, 0, null);

  /**
   * A hang.
   *
   * @param reason NoProgress or NotANumber
   * @param message a sentence for people
   * @param since when it was found, on a whole second
   */
  public record Problem(String reason, String message, Instant since) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Problem that
              && Objects.equals(reason, that.reason)
              && Objects.equals(message, that.message)
              && Objects.equals(since, that.since));
    }
  }

  /**
   * The same with another problem.
   *
   * @param found the hang, or null when the training goes on
   * @return a new state; this one when nothing is new
   */
  public Training with(@Nullable Problem found) {
    return Objects.equals(found, problem)
        ? this
        : new Training(
            percent,
            remainingSeconds,
            metrics,
            step,
            attempt,
            updatedAt,
            stepAt,
            notANumber,
            found);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Training that
            && Objects.equals(percent, that.percent)
            && Objects.equals(remainingSeconds, that.remainingSeconds)
            && Objects.equals(metrics, that.metrics)
            && Objects.equals(step, that.step)
            && attempt == that.attempt
            && Objects.equals(updatedAt, that.updatedAt)
            && Objects.equals(stepAt, that.stepAt)
            && notANumber == that.notANumber
            && Objects.equals(problem, that.problem));
  }
}
