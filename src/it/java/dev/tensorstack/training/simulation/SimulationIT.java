package dev.tensorstack.training.simulation;

import org.junit.jupiter.api.Test;

/**
 * The histories that {@link SimulationTest} leaves out. It needs no control plane, but the time
 * while tests that have one wait.
 */
class SimulationIT {

  @Test
  void everyInvariantHoldsInTheOtherHistoriesToo() throws InterruptedException {
    // One at a time: another processor is left to the tests beside it.
    new Histories().run(Histories.SHORT, Histories.ALL - Histories.SHORT, 1);
  }
}
