package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.benchmark.QueueOutcome;
import dev.tensorstack.training.benchmark.QueueScene;
import dev.tensorstack.training.benchmark.QueueSize;
import java.time.Duration;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * More jobs than there is room for, in four queues of two cohorts of a real Kueue: the small sister
 * of the QueueBenchmark (docs/operations/benchmark.md).
 */
@Tag("schedulers")
class QueueScaleIT {

  private static final int JOBS = 20;
  private static final int PODS = 4;

  /** Each cohort has room for three jobs, each of its queues for one and a half. */
  private static final QueueSize SIZE =
      new QueueSize(24, 8, JOBS, PODS, Duration.ofSeconds(6), Duration.ofSeconds(2));

  @Test
  void allRunInOrderNoneHalfAndEachCostsAFewWrites() throws Exception {
    QueueOutcome outcome;
    try (QueueScene scene = QueueScene.start(SIZE, System.out)) {
      outcome = scene.run("gang-", JOBS);
    }
    System.out.println(outcome);
    assertThat(outcome.violations()).isEmpty();
    assertThat(outcome.mostWaiting()).as("jobs that waited for room").isPositive();
    assertWithinBudget(outcome);
  }

  private static void assertWithinBudget(QueueOutcome outcome) {
    SoftAssertions softly = new SoftAssertions();
    exactly(softly, outcome, "create pods", PODS);
    exactly(softly, outcome, "create services", 1);
    exactly(softly, outcome, "patch workloads", 1);
    exactly(softly, outcome, "delete workloads", 1);
    // Whether the name is a stranger's.
    exactly(softly, outcome, "get workloads → 404", 1);
    exactly(softly, outcome, "get workloads", 0);
    exactly(softly, outcome, "delete workloads → 404", 0);
    exactly(softly, outcome, "delete pods", 0);
    // That they have started, and what they do not need any more.
    atMost(softly, outcome, "patch workloads/status", 3);
    atMost(softly, outcome, "update pytorchtrainingjobs/status", 6);
    atMost(softly, outcome, "create events", 6);
    softly
        .assertThat(outcome.requests().keySet())
        .as("writes of other kinds")
        .filteredOn(kind -> !kind.startsWith("get") && !kind.startsWith("list"))
        .filteredOn(kind -> !kind.startsWith("watch"))
        .isSubsetOf(
            "create pods",
            "create services",
            "create events",
            "patch workloads",
            "delete workloads",
            "patch workloads/status",
            // Kueue has written meanwhile.
            "patch workloads/status → 409",
            "update pytorchtrainingjobs/status");
    softly.assertAll();
  }

  private static void exactly(
      SoftAssertions softly, QueueOutcome outcome, String kind, int perJob) {
    softly.assertThat(outcome.requests(kind)).as(kind).isEqualTo(perJob * JOBS);
  }

  private static void atMost(SoftAssertions softly, QueueOutcome outcome, String kind, int perJob) {
    softly.assertThat(outcome.requests(kind)).as(kind).isLessThanOrEqualTo(perJob * JOBS);
  }
}
