package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.Plan;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Nothing is done and nothing is written when nothing happens, now or later. */
final class Rest {

  private static final List<Duration> LATER = List.of(Duration.ZERO, Duration.ofDays(1));

  private Rest() {}

  static void check(Cluster cluster, Operator operator) {
    JobVersion job = cluster.job();
    for (Duration later : LATER) {
      Instant then = cluster.now().plus(later);
      Plan plan = operator.plan(then);
      Invariants.require(plan.actions().isEmpty(), "a job at rest has nothing left to do", plan);
      Invariants.require(
          operator.report(plan, then).saysTheSame(job.resource()),
          "no status is written when nothing changed",
          job.resource(),
          "and",
          then,
          "later",
          operator.report(plan, then));
    }
  }
}
