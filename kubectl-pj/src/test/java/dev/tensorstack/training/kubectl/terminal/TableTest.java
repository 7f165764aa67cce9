package dev.tensorstack.training.kubectl.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {

  private static Table table() {
    Table table = new Table("NAME", "AGE", "NODE");
    table.add("a", "10m", "n1");
    return table;
  }

  @Test
  void columnsAreAsWideAsTheirWidestCell() {
    assertThat(table().lines()).containsExactly("NAME   AGE   NODE", "a      10m   n1");
  }

  @Test
  void whatIsDispensableGoesFirstAndOnlyAsFarAsNeeded() {
    List<String> dispensable = List.of("AGE", "NODE");
    assertThat(table().lines(17, dispensable)).isEqualTo(table().lines());
    assertThat(table().lines(16, dispensable)).containsExactly("NAME   NODE", "a      n1");
    assertThat(table().lines(1, dispensable)).containsExactly("NAME", "a");
    assertThat(table().lines(16, List.of("NOPE"))).isEqualTo(table().lines());
  }
}
