package dev.tensorstack.training.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LoopbackPortsTest {

  private static final int MORE_THAN_TWO_BLOCKS = 500;

  @Test
  void twoThatTakePortsAtTheSameTimeAreGivenDifferentOnes() {
    LoopbackPorts one = new LoopbackPorts();
    LoopbackPorts other = new LoopbackPorts();
    Set<Integer> given = new HashSet<>();
    for (int round = 0; round < MORE_THAN_TWO_BLOCKS; round++) {
      assertThat(given.add(one.take())).isTrue();
      assertThat(given.add(other.take())).isTrue();
    }
    assertThat(given).allMatch(port -> port >= 10_000 && port < 20_000);
  }
}
