package dev.tensorstack.training.kubectl.job;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the training has reported of itself.
 *
 * @param progress 0 to 100; null when it is not known
 * @param remaining how long it will take; null when it is not known
 * @param metrics metrics by name, as they were reported
 * @param updatedAt when it was reported; null when it is not known
 */
public record Training(
    @Nullable Integer progress,
    @Nullable Duration remaining,
    Map<String, String> metrics,
    @Nullable Instant updatedAt) {

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
    Map<String, String> metrics = new LinkedHashMap<>();
    tree.fields("metrics")
        .forEach(
            (name, value) -> {
              String text = value.text();
              if (text != null) {
                metrics.put(name, text);
              }
            });
    // Lists of names and values are read as well.
    for (Tree metric : tree.items("metrics")) {
      String name = metric.text("name");
      String text = metric.text("value");
      if (name != null && text != null) {
        metrics.put(name, text);
      }
    }
    return new Training(
        tree.number("progress"),
        seconds == null ? null : Duration.ofSeconds(seconds),
        metrics,
        tree.time("updatedAt"));
  }
}
