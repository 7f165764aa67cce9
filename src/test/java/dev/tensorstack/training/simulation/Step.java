package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;

/**
 * What the operator made of what it saw, and what was so.
 *
 * @param view what it saw
 * @param plan what it wants to do
 * @param status what it wants to store
 * @param look what was so
 */
record Step(View view, Plan plan, PyTorchTrainingJobStatus status, Look look) {}
