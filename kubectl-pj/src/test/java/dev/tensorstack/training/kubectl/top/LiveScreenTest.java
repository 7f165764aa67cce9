package dev.tensorstack.training.kubectl.top;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LiveScreenTest {

  @Test
  void whatDoesNotFitIsCutAndCounted() {
    List<String> lines = IntStream.range(0, 10).mapToObj(i -> "line number " + i).toList();
    assertThat(LiveScreen.fit(lines, 8, 5))
        .containsExactly(
            "line nu…", "line nu…", "line nu…", "… and 7 more lines (all of them: --once)");
    assertThat(LiveScreen.fit(lines, 80, 11)).isEqualTo(lines);
  }
}
