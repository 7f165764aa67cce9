package dev.tensorstack.training.kubectl.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ColorChoiceTest {

  @Test
  void autoColoursWhereAPersonReads() {
    assertThat(ColorChoice.auto.decide(true, Map.of())).isTrue();
    assertThat(ColorChoice.auto.decide(false, Map.of())).isFalse();
    assertThat(ColorChoice.auto.decide(true, Map.of("NO_COLOR", "1"))).isFalse();
    assertThat(ColorChoice.auto.decide(true, Map.of("NO_COLOR", ""))).isTrue();
    assertThat(ColorChoice.auto.decide(true, Map.of("TERM", "dumb"))).isFalse();
  }

  @Test
  void theUsersWordStandsAboveTheEnvironment() {
    assertThat(ColorChoice.always.decide(false, Map.of("NO_COLOR", "1"))).isTrue();
    assertThat(ColorChoice.never.decide(true, Map.of())).isFalse();
  }
}
