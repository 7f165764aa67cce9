package dev.tensorstack.training.core.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is counted in the lives of jobs. */
class JobTransitionsTest {

  private static final String TWO = World.workers(2, "OnFailure");
  private static final String PAUSE = "runMode: {pause: {enabled: true}}\n";
  private static final String DEBUG = "runMode: {debug: {enabled: true}}\n";

  private @Nullable Instant broken;

  /** All facts until nothing is left to do, in short words. */
  private List<String> facts(World world) {
    List<String> words = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Observation seen = world.observe();
      JobReport report = JobReport.of(seen, world.plan(seen));
      PyTorchTrainingJobStatus before = world.stored();
      boolean idle = world.step().actions().isEmpty() && world.status().equals(before);
      if (idle) {
        return words;
      }
      if (!world.status().equals(before)) {
        JobTransitions.between(seen.job(), report, broken, world.now())
            .forEach(fact -> words.add(word(fact)));
        broken = JobTransitions.brokenSince(seen.job(), report, broken, world.now());
      }
    }
    throw new AssertionError("the job does not come to rest");
  }

  private static String word(JobTransition fact) {
    if (fact instanceof JobTransition.Created) {
      return "created";
    } else if (fact instanceof JobTransition.FirstPodRan first) {
      return "first pod " + first.sinceCreation().toSeconds();
    } else if (fact instanceof JobTransition.AllPodsRan all) {
      return "all run " + all.sinceCreation().toSeconds();
    } else if (fact instanceof JobTransition.Restarted restarted) {
      return restarted.times() + " " + restarted.cause();
    } else if (fact instanceof JobTransition.Recovered recovered) {
      return "recovered " + recovered.sinceFailure().toSeconds();
    } else if (fact instanceof JobTransition.Ended end) {
      Duration duration = end.duration();
      return end.reason()
          + (end.succeeded() ? " well " : " badly ")
          + (duration == null ? "-" : duration.toSeconds());
    }
    throw new AssertionError(fact);
  }

  @Test
  void aPlainSuccessIsCountedOnceWithItsTimes() {
    World world = new World(TWO);
    assertThat(facts(world)).containsExactly("created");
    world.pass(Duration.ofSeconds(7));
    world.allRun();
    assertThat(facts(world)).containsExactly("first pod 7", "all run 7");
    assertThat(facts(world)).isEmpty();
    world.pass(Duration.ofSeconds(60));
    world.exit("worker", 0, 0);
    assertThat(facts(world)).containsExactly("Succeeded well 67");
    assertThat(facts(world)).isEmpty();
  }

  @Test
  void aFailureNamesTheReasonOfTheFailedCondition() {
    World world = new World(World.workers(2, "Never"));
    assertThat(facts(world)).containsExactly("created");
    world.allRun();
    assertThat(facts(world)).containsExactly("first pod 0", "all run 0");
    world.pass(Duration.ofSeconds(3));
    world.exit("worker", 1, 3);
    assertThat(facts(world)).containsExactly("ReplicaFailed badly 3");
  }

  @Test
  void aRestartIsCountedByItsCauseAndTheRecoveryFromTheFailureOn() {
    World world = new World(TWO);
    facts(world);
    world.allRun();
    facts(world);
    world.pass(Duration.ofSeconds(100));
    world.exit("worker", 1, 1);
    assertThat(facts(world)).containsExactly("1 Application");
    world.pass(Duration.ofSeconds(9));
    world.allRun();
    assertThat(facts(world)).as("no first run again").containsExactly("recovered 9");
    assertThat(facts(world)).isEmpty();
  }

  @Test
  void aDeletedPodIsADisruption() {
    World world = new World(TWO);
    facts(world);
    world.allRun();
    facts(world);
    world.vanish(List.copyOf(world.pods().keySet()).get(1));
    assertThat(facts(world)).containsExactly("1 Disruption");
    world.pass(Duration.ofSeconds(2));
    world.allRun();
    assertThat(facts(world)).containsExactly("recovered 2");
  }

  @Test
  void aPauseIsNeitherAStartNorARecovery() {
    World world = new World(TWO);
    facts(world);
    world.allRun();
    facts(world);
    world.edit(TWO + PAUSE);
    assertThat(facts(world)).isEmpty();
    world.pass(Duration.ofHours(1));
    world.edit(TWO);
    assertThat(facts(world)).isEmpty();
    world.allRun();
    assertThat(facts(world)).isEmpty();
  }

  @Test
  void anotherRunModeIsNeitherAStartNorARecovery() {
    World world = new World(TWO);
    facts(world);
    world.allRun();
    facts(world);
    world.exit("worker", 1, 1);
    assertThat(facts(world)).containsExactly("1 Application");
    world.edit(TWO + DEBUG);
    assertThat(facts(world)).isEmpty();
    world.allRun();
    assertThat(facts(world)).isEmpty();
  }

  @Test
  void anOperatorThatStartsInTheMiddleCountsNothingTwice() {
    World world = new World(TWO);
    facts(world);
    world.allRun();
    facts(world);
    world.exit("worker", 1, 1);
    assertThat(facts(world)).containsExactly("1 Application");
    broken = null;
    world.allRun();
    assertThat(facts(world)).as("what the process remembered is lost").isEmpty();
    world.exit("worker", 0, 0);
    assertThat(facts(world)).singleElement().asString().startsWith("Succeeded well");
  }

  @Test
  void timesOfAnotherClockAreNeverNegative() {
    World world = new World(TWO);
    world.step();
    world.allRun();
    Observation seen = world.observe();
    TrainingJob job = seen.job();
    TrainingJob later =
        new TrainingJob(
            job.kind(),
            job.names(),
            job.labels(),
            job.namespace(),
            job.name(),
            job.uid(),
            job.generation(),
            job.createdAt().plusSeconds(100),
            false,
            job.spec(),
            job.ledger(),
            job.summary());
    assertThat(
            JobTransitions.between(later, JobReport.of(seen, world.plan(seen)), null, world.now()))
        .contains(new JobTransition.AllPodsRan(Duration.ZERO));
  }

  @Test
  void whatSomebodyWroteByHandIsCountedOnce() {
    World world = new World(TWO);
    world.settle();
    world.store(
        """
        {"phase": "Failed", "startTime": "noon", "completionTime": "midnight"}
        """);
    Observation seen = world.observe();
    JobReport report = JobReport.of(seen, world.plan(seen));

    assertThat(JobTransitions.between(seen.job(), report, null, World.START))
        .noneMatch(JobTransition.Created.class::isInstance);
  }
}
