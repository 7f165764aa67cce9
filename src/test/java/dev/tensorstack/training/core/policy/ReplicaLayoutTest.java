package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.world.World;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicaLayoutTest {

  private static final JobSpec SPEC = World.model(World.workers(3, "Never"));

  @Test
  void ranksAreTheOrderOfTheListThenTheIndex() {
    ReplicaLayout layout = ReplicaLayout.of(SPEC);

    assertThat(layout.replicas())
        .extracting(ReplicaId::toString)
        .containsExactly("worker-0", "worker-1", "worker-2");
    assertThat(layout.rank(new ReplicaId("worker", 2))).isEqualTo(2);
    assertThat(layout.master()).isEqualTo(new ReplicaId("worker", 0));
  }

  @Test
  void ranksHaveNoGapsWhereIndexesHave() {
    ReplicaLayout layout =
        ReplicaLayout.of(SPEC, List.of(new ReplicaId("worker", 0), new ReplicaId("worker", 5)));

    assertThat(layout.rank(new ReplicaId("worker", 5))).isEqualTo(1);
    assertThat(layout.contains(new ReplicaId("worker", 1))).isFalse();
    assertThatThrownBy(() -> layout.rank(new ReplicaId("worker", 1)))
        .hasMessageContaining("worker-1");
  }
}
