package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Spans;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A paragraph while it is being written. */
final class Sentences {

  private final Instant now;
  private final List<String> said = new ArrayList<>();

  /**
   * An empty paragraph.
   *
   * @param now the present time
   */
  Sentences(Instant now) {
    this.now = now;
  }

  /**
   * Adds a sentence.
   *
   * @param sentence the sentence; its full stop is added where it has none
   */
  void say(String sentence) {
    String text = sentence.strip().replaceAll("\\s+", " ");
    if (text.isEmpty()) {
      return;
    }
    String end = text.endsWith(".") || text.endsWith("!") || text.endsWith("?") ? "" : ".";
    said.add(text + end);
  }

  /**
   * The time since a moment.
   *
   * @param moment the moment
   * @return for example {@code 12 min}
   */
  String since(Instant moment) {
    return Spans.inWords(Duration.between(moment, now));
  }

  /**
   * The time until a moment.
   *
   * @param moment the moment
   * @return for example {@code 12 min}
   */
  String until(Instant moment) {
    return Spans.inWords(Duration.between(now, moment));
  }

  /**
   * The present time.
   *
   * @return what the paragraph is about
   */
  Instant now() {
    return now;
  }

  /**
   * A number of things.
   *
   * @param number how many
   * @param noun what one is called
   * @return for example {@code 2 pods}
   */
  static String count(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }

  /**
   * The paragraph.
   *
   * @return its sentences in one line
   */
  String text() {
    return String.join(" ", said);
  }
}
