package dev.tensorstack.training.simulation;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The histories that {@link SimulationTest} leaves out. It needs no control plane, only time. */
@Tag("random")
class SimulationIT {

  @Test
  void everyInvariantHoldsInTheOtherHistoriesToo() throws InterruptedException {
    new Histories().run(Histories.SHORT, Histories.ALL - Histories.SHORT, 2);
  }
}
