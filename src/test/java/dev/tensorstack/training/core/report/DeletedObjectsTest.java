package dev.tensorstack.training.core.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.world.World;
import org.junit.jupiter.api.Test;

class DeletedObjectsTest {

  private static DeletedObjects next(World world) {
    Observation seen = world.observe();
    DeletedObjects deleted = DeletedObjects.between(seen, JobReport.of(seen, world.plan()));
    world.step();
    return deleted;
  }

  @Test
  void podsThatStartAnewAreNamedWithTheDecisionAndNotAgain() {
    World world = new World(World.workers(2, "OnFailure"));
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 1, 1);

    assertThat(next(world).pods()).hasSize(2).allMatch(name -> name.contains("worker"));
    assertThat(next(world).pods()).isEmpty();
    world.settle();
    assertThat(next(world).pods()).isEmpty();
  }

  @Test
  void aPodThatHasFailedStaysWhileItsReplacementWaits() {
    World world = new World(World.workers(2, "OnFailure") + "runPolicy: {restartScope: Replica}\n");
    world.settle();
    world.allRun();
    world.settle();
    world.exit("worker", 1, 1);
    assertThat(next(world).pods()).as("replaced at once").hasSize(1);
    world.settle();
    world.run("worker", 1);
    world.settle();
    world.exit("worker", 1, 1);
    assertThat(next(world).pods()).as("replaced in ten seconds").isEmpty();
  }

  @Test
  void aJobThatJustRunsDeletesNothing() {
    World world = new World(World.workers(2, "OnFailure"));
    assertThat(next(world)).isEqualTo(next(world));
    world.settle();
    world.allRun();
    assertThat(next(world).pods()).isEmpty();
    assertThat(next(world).services()).isEmpty();
  }
}
