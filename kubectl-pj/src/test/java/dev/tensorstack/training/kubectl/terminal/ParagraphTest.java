package dev.tensorstack.training.kubectl.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ParagraphTest {

  @Test
  void linesBreakBetweenWords() {
    assertThat(Paragraph.wrap("one two three", 7)).isEqualTo("one two\nthree");
    assertThat(Paragraph.wrap("one https://a.very.long.address two", 10))
        .isEqualTo("one\nhttps://a.very.long.address\ntwo");
    assertThat(Paragraph.wrap("", 10)).isEmpty();
  }
}
