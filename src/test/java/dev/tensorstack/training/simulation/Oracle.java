package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.PlannedAction;

/** What must hold of a job of one kind, asked at the moments when it can break. */
interface Oracle {

  /** What is so at a look. */
  JobLook look(View view, SimulatedJob next);

  /** Another process begins. */
  void newOperator();

  /** The operator has planned. */
  void planned(Step step);

  /** A status was stored. */
  void stored(Step step);

  /** The operator sends a write of a plan. */
  void sent(PlannedAction action, Step step);

  /** A pod was created. */
  void created(SimulatedPod pod, boolean senderLives);

  /** Something happened. */
  void always();

  /** Nothing happens until the operator's next timer. */
  void asleep(Operator operator);

  /** Nothing happens any more. */
  void atRest(Operator operator);
}
