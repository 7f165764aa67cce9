package dev.tensorstack.training.kind.trainingjob;

import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.model.JobPhase;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How far a training is, in the columns of {@code kubectl get}. */
final class ProgressColumns {

  private ProgressColumns() {}

  /** How much is done, such as {@code 43%}; null when it was not reported. */
  static @Nullable String progress(@Nullable Training training) {
    return training == null || training.percent() == null ? null : training.percent() + "%";
  }

  /**
   * How long it will go on, in two units at most as kubectl writes ages; null when it was not
   * reported, and while the job does not run.
   */
  static @Nullable String eta(@Nullable Training training, JobPhase phase) {
    return training == null || training.remainingSeconds() == null || phase != JobPhase.Running
        ? null
        : text(Duration.ofSeconds(training.remainingSeconds()));
  }

  private static String text(Duration time) {
    if (time.toDays() > 0) {
      return time.toDays() + "d" + (time.toHoursPart() == 0 ? "" : time.toHoursPart() + "h");
    }
    if (time.toHours() > 0) {
      return time.toHours() + "h" + (time.toMinutesPart() == 0 ? "" : time.toMinutesPart() + "m");
    }
    if (time.toMinutes() > 0) {
      return time.toMinutes() + "m" + (time.toSecondsPart() == 0 ? "" : time.toSecondsPart() + "s");
    }
    return time.toSeconds() + "s";
  }
}
