package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.world.World;
import org.junit.jupiter.api.Test;

class GangSizeTest {

  @Test
  void allPodsOfAJobRunAtTheSameTime() {
    JobSpec spec = World.model(World.workers(3, "Never"));

    GangMembers members = GangSize.of(spec, ReplicaLayout.of(spec), 0);

    assertThat(members.least()).isEqualTo(3);
    assertThat(members.smallest()).extracting(GangMembers.Pods::count).containsExactly(3);
  }

  @Test
  void anElasticJobRunsWithItsLeast() {
    JobSpec spec =
        World.model(
            World.workers(3, "Never")
                + "torchrunConfig: {enabled: true}\n"
                + "elastic: {enabled: true, minReplicas: 2, maxReplicas: 4}\n");

    assertThat(GangSize.of(spec, ReplicaLayout.of(spec), 0).least()).isEqualTo(2);
  }
}
