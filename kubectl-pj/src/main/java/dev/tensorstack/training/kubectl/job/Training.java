package dev.tensorstack.training.kubectl.job;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the training has reported of itself.
 *
 * @param progress 0 to 100; null when it is not known
 * @param remaining how long it would take at the time of the report; null when it is not known
 * @param metrics metrics in the order of the report, without the step
 * @param step the step as it was reported; null when it is not known
 * @param updatedAt when it was reported; null when it is not known
 * @param stepAt when the step changed last; null when it is not known
 * @param attempt the attempt that reported it, from 0
 */
public record Training(
    @Nullable Integer progress,
    @Nullable Duration remaining,
    List<Metric> metrics,
    @Nullable String step,
    @Nullable Instant updatedAt,
    @Nullable Instant stepAt,
    int attempt) {

  /** Metrics that the step is taken from, and that would say the same again. */
  private static final Set<String> STEP = Set.of("step", "global_step", "current_step");

  /**
   * A metric.
   *
   * @param name its name, for example {@code loss}
   * @param value its value as it was reported
   */
  public record Metric(String name, String value) {

    @Override
    public String toString() {
      return name + " " + value;
    }
  }

  /**
   * Reads a report.
   *
   * @param tree {@code status.training}
   * @return the report; null when there is none
   */
  static @Nullable Training of(Tree tree) {
    if (!tree.isPresent()) {
      return null;
    }
    Integer seconds = tree.number("estimatedRemainingSeconds");
    List<Metric> metrics = new ArrayList<>();
    for (Tree metric : tree.items("metrics")) {
      String name = metric.text("name");
      String value = metric.text("value");
      boolean isStep =
          STEP.contains(String.valueOf(name)) && tree.at("step").equals(metric.at("value"));
      if (name != null && value != null && !isStep) {
        metrics.add(new Metric(name, value));
      }
    }
    return new Training(
        tree.number("progress"),
        seconds == null ? null : Duration.ofSeconds(seconds),
        List.copyOf(metrics),
        tree.text("step"),
        tree.time("updatedAt"),
        tree.time("stepAt"),
        tree.count("attempt"));
  }

  /**
   * How long the training takes from now on, if it goes on as it was reported.
   *
   * @param now the present time
   * @return the span, not negative; null when it is not known
   */
  public @Nullable Duration remaining(Instant now) {
    if (remaining == null || updatedAt == null) {
      return remaining;
    }
    Duration left = remaining.minus(Duration.between(updatedAt, now));
    return left.isNegative() ? Duration.ZERO : left;
  }
}
