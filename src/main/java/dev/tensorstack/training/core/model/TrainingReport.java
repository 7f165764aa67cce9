package dev.tensorstack.training.core.model;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a training has told of its progress once.
 *
 * @param attempt the attempt that the reporting pod belongs to
 * @param percent how much is done, 0 to 100; null when it was not told
 * @param remainingSeconds how many seconds are left, at least 0; null when it was not told
 * @param metrics what else was told, each name once, in the order of the report
 * @param receivedAt when it was received, on a whole millisecond; of each report of a job another
 */
public record TrainingReport(
    int attempt,
    @Nullable Integer percent,
    @Nullable Long remainingSeconds,
    List<Metric> metrics,
    Instant receivedAt) {

  /**
   * A measured value.
   *
   * @param name what was measured
   * @param value a number as text, {@code nan} and {@code inf} too; or any text
   */
  public record Metric(String name, String value) {}
}
