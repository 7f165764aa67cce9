package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.PodPriorities;
import dev.tensorstack.training.world.World;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GangSizeTest {

  @Test
  void allPodsOfAJobRunAtTheSameTime() {
    JobSpec spec = World.model(World.workers(3, "Never"));

    GangMembers members = GangSize.of(spec, ReplicaLayout.of(spec), Map.of(), PodPriorities.EQUAL);

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

    assertThat(GangSize.of(spec, ReplicaLayout.of(spec), Map.of(), PodPriorities.EQUAL).least())
        .isEqualTo(2);
  }

  /** By the priority class of their type; of equals, in the order of the list. */
  @ParameterizedTest
  @CsvSource({
    "'', '', '', 'a b c'",
    "'', high, '', 'b a c'",
    "low, '', high, 'c b a'",
    "high, low, high, 'a c b'",
    "lowest, missing, '', 'b c a'", // a class that does not exist counts as 0
    "high, highest, low, 'b a c'",
  })
  void theMostImportantPodsComeFirst(String a, String b, String c, String order) {
    PodPriorities priorities =
        new PodPriorities(
            Map.of(
                "highest", Integer.MAX_VALUE, "high", 10, "low", -5, "lowest", Integer.MIN_VALUE),
            0);
    JobSpec spec = World.model("replicaSpecs:\n" + type("a", a) + type("b", b) + type("c", c));

    assertThat(GangSize.of(spec, ReplicaLayout.of(spec), Map.of(), priorities).smallest())
        .extracting(pods -> pods.spec().getContainers().get(0).getImage())
        .containsExactly(order.split(" "));
  }

  @Test
  void podsThatNameNoClassHaveThePriorityOfTheDefaultOne() {
    PodPriorities priorities = new PodPriorities(Map.of("high", 10, "default", 20), 20);
    JobSpec spec = World.model("replicaSpecs:\n" + type("a", "high") + type("b", ""));

    assertThat(GangSize.of(spec, ReplicaLayout.of(spec), Map.of(), priorities).smallest())
        .extracting(pods -> pods.spec().getContainers().get(0).getImage())
        .containsExactly("b", "a");
  }

  private static String type(String name, String priorityClass) {
    return "- {type: %s, template: {spec: {priorityClassName: '%s', containers: [{name: c, image: %s}]}}}\n"
        .formatted(name, priorityClass, name);
  }
}
