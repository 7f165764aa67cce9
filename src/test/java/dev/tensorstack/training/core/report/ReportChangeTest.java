package dev.tensorstack.training.core.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReportChangeTest {

  /** Whether the next report only tells of progress; it is stored then. */
  private static boolean isProgressOnly(World world) {
    Observation seen = world.observe();
    boolean progress =
        ReportChange.isProgressOnly(seen.job(), JobReport.of(seen, world.plan(seen)));
    world.step();
    return progress;
  }

  @Test
  void thatPodsAreBeingCreatedAndAllAreThereIsProgress() {
    World world = new World(World.workers(2, "Never"));
    assertThat(isProgressOnly(world)).as("the first report").isTrue();
    assertThat(isProgressOnly(world)).as("all pods are created").isTrue();
    world.settle();
    world.run("worker", 1);
    assertThat(isProgressOnly(world)).as("one of two pods runs").isTrue();
  }

  @Test
  void whatAUserWaitsForOrMustKnowIsNoMereProgress() {
    World world = new World(World.workers(2, "Never"));
    world.settle();
    world.see(World.unschedulable(world.pod("mnist-12e8d-worker-1"), "0/3 nodes are available"));
    assertThat(isProgressOnly(world)).as("no node fits").isFalse();
    world.see(World.unschedulable(world.pod("mnist-12e8d-worker-1"), null));
    assertThat(isProgressOnly(world)).as("a node fits").isFalse();
    world.allRun();
    assertThat(isProgressOnly(world)).as("the job runs").isFalse();
    world.exit("worker", 1, 1);
    assertThat(isProgressOnly(world)).as("the job fails").isFalse();
  }

  /** Whether the next report only tells of pods that start; it is stored then. */
  private static boolean isStart(World world) {
    Observation seen = world.observe();
    boolean start = ReportChange.isStart(seen.job(), JobReport.of(seen, world.plan(seen)));
    world.step();
    return start;
  }

  @Test
  void aJobStartsFromItsFirstReportUntilItRunsOrWaitsForSomethingElse() {
    World world = new World(World.workers(2, "OnFailure"));
    assertThat(isStart(world)).as("the first report says it").isFalse();
    assertThat(isStart(world)).as("all pods are created").isTrue();
    world.settle();
    world.see(World.unschedulable(world.pod("mnist-12e8d-worker-1"), "0/3 nodes are available"));
    assertThat(isStart(world)).as("no node fits").isFalse();
    world.see(World.unschedulable(world.pod("mnist-12e8d-worker-1"), null));
    world.settle();
    world.run("worker", 1);
    assertThat(isStart(world)).as("one of two pods runs").isTrue();
    world.allRun();
    assertThat(isStart(world)).as("the job runs").isFalse();
    world.exit("worker", 1, 1);
    world.settle();
    world.pass(Duration.ofMinutes(1));
    world.settle();
    assertThat(isStart(world)).as("restarting is another matter").isFalse();
  }

  /** Whether the next report records an end; it is stored then. */
  private static boolean recordsAnEnd(World world) {
    Observation seen = world.observe();
    boolean records = ReportChange.recordsAnEnd(seen.job(), JobReport.of(seen, world.plan(seen)));
    world.step();
    return records;
  }

  @Test
  void anEndIsRecordedOnceForEachPodOfAJobThatGoesOn() {
    World world = new World(World.workers(3, "Never"));
    assertThat(recordsAnEnd(world)).as("the first report").isFalse();
    world.settle();
    world.allRun();
    assertThat(recordsAnEnd(world)).as("all run").isFalse();
    world.exit("worker", 1, 0);
    assertThat(recordsAnEnd(world)).as("one is done").isTrue();
    assertThat(recordsAnEnd(world)).as("one was done").isFalse();
    world.exit("worker", 2, 0);
    assertThat(recordsAnEnd(world)).as("another one is done").isTrue();
    world.exit("worker", 0, 0);
    assertThat(recordsAnEnd(world)).as("the end of the job says more").isFalse();
  }

  /** Of a pod that is there, the next operator can see it too. */
  @Test
  void anEndIsInHasteOnlyWhereThePodIsGoneOrGoing() {
    World world = new World(World.workers(3, "Never"));
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 1, 0);
    Observation seen = world.observe();
    assertThat(ReportChange.recordsAnEndThatIsGone(seen, JobReport.of(seen, world.plan(seen))))
        .as("it is there")
        .isFalse();
    ObservedPod done =
        seen.pods().stream().filter(ObservedPod::endedByItself).findFirst().orElseThrow();
    world.see(done.beingDeleted().endedBeforeDeletion());
    Observation later = world.observe();
    JobReport report = JobReport.of(later, world.plan(later));
    assertThat(ReportChange.recordsAnEnd(later.job(), report)).isTrue();
    assertThat(ReportChange.recordsAnEndThatIsGone(later, report)).as("it is going").isTrue();
  }

  private static World elastic(String restartPolicy) {
    World world =
        new World(
            World.workers(4, restartPolicy)
                + "torchrunConfig: {enabled: true}\n"
                + "elastic: {enabled: true, minReplicas: 2, maxReplicas: 4}\n");
    world.settle();
    world.allRun();
    world.settle();
    world.pass(Duration.ofMinutes(1));
    return world;
  }

  /** The job stays Running without it, so that nothing else than the count tells it. */
  @Test
  void thatAllNodesOfAnElasticJobRunAgainIsNoMereProgress() {
    World world = elastic("OnFailure");
    world.vanish("mnist-12e8d-worker-3");
    world.settle();
    assertThat(world.status().columns().running()).isEqualTo("3/4");
    world.allRun();
    assertThat(isProgressOnly(world)).as("4/4").isFalse();
    assertThat(world.status().columns().running()).isEqualTo("4/4");
  }

  @Test
  void whatAnElasticJobGoesOnWithoutIsNotWaitedFor() {
    World world = elastic("ExitCode");
    world.exit("worker", 3, 1);
    world.settle();
    world.pass(Duration.ofMinutes(1));
    world.settle();
    assertThat(world.status().columns().running()).as("one has failed for good").isEqualTo("3/4");
    world.vanish("mnist-12e8d-worker-2");
    world.settle();
    assertThat(world.status().columns().running()).isEqualTo("2/4");
    world.allRun();
    assertThat(isProgressOnly(world)).as("all others run again").isFalse();
    assertThat(world.status().columns().running()).isEqualTo("3/4");
  }

  @Test
  void thatOneOfSeveralMissingNodesRunsIsProgress() {
    World world = elastic("OnFailure");
    world.vanish("mnist-12e8d-worker-2");
    world.vanish("mnist-12e8d-worker-3");
    world.settle();
    world.run("worker", 3);
    assertThat(isProgressOnly(world)).as("3/4").isTrue();
  }
}
