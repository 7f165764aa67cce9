package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.queue.KueueQueue;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A job in a queue, as contract section 10 promises it. */
class HeldJobTest {

  private static final KueueQueue QUEUE = new KueueQueue("research", null, false);
  private static final ObjectKind WORKLOAD = QUEUE.kinds().get(0);
  private static final String ENTRY = "Workload.kueue.x-k8s.io mnist-12e8d";
  private static final String PAUSE = "runMode: {pause: {enabled: true}}\n";
  private static final String THREE = World.workers(3, "Never");
  private static final QueueFacts FACTS =
      new QueueFacts(
          Map.of("a100", new QueueFacts.Flavor(Map.of("gpu", "a100"), List.of())),
          Map.of(),
          QueueFacts.NONE.podPriorities());

  private static World queued(String spec) {
    return new World(spec).inQueue(QUEUE, WORKLOAD, FACTS);
  }

  private static KueueWorkloads workload(World world) {
    return new KueueWorkloads(world, "mnist-12e8d");
  }

  private static @Nullable GenericKubernetesResource entry(World world) {
    return workload(world).find();
  }

  private static void waits(World world, String words) {
    workload(world).waits(words);
  }

  private static void admit(World world, int pods) {
    workload(world).admit(Map.of("worker", pods));
  }

  private static void evict(World world) {
    workload(world).evict();
  }

  private static Map<String, Object> statusOf(World world) {
    return workload(world).status();
  }

  private static JobCondition running(World world) {
    return condition(world, "Running");
  }

  private static JobCondition condition(World world, String type) {
    return Objects.requireNonNull(world.status().conditions()).stream()
        .filter(condition -> type.equals(condition.type()))
        .findFirst()
        .orElseThrow();
  }

  /** A job whose pods run. */
  private static World running(String spec, int pods) {
    World world = queued(spec);
    world.settle();
    admit(world, pods);
    world.settle();
    world.allRun();
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Running");
    return world;
  }

  @Test
  void noPodExistsBeforeTheJobIsAdmittedAndTheReasonHasTheQueuesWords() {
    World world = queued(THREE);
    world.settle();
    assertThat(world.observe().pods()).isEmpty();
    assertThat(entry(world)).isNotNull();

    waits(world, "insufficient unused quota for nvidia.com/gpu");
    world.settle();

    assertThat(world.observe().pods()).isEmpty();
    assertThat(world.status().phase()).isEqualTo("Pending");
    assertThat(world.status().startTime()).isNull();
    assertThat(running(world).reason()).isEqualTo("WaitingForQueue");
    assertThat(running(world).message())
        .isEqualTo("LocalQueue research: insufficient unused quota for nvidia.com/gpu");

    admit(world, 3);
    world.settle();
    assertThat(world.observe().pods()).hasSize(3);
  }

  @Test
  void whereTheClusterServesNoQueueTheLabelChangesNothing() {
    World world = new World(THREE).inQueue(QUEUE, null, null);
    world.settle();
    assertThat(world.observe().pods()).hasSize(3);
    assertThat(entry(world)).isNull();
  }

  @Test
  void aJobWhoseQueueIsNotKnownYetIsLeftAsItIs() {
    World waiting = new World(THREE).inQueue(QUEUE, null, null);
    waiting.doNotKnow(QUEUE.kinds());
    waiting.settle();
    assertThat(waiting.observe().pods()).isEmpty();

    World running = running(THREE, 3);
    running.inQueue(QUEUE, null, null);
    running.doNotKnow(QUEUE.kinds());
    running.settle();
    assertThat(running.observe().pods()).hasSize(3);
    running.inQueue(QUEUE, WORKLOAD, null);
    running.doNotKnow(List.of());
    running.settle();
    assertThat(running.observe().pods()).hasSize(3);
    assertThat(entry(running)).isNotNull();
  }

  @Test
  void aPreemptedJobEndsItsPodsGivesBackItsShareWaitsAndComesBackForNothing() {
    World world = running(THREE, 3);
    evict(world);

    Plan stops = world.plan();
    assertThat(stops.actions()).hasOnlyElementsOfType(PlannedAction.DeletePod.class).hasSize(3);
    world.podsEndSlowly();
    world.settle();
    assertThat(running(world).reason()).isEqualTo("WaitingForQueue");
    assertThat(running(world).message()).contains("preempted by job big", "are being stopped");
    assertThat(statusOf(world)).as("the pods still run").containsKey("admission");

    world.observe().pods().forEach(pod -> world.vanish(pod.name()));
    world.settle();
    assertThat(statusOf(world)).doesNotContainKey("admission");
    assertThat(String.valueOf(statusOf(world).get("conditions")))
        .contains("type=Requeued", "status=True, reason=Preempted");
    assertThat(world.status().phase()).isEqualTo("Pending");
    assertThat(condition(world, "Initialized").status()).isEqualTo("False");
    assertThat(running(world).message()).contains("preempted by job big");
    assertThat(world.observe().pods()).isEmpty();

    admit(world, 3);
    world.settle();
    assertThat(world.observe().pods())
        .extracting(ObservedPod::name)
        .containsExactly(
            "mnist-12e8d-worker-0-r1", "mnist-12e8d-worker-1-r1", "mnist-12e8d-worker-2-r1");
    assertThat(world.status().backoffCount()).isZero();
    assertThat(world.status().disruptionCount()).isZero();
    world.allRun();
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Running");
  }

  @Test
  void aJobWhosePlaceInTheQueueIsTakenAwayStopsAndQueuesAnew() {
    World world = running(THREE, 3);
    world.dependents().remove(ENTRY);
    world.settle();
    assertThat(world.observe().pods()).isEmpty();
    assertThat(entry(world)).as("a new place").isNotNull();
    assertThat(running(world).reason()).isEqualTo("WaitingForQueue");
    admit(world, 3);
    world.settle();
    assertThat(world.observe().pods()).hasSize(3);
  }

  @Test
  void aPauseGivesTheShareBackOnceThePodsHaveEndedAndAResumeQueuesAnew() {
    World world = running(THREE, 3);
    world.edit(THREE + PAUSE);
    world.podsEndSlowly();
    world.settle();
    assertThat(entry(world)).as("the pods still run").isNotNull();

    world.observe().pods().forEach(pod -> world.vanish(pod.name()));
    world.settle();
    assertThat(entry(world)).isNull();
    assertThat(world.status().phase()).isEqualTo("Paused");

    world.edit(THREE);
    world.settle();
    assertThat(world.observe().pods()).isEmpty();
    assertThat(entry(world)).isNotNull();
    admit(world, 3);
    world.settle();
    assertThat(world.observe().pods()).hasSize(3);
  }

  @Test
  void aUserMayPauseAJobThatItsQueueHolds() {
    World world = running(THREE, 3);
    evict(world);
    world.settle();
    world.edit(THREE + PAUSE);
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Paused");
    assertThat(entry(world)).isNull();
    assertThat(world.status().history())
        .as("nothing ran any more when it was paused")
        .singleElement()
        .satisfies(
            stretch -> {
              assertThat(stretch.end()).isEqualTo("Queued");
              assertThat(stretch.running()).isEqualTo(3);
            });
    world.edit(THREE);
    world.settle();
    admit(world, 3);
    world.settle();
    assertThat(world.observe().pods()).hasSize(3);
  }

  @Test
  void theShareOfADoneReplicaIsGivenBackAndAnAttemptThatNeedsItQueuesAnew() {
    String spec =
        World.workers(3, "OnFailure") + "runPolicy: {backoffLimit: 2, restartScope: Job}\n";
    World world = running(spec, 3);
    world.exit("worker", 2, 0);
    world.settle();
    assertThat(statusOf(world).get("reclaimablePods"))
        .isEqualTo(List.of(Map.of("name", "worker", "count", 1)));
    assertThat(world.status().phase()).isEqualTo("Running");

    GenericKubernetesResource first = entry(world);
    world.exit("worker", 1, 1);
    world.settle();
    world.settle();
    assertThat(world.observe().pods()).as("all start anew").noneMatch(ObservedPod::live);
    assertThat(entry(world)).as("another place in the queue").isNotNull().isNotSameAs(first);
    assertThat(running(world).reason()).isEqualTo("WaitingForQueue");
    assertThat(world.status().backoffCount()).isEqualTo(1);

    admit(world, 3);
    world.pass(Duration.ofMinutes(1));
    world.settle();
    assertThat(world.observe().pods()).filteredOn(ObservedPod::live).hasSize(3);
    assertThat(world.status().backoffCount()).isEqualTo(1);
  }

  @Test
  void anEndedJobGivesItsShareBackOnceThePodsHaveEnded() {
    World world = running(THREE, 3);
    world.exit("worker", 0, 0);
    world.step();
    assertThat(world.status().phase()).isEqualTo("Succeeded");
    assertThat(entry(world)).as("workers still run").isNotNull();
    world.exit("worker", 1, 0);
    world.exit("worker", 2, 0);
    world.settle();
    assertThat(entry(world)).isNull();
  }

  @Test
  void anElasticJobStartsWithWhatFits() {
    World world =
        queued(
            THREE
                + "torchrunConfig: {enabled: true}\n"
                + "elastic: {enabled: true, minReplicas: 2, maxReplicas: 5, expectedReplicas:"
                + " 5}\n");
    world.settle();
    assertThat(workload(world).spec()).contains("count=5", "minCount=2");
    admit(world, 3);
    world.settle();
    assertThat(world.observe().pods()).hasSize(3);
    world.allRun();
    world.settle();
    assertThat(world.status().phase()).isEqualTo("Running");
  }

  /** An admission check that wants to try again, or a preemption before the first pod. */
  @Test
  void anEvictionThatFindsNoPodIsGivenBackToo() {
    World world = queued(THREE);
    world.settle();
    admit(world, 3);
    evict(world);
    world.settle();
    assertThat(statusOf(world)).doesNotContainKey("admission");
    assertThat(world.observe().pods()).isEmpty();
    assertThat(running(world).reason()).isEqualTo("WaitingForQueue");
    admit(world, 3);
    world.settle();
    assertThat(world.observe().pods()).hasSize(3);
  }

  @Test
  void anEvictedJobStopsAlsoWhileNothingIsKnownOfItsNodes() {
    World world = running(THREE, 3);
    evict(world);
    world.inQueue(QUEUE, WORKLOAD, QueueFacts.NONE);
    world.settle();
    assertThat(world.observe().pods()).isEmpty();
    assertThat(statusOf(world)).doesNotContainKey("admission");
  }

  @Test
  void aJobAdmittedToUnknownNodesWaitsAndSaysWhy() {
    World world = queued(THREE).inQueue(QUEUE, WORKLOAD, QueueFacts.NONE);
    world.settle();
    admit(world, 3);
    world.settle();
    assertThat(world.observe().pods()).isEmpty();
    assertThat(running(world).message()).contains("a100", "may the operator list them");
  }

  @Test
  void aResumeWaitsUntilThePlaceOfBeforeIsGone() {
    World world = running(THREE, 3);
    GenericKubernetesResource before = Objects.requireNonNull(entry(world));
    world.edit(THREE + PAUSE);
    world.settle();
    assertThat(entry(world)).isNull();
    world.dependents().put(ENTRY, before); // the watch has not told of the deletion
    world.edit(THREE);
    Plan plan = world.plan();
    assertThat(plan.actions())
        .hasOnlyElementsOfType(PlannedAction.DeleteDependent.class)
        .hasSize(1);
    world.settle();
    assertThat(world.observe().pods()).isEmpty();
    assertThat(entry(world)).isNotSameAs(before);
  }

  @Test
  void theJobGoesAtTheEndOfItsTimeToLiveOnceItsPodsHaveEnded() {
    World world =
        running(THREE + "runPolicy: {ttlSecondsAfterFinished: 0, cleanUpPolicy: None}\n", 3);
    world.podsEndSlowly();
    world.exit("worker", 0, 0);
    world.step();
    assertThat(world.step().actions()).noneMatch(PlannedAction.DeleteJob.class::isInstance);
    assertThat(world.observe().pods()).filteredOn(pod -> !pod.ended()).hasSize(2);
    assertThat(world.observe().pods())
        .filteredOn(pod -> !pod.ended())
        .allMatch(ObservedPod::deleting);
    assertThat(entry(world)).isNotNull();
    world.vanish("mnist-12e8d-worker-1");
    world.vanish("mnist-12e8d-worker-2");
    assertThat(world.plan().actions()).anyMatch(PlannedAction.DeleteJob.class::isInstance);
  }
}
