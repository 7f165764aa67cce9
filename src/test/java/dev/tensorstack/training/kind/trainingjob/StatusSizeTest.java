package dev.tensorstack.training.kind.trainingjob;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.core.ledger.IndexRanges;
import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The status never outgrows what can be stored, and forgets nothing (contract section 11). */
class StatusSizeTest {

  private static final int LIMIT = 256 * 1024;

  /** With a type of 40 characters, host names are as long as they may be. */
  private static String spec(int replicas) {
    return World.workers(replicas, "OnFailure")
        .replace("type: worker", "type: w" + "o".repeat(38) + "r");
  }

  /** As many types as there may be, with about as many replicas of each. */
  private static String types(int replicas) {
    StringBuilder spec = new StringBuilder("runPolicy: {restartScope: Replica}\nreplicaSpecs:\n");
    for (int type = 0; type < 64; type++) {
      spec.append(
          "- {type: t%s%d, replicas: %d, restartPolicy: OnFailure, template: {spec: {containers: [{args: [t.py]}]}}}\n"
              .formatted("y".repeat(38), type, replicas / 64));
    }
    return spec.toString();
  }

  private static int bytes(World world) {
    return Serialization.asJson(world.status()).getBytes(StandardCharsets.UTF_8).length;
  }

  private static void change(World world, ObservedPod.Phase phase, int containers) {
    for (ObservedPod pod : List.copyOf(world.pods().values())) {
      if (pod.replica().index() % 2 == 0 || phase == ObservedPod.Phase.PENDING) {
        world.see(
            World.in(
                pod,
                phase,
                IntStream.range(0, containers)
                    .mapToObj(
                        i ->
                            new ObservedContainer(
                                "c" + i + "-" + "n".repeat(58),
                                i % 2 == 1,
                                phase == ObservedPod.Phase.PENDING
                                    ? ObservedContainer.State.WAITING
                                    : ObservedContainer.State.TERMINATED,
                                "CreateContainerConfigError",
                                "m".repeat(4_000),
                                phase == ObservedPod.Phase.PENDING ? null : 137,
                                null,
                                null))
                    .toList()));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"400, 8", "1000, 1", "1000, 30", "5000, 3", "10000, 10"})
  void inTheWorstCaseItStaysBelowItsLimit(int replicas, int containers) {
    World world = new World(spec(replicas) + "runPolicy: {restartScope: Replica}\n");
    world.settle();
    assertThat(bytes(world)).isLessThan(LIMIT);
    change(world, ObservedPod.Phase.PENDING, containers);
    world.settle();
    assertThat(bytes(world)).as("all pending").isLessThan(LIMIT);
    change(world, ObservedPod.Phase.FAILED, containers);
    world.step();
    assertThat(bytes(world)).as("half of them failed").isLessThan(LIMIT);
  }

  /** The largest job that the rules let pass. */
  @Test
  void withAsManyTypesAndPodsAsThereMayBeItStaysBelowItsLimit() {
    World world = new World(types(10_000));
    world.settle();
    assertThat(world.pods()).hasSize(9_984);
    assertThat(bytes(world)).isLessThan(LIMIT);
    change(world, ObservedPod.Phase.PENDING, 10);
    world.settle();
    assertThat(bytes(world)).as("all pending").isLessThan(LIMIT);
    change(world, ObservedPod.Phase.FAILED, 10);
    world.step();
    assertThat(bytes(world)).as("half of them failed").isLessThan(LIMIT);
  }

  /** Two billion pods are not even counted one by one. */
  @ParameterizedTest
  @ValueSource(ints = {10_001, 100_000, Integer.MAX_VALUE})
  void aJobOfMorePodsFailsAndHasNone(int replicas) {
    World world = new World(spec(replicas));
    world.settle();
    assertThat(world.pods()).isEmpty();
    assertThat(world.status().columns().reason()).isEqualTo("InvalidSpec");
    assertThat(bytes(world)).isLessThan(10_000);
  }

  @Test
  void whatIsLeftOutIsRememberedAllTheSame() {
    World world =
        new World(World.workers(5_000, "OnFailure") + "runPolicy: {restartScope: Replica}\n");
    world.settle();
    world.allRun();
    world.settle();
    for (int index = 1; index < 5_000; index += 2) {
      world.exit("worker", index, 0);
    }
    world.settle();
    world.vanish("mnist-12e8d-worker-4001");
    world.settle();
    assertThat(world.status().disruptionCount()).as("it was done").isZero();
    assertThat(Objects.requireNonNull(world.status().aggregate()).succeeded()).isEqualTo(2_500);

    world.vanish("mnist-12e8d-worker-4002");
    world.settle();
    assertThat(world.status().disruptionCount()).as("it ran").isEqualTo(1);
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-4002-r1");
    world.vanish("mnist-12e8d-worker-4002-r1");
    world.settle();
    assertThat(world.pods()).containsKey("mnist-12e8d-worker-4002-r2");
    Ledger ledger = world.job().ledger();
    assertThat(ledger.slots()).hasSize(5_000);
    assertThat(
            Objects.requireNonNull(ledger.slots().get(new ReplicaId("worker", 4_002)))
                .earlierPods())
        .isEqualTo(2);
  }

  /** An elastic job of which one of 64 types has all but the master. */
  private static String nodesIn(int type, int nodes) {
    StringBuilder spec =
        new StringBuilder(
            """
            torchrunConfig: {enabled: true}
            elastic: {enabled: true, minReplicas: 1, maxReplicas: %1$d, expectedReplicas: %1$d}
            replicaSpecs:
            """
                .formatted(nodes));
    for (int other = 0; other < 64; other++) {
      spec.append(
          "- {type: t%d, replicas: %d, scalingWeight: %d, restartPolicy: Never, template: {spec: {containers: [{args: [t.py]}]}}}\n"
              .formatted(other, other == 0 ? 1 : 0, other == type ? 1 : 0));
    }
    return spec.toString();
  }

  /** Stores what a plan says without carrying it out; each replica has had pods before. */
  private static void storeWithEarlierPods(World world, String type, int nodes) throws IOException {
    ObjectMapper json = new ObjectMapper();
    JsonNode status =
        json.readTree(Serialization.asJson(world.report(world.observe(), world.plan())));
    ObjectNode counts = json.createObjectNode();
    for (int count = 1; count < 9; count++) {
      int pods = count;
      counts.put(
          Integer.toString(count),
          IndexRanges.format(
              IntStream.range(0, nodes - 1).filter(i -> i * 31 % 8 + 1 == pods).boxed().toList()));
    }
    ((ObjectNode) status.path("ledger").path("replicas").path(type)).set("earlierPods", counts);
    world.store(json.writeValueAsString(status));
  }

  /** {@code scalingWeight} can be changed: all nodes move from type to type. */
  @Test
  void whatScalingTookAwayFromEachOfAllTypesDoesNotFillIt() throws IOException {
    int nodes = 800;
    World world = new World(nodesIn(1, nodes));
    world.store(Serialization.asJson(world.report(world.observe(), world.plan())));
    for (int type = 1; type < 64; type++) {
      world.edit(nodesIn(type, nodes));
      storeWithEarlierPods(world, "t" + type, nodes);
      assertThat(bytes(world)).as("nodes in type %d", type).isLessThan(LIMIT);
    }
    world.edit(nodesIn(1, nodes));
    Ledger before = world.job().ledger();
    world.store(Serialization.asJson(world.report(world.observe(), world.plan())));
    Ledger ledger = world.job().ledger();
    assertThat(bytes(world)).isLessThan(LIMIT);
    assertThat(ledger.counts()).isEqualTo(before.counts());
    for (int index = 0; index < nodes - 1; index++) {
      int pods = index * 31 % 8 + 1;
      assertThat(earlierPods(ledger, "t1", index))
          .as("a name is not used twice")
          .isBetween(pods, 8);
      assertThat(earlierPods(ledger, "t40", index)).isBetween(pods, 8);
    }
    assertThat(ledger.replicas()).containsOnlyKeys("t0", "t1");
    assertThat(world.plan().ledger().differsInDecision(ledger)).as("decided once").isFalse();
  }

  @Test
  void twoTypesAreRememberedToTheLastPod() throws IOException {
    World world = new World(nodesIn(1, 4_000));
    world.store(Serialization.asJson(world.report(world.observe(), world.plan())));
    storeWithEarlierPods(world, "t1", 4_000);
    world.edit(nodesIn(2, 4_000));
    world.store(Serialization.asJson(world.report(world.observe(), world.plan())));
    Ledger ledger = world.job().ledger();
    for (int index = 0; index < 3_999; index++) {
      assertThat(earlierPods(ledger, "t1", index)).isEqualTo(index * 31 % 8 + 1);
    }
  }

  @Test
  void asManyWaysToEndAsThereArePodsDoNotFillItEither() throws IOException {
    World world = new World(nodesIn(1, 10_000));
    world.settle();
    world.allRun();
    world.settle();
    world
        .pods()
        .replaceAll(
            (name, pod) ->
                pod.replica().index() == 0
                    ? pod
                    : World.in(
                        pod,
                        ObservedPod.Phase.FAILED,
                        List.of(
                            new ObservedContainer(
                                "c",
                                false,
                                ObservedContainer.State.TERMINATED,
                                "Reason" + "é".repeat(100) + name,
                                null,
                                pod.replica().index() % 255 + 1,
                                null,
                                world.now()))));
    world.step();
    assertThat(bytes(world)).isLessThan(LIMIT);
    Ledger ledger = world.job().ledger();
    assertThat(ledger.slots()).hasSize(10_000);
    assertThat(ledger.slots().values().stream().filter(slot -> slot.end() != null))
        .hasSize(9_998)
        .noneMatch(slot -> Objects.requireNonNull(slot.end()).succeeded());
    assertThat(ledger.reported()).hasSize(9_998);
  }

  private static int earlierPods(Ledger ledger, String type, int index) {
    return Objects.requireNonNull(ledger.slots().get(new ReplicaId(type, index))).earlierPods();
  }

  @Test
  void rangesAreReadAsTheyWereWritten() {
    List<Integer> indexes = List.of(0, 1, 2, 5, 7, 8, 100);
    assertThat(IndexRanges.format(indexes)).isEqualTo("0-2,5,7-8,100");
    assertThat(IndexRanges.parse("0-2,5,7-8,100")).isEqualTo(indexes);
    assertThat(IndexRanges.format(List.of())).isNull();
    assertThat(IndexRanges.parse(null)).isEmpty();
    assertThat(IndexRanges.parse("x,1,-3,9999999999,2-1")).containsExactly(1);
  }
}
