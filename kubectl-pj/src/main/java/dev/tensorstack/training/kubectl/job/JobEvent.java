package dev.tensorstack.training.kubectl.job;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An event of a job or of one of its pods.
 *
 * @param time when it happened last; null when it is not known
 * @param warning whether it is a warning
 * @param reason one word
 * @param message a sentence
 * @param object the kind of the object that it tells of
 */
public record JobEvent(
    @Nullable Instant time, boolean warning, String reason, String message, String object) {

  /**
   * Reads events.
   *
   * @param events events of {@code v1}
   * @return the events, the oldest first
   */
  public static List<JobEvent> listOf(List<Tree> events) {
    List<JobEvent> found = new ArrayList<>();
    for (Tree event : events) {
      found.add(
          new JobEvent(
              lastTime(event),
              "Warning".equals(event.text("type")),
              Objects.requireNonNullElse(event.text("reason"), ""),
              Objects.requireNonNullElse(event.text("message"), ""),
              Objects.requireNonNullElse(event.text("involvedObject", "kind"), "")));
    }
    found.sort(
        Comparator.comparing(event -> Objects.requireNonNullElse(event.time(), Instant.EPOCH)));
    return found;
  }

  private static @Nullable Instant lastTime(Tree event) {
    for (String[] path :
        List.of(
            new String[] {"series", "lastObservedTime"},
            new String[] {"lastTimestamp"},
            new String[] {"eventTime"},
            new String[] {"firstTimestamp"},
            new String[] {"metadata", "creationTimestamp"})) {
      Instant time = event.time(path);
      if (time != null) {
        return time;
      }
    }
    return null;
  }
}
