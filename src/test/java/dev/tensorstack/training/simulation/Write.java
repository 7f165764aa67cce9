package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.PlannedAction;

/** A request on its way to the API server. */
sealed interface Write {

  /** The process that sent it and waits for its answer; it may be dead by now. */
  Operator sender();

  /** It takes long. */
  boolean slow();

  /** A pod, a Service or the job is written, as the sender knew the job. */
  record Action(Operator sender, PlannedAction action, JobVersion job, boolean slow)
      implements Write {}

  /** A status is written. */
  record Status(Operator sender, Step step) implements Write {
    @Override
    public boolean slow() {
      return false;
    }
  }
}
