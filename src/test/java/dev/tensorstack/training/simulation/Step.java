package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.Plan;

/**
 * What the operator made of what it saw, and what was so.
 *
 * @param view what it saw
 * @param plan what it wants to do
 * @param next the job with the status that it wants to store
 * @param look what was so
 */
record Step(View view, Plan plan, SimulatedJob next, JobLook look) {}
