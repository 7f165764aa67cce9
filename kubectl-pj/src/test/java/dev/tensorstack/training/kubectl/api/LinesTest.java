package dev.tensorstack.training.kubectl.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinesTest {

  private final List<String> seen = new ArrayList<>();
  private final Lines lines = new Lines(line -> seen.add(new String(line, UTF_8)));

  private void feed(String... pieces) {
    for (String piece : pieces) {
      lines.accept(ByteBuffer.wrap(piece.getBytes(UTF_8)));
    }
  }

  @Test
  void linesAreWholeWhateverPiecesTheyComeIn() {
    feed("a", "b\nc", "\n", "\nd");
    assertThat(seen).containsExactly("ab", "c", "");
  }

  @Test
  void whatHasNoNewlineIsALineAtTheEnd() {
    feed("a\nb");
    lines.end();
    lines.end();
    assertThat(seen).containsExactly("a", "b");
  }

  @Test
  void aCharacterOfSeveralBytesMayBeCut() {
    byte[] bytes = "é\n".getBytes(UTF_8);
    lines.accept(ByteBuffer.wrap(bytes, 0, 1));
    lines.accept(ByteBuffer.wrap(bytes, 1, 2));
    assertThat(seen).containsExactly("é");
  }
}
