package dev.tensorstack.training.benchmark;

import java.util.ArrayList;
import java.util.List;

/** The goals of speed and scale, beside what others reach on the same control plane. */
final class Goals {

  private static final String NONE = "–";

  private Goals() {}

  /**
   * All goals of the programs that are measured.
   *
   * @param besideTrainingOperator whether the Training Operator takes part in the run
   */
  static List<Goal> of(List<OperatorKind> kinds, boolean besideTrainingOperator) {
    List<Goal> goals = new ArrayList<>();
    for (OperatorKind kind : kinds) {
      String client = kind.title();
      goals.add(
          least(
              "A: 200 × 4",
              "A",
              client,
              Metric.PER_RAW,
              0.75,
              "0.24 (quiet machine 0.39)",
              "0.18"));
      goals.add(least("B: 20 × 64", "B", client, Metric.PER_RAW, 0.85, "0.45", "0.37"));
      goals.add(least("C: 1 × 1,000", "C", client, Metric.PER_RAW, 0.85, "0.30", "0.40"));
      for (String scenario : List.of("A", "B", "C")) {
        goals.add(least(scenario, scenario, client, Metric.PER_SAME_WRITES, 0.80, NONE, NONE));
      }
      // 30 times the 4.8 of the one, 12 times the 12 of the other.
      goals.add(
          least(
              "A as shipped",
              "A as shipped",
              client,
              Metric.PODS_PER_SECOND,
              144,
              "4.8 (20 requests/s limit)",
              "9–12"));
      goals.add(
          most(
              "A",
              "A",
              client,
              Metric.REQUESTS_PER_JOB,
              8,
              "(4.0 requests per pod in all)",
              "(9.4 per pod in all, with kube-controller-manager)"));
      goals.add(most("A", "A", client, Metric.FAILED_SHARE, 0.1, NONE, NONE));
      goals.add(most("A", "A", client, Metric.API_CPU_PER_RAW, 1.3, "2.8", "4.4"));
      goals.add(most("B", "B", client, Metric.API_CPU_PER_RAW, 1.15, NONE, NONE));
      goals.add(most("C", "C", client, Metric.API_CPU_PER_RAW, 1.15, NONE, NONE));
      goals.add(most("A", "A", client, Metric.OPERATOR_CPU, 5, "5.8", "9.1 + 6.7"));
      if (kind == OperatorKind.NATIVE) {
        goals.add(most("A", "A", client, Metric.IDLE_MEMORY, 80, "50", "84"));
        goals.add(most("A", "A", client, Metric.PEAK_MEMORY, 150, "97", "140"));
      }
      goals.add(most("A", "A", client, Metric.STATUS_P99, 1, "6.0", "13.3"));
      goals.add(most("C", "C", client, Metric.FINISHED, 1, "1.8", "7.2"));
      goals.add(
          most(
              "D: restart over 2,000 × 2 finished jobs",
              "D",
              client,
              Metric.RESTARTED,
              3,
              "18–27",
              "6–11 for 500 × 2"));
      goals.add(most("D", "D", client, Metric.PEAK_MEMORY, 200, "200", "155 for 500 × 2"));
      goals.add(most("E", "E", client, Metric.REPLACED, 0.1, "0.07–0.14", "9.3"));
      goals.add(most("E", "E", client, Metric.RECREATED, 0.4 * 6.6, NONE, "6.6"));
      goals.add(
          most(
              "F: 100 small jobs behind a 1,000-pod job",
              "F",
              client,
              Metric.BEHIND_PER_ALONE,
              2,
              NONE,
              NONE));
      goals.add(most("G: growth", "G", client, Metric.GROWTH, 1.2, NONE, NONE));
      String h = "H: A with PyTorchJobs";
      goals.add(most(h, "H", client, Metric.REQUESTS_PER_POD, 3, "4.0", NONE));
      if (besideTrainingOperator) {
        Metric times = Metric.PER_TRAINING_OPERATOR;
        goals.add(most(h + ", its limits lifted", "H", client, times, 0.5, "1", NONE));
        goals.add(most(h + ", as shipped", "H as shipped", client, times, 0.5, "1", NONE));
      }
      goals.add(
          most(
              "Webhooks without the dry run",
              "admission",
              client,
              Metric.ADMISSION,
              2.5,
              "2.4",
              "4.6"));
    }
    return goals;
  }

  private static Goal least(
      String title,
      String scenario,
      String client,
      Metric metric,
      double limit,
      String v1,
      String v2) {
    return new Goal(title, scenario, client, metric, limit, true, v1, v2);
  }

  private static Goal most(
      String title,
      String scenario,
      String client,
      Metric metric,
      double limit,
      String v1,
      String v2) {
    return new Goal(title, scenario, client, metric, limit, false, v1, v2);
  }
}
