package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SentencesTest {

  private final Sentences text = new Sentences(NOW);

  @Test
  void sentencesEndWithOneStop() {
    text.say("it runs");
    text.say("it\n  ended.");
    text.say("really?");
    text.say("");
    assertThat(text.text()).isEqualTo("it runs. it ended. really?");
  }

  @Test
  void spansAndNumbers() {
    assertThat(text.since(NOW.minusSeconds(12))).isEqualTo("12 s");
    assertThat(text.until(NOW.plusSeconds(60))).isEqualTo("1 min");
    assertThat(Sentences.count(1, "pod")).isEqualTo("1 pod");
    assertThat(Sentences.count(0, "pod")).isEqualTo("0 pods");
  }
}
