package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Spans;
import dev.tensorstack.training.kubectl.job.Training;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a training said of itself last. */
final class LastReport {

  private LastReport() {}

  /**
   * Tells the report of a training that goes on.
   *
   * @param training the report; null when there is none
   * @param text is added to
   */
  static void tell(@Nullable Training training, Sentences text) {
    if (training == null) {
      return;
    }
    List<String> parts = new ArrayList<>();
    if (training.remaining() != null) {
      parts.add("about " + Spans.inWords(training.remaining()) + " left");
    }
    if (training.step() != null) {
      parts.add("step " + training.step());
    }
    tell(training, parts, text);
  }

  /**
   * Tells the report of a training that gets nowhere: how long that has been so, and not what would
   * remain.
   *
   * @param training the report; null when there is none
   * @param text is added to
   */
  static void tellStuck(@Nullable Training training, Sentences text) {
    if (training == null) {
      return;
    }
    String step = training.step();
    Instant at = training.stepAt();
    if (at != null) {
      text.say(
          "Its last step"
              + (step == null ? " was " : ", " + step + ", was ")
              + text.since(at)
              + " ago, at "
              + Spans.moment(at));
    }
    tell(training, step == null || at != null ? List.of() : List.of("step " + step), text);
  }

  private static void tell(Training training, List<String> more, Sentences text) {
    List<String> parts = new ArrayList<>();
    if (training.progress() != null) {
      parts.add(training.progress() + " % done");
    }
    parts.addAll(more);
    training.metrics().forEach(metric -> parts.add(metric.toString()));
    Instant at = training.updatedAt();
    if (!parts.isEmpty()) {
      text.say(
          "Its last report"
              + (at == null ? "" : ", " + text.since(at) + " ago")
              + ": "
              + String.join(", ", parts));
    }
  }
}
