package dev.tensorstack.training.simulation;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.plan.Plan;
import dev.tensorstack.training.plan.PlannedAction;

/** A request on its way to the API server. */
sealed interface Write {

  /** The process that sent it and waits for its answer; it may be dead by now. */
  Operator sender();

  /** A pod, the Service or the job is written. */
  record Action(Operator sender, PlannedAction action) implements Write {}

  /** A status is written. */
  record Status(Operator sender, View view, Plan plan, PyTorchTrainingJobStatus status)
      implements Write {}
}
