package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.Spans;
import dev.tensorstack.training.kubectl.job.Training;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What a training said of itself last. */
final class LastReport {

  private LastReport() {}

  /**
   * Tells the report of a training that goes on.
   *
   * @param job the job, with or without a report
   * @param text is added to
   */
  static void tell(Job job, Sentences text) {
    Training training = job.status().training();
    if (training == null) {
      return;
    }
    List<String> parts = new ArrayList<>();
    boolean present = training.attempt() == job.status().attempt();
    if (training.remaining() != null && present) {
      parts.add("about " + Spans.inWords(training.remaining()) + " left");
    }
    if (training.step() != null) {
      parts.add("step " + training.step());
    }
    tell(job, training, parts, text);
  }

  /**
   * Tells the report of a training that gets nowhere: how long that has been so, and not what would
   * remain.
   *
   * @param job the job, with or without a report
   * @param text is added to
   */
  static void tellStuck(Job job, Sentences text) {
    Training training = job.status().training();
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
    tell(job, training, step == null || at != null ? List.of() : List.of("step " + step), text);
  }

  private static void tell(Job job, Training training, List<String> more, Sentences text) {
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
              + (training.attempt() == job.status().attempt()
                  ? ""
                  : " (of attempt " + training.attempt() + ")")
              + (at == null ? "" : ", " + text.since(at) + " ago")
              + ": "
              + String.join(", ", parts));
    }
  }
}
