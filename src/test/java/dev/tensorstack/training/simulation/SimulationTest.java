package dev.tensorstack.training.simulation;

import org.junit.jupiter.api.Test;

/**
 * Random histories, a few of those that {@code SimulationIT} runs; docs/design/simulation.md says
 * how to run more of them and how to replay one.
 */
class SimulationTest {

  private static final int THREADS = 2;

  @Test
  void everyInvariantHoldsInEveryHistory() throws InterruptedException {
    Long replayed = Long.getLong("simulation.seed");
    if (replayed != null) {
      new History(replayed, true).run();
      return;
    }
    Long first = Long.getLong("simulation.first");
    long histories =
        Long.getLong("simulation.histories", first == null ? Histories.SHORT : Histories.ALL);
    new Histories().run(first == null ? 0 : first, histories, THREADS);
  }
}
