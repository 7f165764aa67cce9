package dev.tensorstack.training.simulation;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.plan.Plan;

/**
 * What the operator made of what it saw, and what it should have made of it.
 *
 * @param view what it saw
 * @param plan what it wants to do
 * @param status what it wants to store
 * @param wanted what the oracle decides
 */
record Step(View view, Plan plan, PyTorchTrainingJobStatus status, Decision wanted) {}
