package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.model.TrainingReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How far a training is, after what it has reported (docs/tasks/progress.md). */
public final class TrainingProgress {

  /** The names of the metric that tells the step, the first that is there. */
  private static final List<String> STEP = List.of("current_step", "global_step", "step");

  /** Also as others write it: {@code tensor(nan)}, {@code 1.#INF}. */
  private static final Pattern NO_NUMBER =
      Pattern.compile("(?i)(?<![a-z])(nan|inf|infinity)(?![a-z])");

  /** A stored time that is so far ahead was set by somebody, or the clock was put back. */
  private static final Duration CLOCKS = Duration.ofMinutes(1);

  private TrainingProgress() {}

  /**
   * What is known after some reports. Those that are known already, and those of earlier attempts,
   * change nothing.
   *
   * @param before what the status remembers; null before the first report
   * @param reports what was received, the earliest first
   * @param attempt the present attempt
   * @param now the present time
   * @return what is known now; null when nothing was ever reported
   */
  public static @Nullable Training after(
      @Nullable Training before, List<TrainingReport> reports, int attempt, Instant now) {
    Training known = before;
    for (TrainingReport report : reports) {
      if (report.attempt() == attempt && isNew(known, report, now)) {
        known = after(known == null ? Training.NONE : known, report);
      }
    }
    return known;
  }

  private static boolean isNew(@Nullable Training known, TrainingReport report, Instant now) {
    Instant last = known == null ? null : known.updatedAt();
    return last == null
        || report.receivedAt().isAfter(last)
        || (isBeyondBelief(last, now) && !isBeyondBelief(report.receivedAt(), now));
  }

  /**
   * Whether a stored time cannot be that of a report.
   *
   * @param time the time
   * @param now the present time
   * @return true when it is more than a minute ahead
   */
  public static boolean isBeyondBelief(Instant time, Instant now) {
    return time.isAfter(now.plus(CLOCKS));
  }

  private static Training after(Training before, TrainingReport report) {
    String told = step(report);
    boolean sameAttempt = before.updatedAt() != null && before.attempt() == report.attempt();
    boolean moved =
        !sameAttempt
            || before.stepAt() == null
            // Without a step, what else is told says whether the training goes on.
            || (told == null
                ? report.percent() == null || !report.percent().equals(before.percent())
                : !told.equals(before.step()));
    String step = told == null && sameAttempt ? before.step() : told;
    return new Training(
        report.percent(),
        report.remainingSeconds(),
        report.metrics(),
        step,
        report.attempt(),
        report.receivedAt(),
        moved ? report.receivedAt() : before.stepAt(),
        notANumber(report, sameAttempt ? before.notANumber() : 0),
        before.problem());
  }

  private static @Nullable String step(TrainingReport report) {
    for (String name : STEP) {
      for (TrainingReport.Metric metric : report.metrics()) {
        if (metric.name().equals(name)) {
          return metric.value();
        }
      }
    }
    return null;
  }

  /** A report without a loss says nothing about it. */
  private static int notANumber(TrainingReport report, int before) {
    boolean told = false;
    for (TrainingReport.Metric metric : report.metrics()) {
      if (isLoss(metric.name())) {
        told = true;
        if (NO_NUMBER.matcher(metric.value()).find()) {
          return before + 1;
        }
      }
    }
    return told ? 0 : before;
  }

  /** {@code loss}, {@code train_loss}, {@code eval/loss} and the like. */
  private static boolean isLoss(String name) {
    String plain = name.toLowerCase(Locale.ROOT);
    return plain.equals("loss") || plain.matches(".*[^a-z0-9]loss");
  }
}
