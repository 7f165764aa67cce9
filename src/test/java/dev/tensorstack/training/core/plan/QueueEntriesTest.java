package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.queue.KueueQueue;
import dev.tensorstack.training.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A job in a queue that grows and shrinks (contract section 10; docs/design/queue.md). */
class QueueEntriesTest {

  private static final KueueQueue QUEUE = new KueueQueue("research", null, false);
  private static final ObjectKind WORKLOAD = QUEUE.kinds().get(0);
  private static final QueueFacts FACTS =
      new QueueFacts(
          Map.of("a100", new QueueFacts.Flavor(Map.of("gpu", "a100"), List.of())),
          Map.of(),
          QueueFacts.NONE.podPriorities());

  private static final ObjectKind VOLCANO =
      new ObjectKind("scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups");

  private static String elastic(int nodes) {
    return World.workers(3, "Never")
        + "torchrunConfig: {enabled: true}\n"
        + "elastic: {enabled: true, minReplicas: 2, maxReplicas: 8, expectedReplicas: "
        + nodes
        + "}\n";
  }

  private static KueueWorkloads first(World world) {
    return new KueueWorkloads(world, "mnist-12e8d");
  }

  private static KueueWorkloads second(World world) {
    return new KueueWorkloads(world, "mnist-12e8d-2");
  }

  private static KueueWorkloads third(World world) {
    return new KueueWorkloads(world, "mnist-12e8d-3");
  }

  private static Map<String, Integer> workers(int count) {
    return Map.of("worker", count);
  }

  private static long live(World world) {
    return world.observe().pods().stream().filter(ObservedPod::live).count();
  }

  private static void run(World world) {
    world.settle();
    world.allRun();
    world.settle();
  }

  /** A job that expects some nodes and was given others. */
  private static World running(int expected, int given) {
    World world = new World(elastic(expected)).inQueue(QUEUE, WORKLOAD, FACTS);
    world.settle();
    first(world).admit(workers(given));
    run(world);
    assertThat(world.status().phase()).isEqualTo("Running");
    assertThat(live(world)).isEqualTo(given);
    return world;
  }

  /** A job that is not elastic, has run for long, and has grown by two pods. */
  private static World grownFrom(int pods) {
    World world = new World(World.workers(pods, "OnFailure")).inQueue(QUEUE, WORKLOAD, FACTS);
    world.settle();
    first(world).admit(workers(pods));
    run(world);
    world.edit(World.workers(pods + 2, "OnFailure"));
    world.settle();
    second(world).admit(workers(2));
    run(world);
    assertThat(live(world)).isEqualTo(pods + 2);
    world.pass(Duration.ofMinutes(10));
    return world;
  }

  @Test
  void aJobThatWasGivenLessAsksForTheRestAndGrowsByWhatItGets() {
    World world = running(6, 3);
    assertThat(second(world).spec()).contains("count=3", "minCount=1");

    second(world).admit(workers(2));
    run(world);
    assertThat(live(world)).isEqualTo(5);
    assertThat(third(world).spec()).as("one is still missing").contains("count=1");
    assertThat(first(world).status()).doesNotContainKey("reclaimablePods");
    assertThat(String.valueOf(second(world).status())).contains("type=PodsReady");

    third(world).admit(workers(1));
    run(world);
    assertThat(live(world)).isEqualTo(6);
    assertThat(world.status().backoffCount()).isZero();
  }

  @Test
  void whoLeavesTheQueueStopsGivesItsShareBackAndStartsWithoutForNothing() {
    World world = running(3, 3);
    world.edit(elastic(5));
    world.settle();
    second(world).admit(workers(1));
    run(world);
    assertThat(live(world)).isEqualTo(4);
    world.pass(Duration.ofMinutes(10));
    world.podsEndSlowly();

    world.leaveQueue();
    world.settle();
    assertThat(world.observe().pods()).allMatch(ObservedPod::deleting);
    assertThat(first(world).find()).as("pods still end").isNotNull();
    assertThat(second(world).find()).isNotNull();
    assertThat(third(world).find()).as("what waits holds nothing").isNotNull();

    world.observe().pods().forEach(pod -> world.vanish(pod.name()));
    run(world);
    assertThat(first(world).find()).isNull();
    assertThat(second(world).find()).isNull();
    assertThat(third(world).find()).isNull();
    assertThat(live(world)).isEqualTo(5);
    assertThat(world.status().disruptionCount()).isZero();
    assertThat(world.status().backoffCount()).isZero();
  }

  @Test
  void whoLeavesTheQueueWhileWaitingStartsWithoutIt() {
    World world = new World(elastic(3)).inQueue(QUEUE, WORKLOAD, FACTS);
    world.settle();
    assertThat(live(world)).isZero();
    world.leaveQueue();
    run(world);
    assertThat(live(world)).isEqualTo(3);
    assertThat(first(world).find()).isNull();
  }

  @Test
  void whatWaitsIsLeftAsItIsWhileItsClassIsNotKnown() {
    World world = new World(World.workers(3, "Never")).inQueue(QUEUE, WORKLOAD, FACTS);
    world.settle();
    first(world).waits("no room");
    String before = first(world).spec();

    KueueQueue urgent = new KueueQueue("research", "urgent", false);
    world.inQueue(urgent, WORKLOAD, FACTS);
    world.settle();
    assertThat(first(world).spec()).isEqualTo(before);
    assertThat(String.valueOf(world.status().conditions()))
        .contains("no room; WorkloadPriorityClass urgent, which the label");
  }

  @Test
  void aJobWhoseClassIsNotKnownHasNoEntryAndSaysSo() {
    KueueQueue urgent = new KueueQueue("research", "urgent", false);
    World world = new World(World.workers(3, "Never")).inQueue(urgent, WORKLOAD, FACTS);
    world.settle();
    assertThat(first(world).find()).isNull();
    assertThat(live(world)).isZero();
    assertThat(String.valueOf(world.status().conditions()))
        .contains("WaitingForQueue", "WorkloadPriorityClass urgent");
  }

  @Test
  void theShareOfAFailedReplicaThatAnElasticJobGoesOnWithoutIsGivenBack() {
    World world = running(4, 4);
    world.exit("worker", 3, 3);
    world.pass(Duration.ofMinutes(1));
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Running");
    assertThat(first(world).status().get("reclaimablePods"))
        .isEqualTo(List.of(Map.of("name", "worker", "count", 1)));
    assertThat(live(world)).isEqualTo(3);
    assertThat(second(world).find()).as("nothing is missing").isNull();
    world.pass(Duration.ofMinutes(10));
    world.settle();
    assertThat(world.status().aggregate().failed()).as("it stays failed").isEqualTo(1);
  }

  /** It runs with fewer than it expects: a failure must not make it want more. */
  @Test
  void aFailureThatIsRestartedReplacesOnePodAndStopsNobody() {
    World world =
        new World(elastic(6).replace("Never", "OnFailure")).inQueue(QUEUE, WORKLOAD, FACTS);
    world.settle();
    first(world).admit(workers(3));
    run(world);
    List<String> others =
        world.observe().pods().stream()
            .filter(pod -> pod.replica().index() < 2)
            .map(ObservedPod::uid)
            .toList();
    world.exit("worker", 2, 137);
    world.settle();
    world.pass(Duration.ofMinutes(1));
    run(world);
    assertThat(live(world)).isEqualTo(3);
    assertThat(world.observe().pods()).extracting(ObservedPod::uid).containsAll(others);
    assertThat(first(world).status()).doesNotContainKey("reclaimablePods");
    assertThat(world.status().ledger() == null || world.status().ledger().hold() == null).isTrue();
  }

  @Test
  void whatTheJobGoesOnWithoutTakesNoShareOfWhatComesLater() {
    World world = running(3, 3);
    world.exit("worker", 2, 3);
    world.pass(Duration.ofMinutes(1));
    world.settle();
    assertThat(first(world).status()).containsKey("reclaimablePods");
    world.edit(elastic(5));
    world.settle();
    second(world).admit(workers(2));
    run(world);
    assertThat(live(world)).isEqualTo(4);
    Map<String, Long> byEntry =
        world.observe().pods().stream()
            .filter(ObservedPod::live)
            .collect(
                Collectors.groupingBy(
                    pod -> String.valueOf(pod.queueEntry()), Collectors.counting()));
    assertThat(byEntry.values()).containsExactlyInAnyOrder(2L, 2L);
    world.pass(Duration.ofMinutes(10));
    world.settle();
    assertThat(live(world)).isEqualTo(4);
    assertThat(second(world).status()).doesNotContainKey("reclaimablePods");
  }

  @Test
  void ofTwoGrowthsTheOneThatIsTakenBackLeaves() {
    World world = running(2, 2);
    world.edit(elastic(4));
    world.settle();
    second(world).admit(workers(2));
    run(world);
    world.pass(Duration.ofMinutes(10));
    world.edit(elastic(6));
    world.settle();
    third(world).admit(workers(2));
    world.settle();
    second(world).evict();
    world.settle();
    run(world);
    assertThat(second(world).status()).doesNotContainKey("admission");
    assertThat(third(world).status()).containsKey("admission");
    assertThat(live(world)).isEqualTo(4);
  }

  @Test
  void ofTwoGrowthsOfAJobThatIsNotElasticTheOneThatIsTakenBackLeaves() {
    World world = grownFrom(2);
    world.edit(World.workers(6, "OnFailure"));
    world.settle();
    third(world).admit(workers(2));
    run(world);
    assertThat(live(world)).isEqualTo(6);
    second(world).evict();
    world.settle();
    run(world);
    assertThat(second(world).status()).doesNotContainKey("admission");
    assertThat(third(world).status()).containsKey("admission").doesNotContainKey("reclaimablePods");
    assertThat(live(world)).isEqualTo(4);
    assertThat(world.status().disruptionCount()).isZero();
    assertThat(world.status().backoffCount()).isZero();
  }

  @Test
  void theDoneReplicaOfAGrowthThatIsTakenBackStaysDone() {
    World world = running(3, 3);
    world.edit(elastic(5));
    world.settle();
    second(world).admit(workers(2));
    run(world);
    world.pass(Duration.ofMinutes(10));
    world.exit("worker", 4, 0);
    world.settle();
    second(world).evict();
    world.settle();
    assertThat(live(world)).isEqualTo(3);
    assertThat(world.status().aggregate().succeeded()).isEqualTo(1);
    assertThat(world.status().phase()).isEqualTo("Running");
  }

  @Test
  void theDoneReplicaOfAJobThatIsNotElasticStaysDoneWhenItsGrowthIsTakenBack() {
    World world = grownFrom(2);
    world.exit("worker", 2, 0);
    world.settle();
    second(world).evict();
    run(world);
    assertThat(live(world)).isEqualTo(2);
    assertThat(world.status().aggregate().succeeded()).isEqualTo(1);
    assertThat(world.pods()).as("with its log").containsKey("mnist-12e8d-worker-2");
    second(world).admit(workers(2));
    run(world);
    assertThat(live(world)).isEqualTo(3);
    assertThat(world.status().aggregate().succeeded()).isEqualTo(1);
  }

  /** The done one is the last of the growth, and an earlier one of it runs. */
  @Test
  void aDoneReplicaOfAGrowthThatIsTakenBackStopsNobody() {
    World world = grownFrom(2);
    List<String> first =
        List.of(world.pod("mnist-12e8d-worker-0").uid(), world.pod("mnist-12e8d-worker-1").uid());
    world.exit("worker", 3, 0);
    world.settle();
    second(world).evict();
    run(world);
    assertThat(world.observe().pods())
        .filteredOn(ObservedPod::live)
        .extracting(ObservedPod::uid)
        .containsExactlyInAnyOrderElementsOf(first);
    assertThat(world.status().phase()).isEqualTo("Running");
  }

  /** Its share is not lent to the pod that comes first, which has one of its own. */
  @Test
  void aPodOnANodeThatIsSilentKeepsItsOwnShareFromAReplacement() {
    String scope = "runPolicy: {restartScope: Replica}\n";
    World world = new World(World.workers(2, "OnFailure") + scope).inQueue(QUEUE, WORKLOAD, FACTS);
    world.settle();
    first(world).admit(workers(2));
    run(world);
    world.edit(World.workers(3, "OnFailure") + scope);
    world.settle();
    second(world).admit(workers(1));
    run(world);
    String ofSecond = Objects.requireNonNull(second(world).find()).getMetadata().getUid();
    String ofFirst = Objects.requireNonNull(first(world).find()).getMetadata().getUid();
    // As after a shrink and a growth: 1 is on the later share, 2 on the first.
    world.see(World.ofEntry(world.pod("mnist-12e8d-worker-1"), ofSecond));
    world.see(World.ofEntry(world.pod("mnist-12e8d-worker-2"), ofFirst));
    world.pass(Duration.ofMinutes(10));
    world.settle();
    world.see(world.pod("mnist-12e8d-worker-1").lost(world.now()));
    world.vanish("mnist-12e8d-worker-2");
    world.settle();
    world.pass(Duration.ofSeconds(1));
    world.settle();
    assertThat(world.pods().values())
        .filteredOn(pod -> pod.replica().index() == 2)
        .extracting(ObservedPod::queueEntry)
        .containsExactly(ofFirst);
    assertThat(first(world).status()).doesNotContainKey("reclaimablePods");
    assertThat(second(world).status()).doesNotContainKey("reclaimablePods");
    assertThat(world.status().columns().reason()).isNotEqualTo("WaitingForQueue");
  }

  /** Of the growth that stays, pods with high indexes end, and replacements take their share. */
  @Test
  void aReplacementWaitsForThePodWhoseShareItTakes() {
    World world = grownFrom(2);
    world.edit(World.workers(6, "OnFailure"));
    world.settle();
    third(world).admit(workers(2));
    run(world);
    world.podsEndSlowly();
    second(world).evict();
    world.settle();
    for (int index : List.of(2, 3)) {
      world.vanish("mnist-12e8d-worker-" + index);
      world.settle();
    }
    assertThat(world.pods().values()).as("two run, two end").hasSize(4);
    world.vanish("mnist-12e8d-worker-4");
    world.vanish("mnist-12e8d-worker-5");
    run(world);
    String ofThird = Objects.requireNonNull(third(world).find()).getMetadata().getUid();
    assertThat(world.pods().values())
        .hasSize(4)
        .filteredOn(pod -> pod.replica().index() > 1)
        .hasSize(2)
        .allMatch(pod -> ofThird.equals(pod.queueEntry()));
    assertThat(world.status().phase()).isEqualTo("Running");
    assertThat(world.status().disruptionCount()).isZero();
  }

  /** Without the growth it has fewer than it needs, which is nobody's failure. */
  @Test
  void aJobThatHasTooLittleAfterAPreemptionQueuesAnew() {
    World world = running(2, 2);
    world.edit(elastic(4));
    world.settle();
    second(world).admit(workers(2));
    run(world);
    world.pass(Duration.ofMinutes(10));
    world.exit("worker", 1, 3);
    world.settle();
    assertThat(live(world)).isEqualTo(3);
    second(world).evict();
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Pending");
    assertThat(world.status().columns().reason()).isEqualTo("WaitingForQueue");
    assertThat(live(world)).isZero();
  }

  @Test
  void aPodOnALostNodeThatMayReturnKeepsItsShare() {
    World world = running(4, 4);
    ObservedPod lost = world.pod("mnist-12e8d-worker-3");
    world.see(lost.lost(world.now()));
    world.pass(Duration.ofMinutes(1));
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Running");
    assertThat(first(world).status()).doesNotContainKey("reclaimablePods");
    assertThat(world.pods()).containsKey(lost.name());
    world.see(lost);
    run(world);
    assertThat(first(world).status()).as("it is back").doesNotContainKey("reclaimablePods");
  }

  /** As after a start of the operator between two attempts, when no pod lives. */
  @Test
  void whatBelongsToThePodsStaysWhileTheQueueIsNotKnown() {
    World world =
        new World(elastic(3).replace("Never", "OnFailure") + "scheduler: {volcano: {}}\n")
            .inQueue(QUEUE, WORKLOAD, FACTS);
    world.serve(VOLCANO);
    world.settle();
    first(world).admit(workers(3));
    run(world);
    world.pods().keySet().stream().toList().forEach(world::vanish);
    world.inQueue(QUEUE, null, null);
    world.doNotKnow(QUEUE.kinds());
    world.settle();
    assertThat(world.dependents().keySet()).anyMatch(key -> key.startsWith("PodGroup"));
  }

  /** Kueue frees the quota of what is deactivated at once. */
  @Test
  void thePodsOfAGrowthThatIsGoneLeaveAlthoughTheRingIsForming() {
    World world = running(3, 3);
    world.edit(elastic(5));
    world.settle();
    second(world).admit(workers(2));
    run(world);
    second(world).waits("deactivated");
    world.settle();
    assertThat(live(world)).isEqualTo(3);
  }

  @Test
  void aGrowthThatIsTakenBackIsTold() {
    World world = running(3, 3);
    world.edit(elastic(5));
    world.settle();
    second(world).admit(workers(2));
    run(world);
    world.podsEndSlowly();
    second(world).evict();
    world.settle();
    assertThat(String.valueOf(world.status().conditions()))
        .contains("2 are taken back: LocalQueue research: preempted by job big");
  }

  @Test
  void aJobThatIsNotElasticShrinksByAGrowthThatIsPreemptedAlone() {
    World world = grownFrom(3);

    second(world).evict();
    world.settle();
    assertThat(world.observe().pods())
        .filteredOn(ObservedPod::live)
        .hasSize(3)
        .allMatch(pod -> pod.earlierPods() == 0);
    assertThat(second(world).status()).doesNotContainKey("admission");
    assertThat(second(world).spec()).as("and asks for it again").contains("count=2");

    second(world).admit(workers(2));
    run(world);
    assertThat(live(world)).isEqualTo(5);
    assertThat(world.status().disruptionCount()).isZero();
  }

  /** As after a growth whose Workload somebody has deleted: its pods lose that owner. */
  @Test
  void aPodWithoutAnEntryHoldsUpNoGrowthThatIsToGiveBack() {
    World world = running(3, 3);
    world.edit(elastic(5));
    world.settle();
    second(world).admit(workers(2));
    run(world);
    world.pass(Duration.ofMinutes(10));
    world.disown("worker", 0);

    second(world).evict();
    world.settle();
    assertThat(second(world).status()).doesNotContainKey("admission");
  }

  @Test
  void whatIsNotAdmittedHasNeitherPodGroupNorAutoscaler() {
    String scheduled = elastic(3) + "scheduler: {volcano: {}}\n";
    World world = new World(scheduled).inQueue(QUEUE, WORKLOAD, FACTS);
    world.serve(VOLCANO);
    world.settle();
    assertThat(world.dependents().keySet()).noneMatch(key -> key.startsWith("PodGroup"));
    first(world).admit(workers(3));
    world.settle();
    assertThat(world.dependents().keySet()).anyMatch(key -> key.startsWith("PodGroup"));
  }

  @Test
  void aJobThatHasAllAsksForNothing() {
    World world = running(3, 3);
    assertThat(second(world).find()).isNull();
  }

  @Test
  void whatWaitsFollowsWhatIsWanted() {
    World world = running(3, 3);
    world.edit(elastic(5));
    world.settle();
    assertThat(live(world)).as("not before it is admitted").isEqualTo(3);
    assertThat(second(world).spec()).contains("count=2");

    world.edit(elastic(8));
    world.settle();
    assertThat(second(world).spec()).contains("count=5");

    world.edit(elastic(3));
    world.settle();
    assertThat(second(world).find()).isNull();
    assertThat(live(world)).isEqualTo(3);
  }

  @Test
  void whatCameLastIsGivenBackFirstOnceItsPodsHaveEnded() {
    World world = running(3, 3);
    world.edit(elastic(5));
    world.settle();
    second(world).admit(workers(2));
    run(world);
    world.pass(Duration.ofMinutes(10));
    world.podsEndSlowly();
    world.edit(elastic(4));
    world.settle();
    assertThat(second(world).status())
        .as("the pod still runs")
        .doesNotContainKey("reclaimablePods");

    world.observe().pods().stream()
        .filter(ObservedPod::deleting)
        .forEach(pod -> world.vanish(pod.name()));
    world.settle();
    assertThat(second(world).status().get("reclaimablePods"))
        .isEqualTo(List.of(Map.of("name", "worker", "count", 1)));

    world.pass(Duration.ofMinutes(10));
    world.edit(elastic(3));
    world.settle();
    assertThat(second(world).find()).isNotNull();
    world.observe().pods().stream()
        .filter(ObservedPod::deleting)
        .forEach(pod -> world.vanish(pod.name()));
    world.settle();
    assertThat(second(world).find()).isNull();
    assertThat(first(world).status()).doesNotContainKey("reclaimablePods");
  }

  @Test
  void aPreemptedGrowthShrinksTheJobAndGivesBackOnceItsPodsHaveEnded() {
    World world = running(3, 3);
    world.edit(elastic(5));
    world.settle();
    second(world).admit(workers(2));
    run(world);
    world.pass(Duration.ofMinutes(10));
    world.podsEndSlowly();

    second(world).evict();
    world.settle();
    assertThat(live(world)).isEqualTo(3);
    assertThat(second(world).status()).as("pods still run").containsKey("admission");
    world.observe().pods().stream()
        .filter(ObservedPod::deleting)
        .forEach(pod -> world.vanish(pod.name()));
    world.settle();
    assertThat(second(world).status()).doesNotContainKey("admission");
    assertThat(world.status().phase()).isEqualTo("Running");

    second(world).admit(workers(2));
    run(world);
    assertThat(live(world)).isEqualTo(5);
    assertThat(world.status().backoffCount()).isZero();
    assertThat(world.status().disruptionCount()).isZero();
  }

  @Test
  void aPreemptedJobGivesAllBackOnceItsPodsHaveEnded() {
    World world = running(3, 3);
    world.edit(elastic(5));
    world.settle();
    second(world).admit(workers(2));
    run(world);
    world.podsEndSlowly();

    first(world).evict();
    world.settle();
    assertThat(live(world)).isZero();
    assertThat(second(world).find()).as("pods still run").isNotNull();
    world.observe().pods().forEach(pod -> world.vanish(pod.name()));
    world.settle();
    assertThat(second(world).find()).isNull();
    assertThat(first(world).status()).doesNotContainKey("admission");
    assertThat(first(world).spec()).as("all at once").contains("count=5");
  }

  @Test
  void growthGoesWithAPauseAndWithTheEnd() {
    World world = running(6, 3);
    assertThat(second(world).find()).isNotNull();
    world.edit(elastic(6) + "runMode: {pause: {enabled: true}}\n");
    world.settle();
    assertThat(first(world).find()).isNull();
    assertThat(second(world).find()).isNull();

    world.edit(elastic(6));
    world.settle();
    first(world).admit(workers(3));
    run(world);
    assertThat(second(world).find()).isNotNull();
    world.exit("worker", 0, 0);
    world.exit("worker", 1, 0);
    world.exit("worker", 2, 0);
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Succeeded");
    assertThat(first(world).find()).isNull();
    assertThat(second(world).find()).isNull();
  }

  @Test
  void anElasticJobHasStartedOnceItsLeastNumberRuns() {
    World world = new World(elastic(4)).inQueue(QUEUE, WORKLOAD, FACTS);
    world.settle();
    first(world).admit(workers(4));
    world.settle();
    world.run("worker", 0);
    world.settle();
    assertThat(String.valueOf(first(world).status())).doesNotContain("type=PodsReady");
    world.run("worker", 1);
    world.settle();
    assertThat(String.valueOf(first(world).status())).contains("type=PodsReady");
  }

  @Test
  void theShareOfADoneReplicaOfAnElasticJobIsGivenBackAndTheJobKeepsItsReplicas() {
    World world = running(4, 4);
    world.exit("worker", 3, 0);
    world.settle();
    assertThat(first(world).status().get("reclaimablePods"))
        .isEqualTo(List.of(Map.of("name", "worker", "count", 1)));
    assertThat(world.observe().pods()).hasSize(4);
    assertThat(second(world).find()).as("nothing is missing").isNull();
    assertThat(live(world)).isEqualTo(3);
    assertThat(world.status().phase()).isEqualTo("Running");
  }

  @Test
  void anEndedJobGivesBackTheSharesOfPodsThatHaveEnded() {
    World world =
        new World(World.workers(3, "Never") + "runPolicy: {cleanUpPolicy: None}\n")
            .inQueue(QUEUE, WORKLOAD, FACTS);
    world.settle();
    first(world).admit(workers(3));
    run(world);
    world.exit("worker", 0, 0);
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Succeeded");
    assertThat(first(world).status().get("reclaimablePods"))
        .isEqualTo(List.of(Map.of("name", "worker", "count", 1)));
    assertThat(live(world)).isEqualTo(2);
  }

  @Test
  void aRunningJobSaysWhatItStillWaitsFor() {
    World world = running(6, 3);
    second(world).waits("couldn't assign flavors to pod set worker");
    world.settle();
    assertThat(String.valueOf(world.status().conditions()))
        .contains(
            "3 of 3 pods run; 3 more wait: LocalQueue research: couldn't assign flavors to pod"
                + " set worker");
  }

  /** Preempted while the ring forms, in which nothing may leave: the others go on. */
  @Test
  void aGrowthThatIsPreemptedAtOnceDoesNotStopTheJob() {
    World world = running(3, 3);
    world.edit(elastic(5));
    world.settle();
    second(world).admit(workers(2));
    run(world);
    second(world).evict();
    world.settle();
    assertThat(live(world)).as("at once: another job waits for the share").isEqualTo(3);
    world.pass(Duration.ofMinutes(10));
    world.settle();
    assertThat(live(world)).isEqualTo(3);
    assertThat(world.observe().pods())
        .filteredOn(ObservedPod::live)
        .allMatch(pod -> pod.earlierPods() == 0);
    assertThat(second(world).status()).doesNotContainKey("admission");
  }

  @Test
  void thePodsOfAPreemptedGrowthLeaveWhateverTheOthersDo() {
    World world = running(3, 3);
    world.edit(elastic(5));
    world.settle();
    second(world).admit(workers(2));
    run(world);
    world.pass(Duration.ofMinutes(10));
    world.unready("worker", 1);
    second(world).evict();
    world.settle();
    assertThat(world.observe().pods())
        .filteredOn(ObservedPod::live)
        .extracting(ObservedPod::name)
        .containsExactly("mnist-12e8d-worker-0", "mnist-12e8d-worker-1", "mnist-12e8d-worker-2");
  }

  @Test
  void aGrowthHasStartedOnceItsOwnPodsHave() {
    World world = running(3, 3);
    world.edit(elastic(5));
    world.settle();
    second(world).admit(workers(2));
    world.settle();
    world.unready("worker", 1);
    world.run("worker", 3);
    world.run("worker", 4);
    world.settle();
    assertThat(String.valueOf(second(world).status())).contains("type=PodsReady");
  }

  @Test
  void anEndedJobStopsWhatItKeepsWhenItsQueueWantsTheShareBack() {
    World world =
        new World(World.workers(3, "Never") + "runPolicy: {cleanUpPolicy: None}\n")
            .inQueue(QUEUE, WORKLOAD, FACTS);
    world.settle();
    first(world).admit(workers(3));
    run(world);
    world.exit("worker", 0, 0);
    world.settle();
    assertThat(live(world)).isEqualTo(2);
    first(world).evict();
    world.settle();
    assertThat(live(world)).isZero();
    assertThat(first(world).find()).isNull();
    assertThat(world.status().phase()).isEqualTo("Succeeded");
  }

  @Test
  void aReadmittedJobHasNoMorePodsThanShares() {
    World world = running(6, 6);
    world.exit("worker", 4, 0);
    world.exit("worker", 5, 0);
    world.settle();
    first(world).evict();
    world.settle();
    assertThat(live(world)).isZero();
    first(world).admit(workers(2));
    world.settle();
    assertThat(live(world)).isEqualTo(2);
  }

  @Test
  void aGrowthThatOnlyWaitsGoesWithTheEnd() {
    World world = running(6, 3);
    world.podsEndSlowly();
    assertThat(second(world).find()).isNotNull();
    world.edit(elastic(6) + "runMode: {pause: {enabled: true}}\n");
    world.settle();
    assertThat(second(world).find()).as("pods still end").isNull();
    assertThat(first(world).find()).isNotNull();
  }

  /** As after a start of the operator. */
  @Test
  void whileNothingIsKnownOfItsQueueAGrownJobStaysWhatItIs() {
    World world = running(6, 3);
    second(world).admit(workers(2));
    run(world);
    assertThat(live(world)).isEqualTo(5);
    world.pass(Duration.ofMinutes(10));

    world.inQueue(QUEUE, WORKLOAD, null);
    world.settle();
    assertThat(live(world)).isEqualTo(5);
    assertThat(second(world).find()).isNotNull();
    assertThat(third(world).find()).as("it goes on waiting").isNotNull();

    world.inQueue(QUEUE, null, null);
    world.doNotKnow(QUEUE.kinds());
    world.settle();
    assertThat(live(world)).isEqualTo(5);
    assertThat(world.status().replicas()).as("no more are wanted").isEqualTo(5);
    world.inQueue(QUEUE, WORKLOAD, FACTS);
    world.doNotKnow(List.of());
    world.settle();
    assertThat(live(world)).isEqualTo(5);
  }
}
