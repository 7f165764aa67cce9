package dev.tensorstack.training.benchmark;

import java.util.Optional;

/**
 * What has to be reached, and what others reach.
 *
 * @param title what it is about
 * @param scenario of which scenario
 * @param client whose value; null for the worst of all programs that were measured
 * @param metric which value; its median counts
 * @param limit the bound
 * @param atLeast whether the bound is a lower one
 * @param trainingOperator what the Training Operator 1.9.4 reaches, for people
 * @param trainer what Trainer 2.3 with JobSet 0.12 reaches, for people
 */
record Goal(
    String title,
    String scenario,
    String client,
    Metric metric,
    double limit,
    boolean atLeast,
    String trainingOperator,
    String trainer) {

  /** What was measured; empty when it was not. */
  Optional<Double> value(Measurements results) {
    return results.summary(scenario, client, metric).map(Summary::median);
  }

  /** Whether a value is within the bound. */
  boolean reachedBy(double value) {
    return atLeast ? value >= limit : value <= limit;
  }

  /** The bound for people. */
  String bound() {
    return (atLeast ? "≥ " : "≤ ") + metric.format(limit);
  }
}
