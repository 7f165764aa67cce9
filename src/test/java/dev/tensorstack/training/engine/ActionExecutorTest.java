package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.plan.PlannedAction;
import dev.tensorstack.training.core.pod.PodFactory;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What of plans is sent when plans change. The job is gone: nothing gets as far as a request. */
class ActionExecutorTest {

  private static final int AT_ONCE = 4;

  private final KubernetesClient client = new KubernetesClientBuilder().build();
  private final ArrayDeque<Runnable> started = new ArrayDeque<>();
  private final TrainingJob job = new World(World.workers(2, "Never")).job();
  private final JobMemory memory = new JobMemory();
  private final ActionExecutor executor =
      new ActionExecutor(
          client,
          new FairWriteQueue(AT_ONCE, started::add, Clock.systemUTC()),
          Clock.systemUTC(),
          new ActionExecutor.WriteListener() {
            @Override
            public void podCreated(Pod pod) {}

            @Override
            public void podFound(Pod pod) {}

            @Override
            public void podDeleted() {}

            @Override
            public void enqueue(TrainingJob again) {}
          },
          any -> false);

  @AfterEach
  void close() {
    client.close();
  }

  private static PlannedAction creation(int index, int attempt) {
    return new PlannedAction.CreatePod(
        new ReplicaId("worker", index), "w-" + index, 0, attempt, RunModeKind.TRAIN);
  }

  private static List<PlannedAction> creations(int count, int attempt) {
    return IntStream.range(0, count).mapToObj(i -> creation(i, attempt)).toList();
  }

  private void execute(List<PlannedAction> actions) {
    ReplicaLayout layout = ReplicaLayout.of(job.spec());
    executor.execute(
        job,
        memory,
        actions,
        () -> new PodFactory(job, layout, AcceleratorResources.DEFAULT, null, null));
  }

  @Test
  void aCreationThatIsNotWantedAnyMoreIsCalledBackAndNotExpected() {
    memory.expectations().look();
    execute(creations(20, 0));
    assertThat(memory.expectations().look()).containsExactlyInAnyOrder("w-0", "w-1", "w-2", "w-3");
    assertThat(memory.expectations().isCreating()).isTrue();

    assertThat(executor.cancelUnwanted(job, memory, List.of())).isTrue();
    for (int i = 0; i < AT_ONCE; i++) {
      started.removeFirst().run();
    }

    assertThat(memory.expectations().isCreating()).isFalse();
    assertThat(started).isEmpty();
  }

  @Test
  void whatBeganSinceTheLookAndIsNotWantedHasThePlanMadeAnew() {
    memory.expectations().look();
    execute(creations(20, 0));
    assertThat(executor.cancelUnwanted(job, memory, creations(20, 0))).isTrue();
    assertThat(executor.cancelUnwanted(job, memory, creations(20, 1)))
        .as("another attempt")
        .isFalse();
    memory.expectations().look();
    assertThat(executor.cancelUnwanted(job, memory, creations(20, 1))).isTrue();
  }

  @Test
  void whatTheSamePlanWantsAgainIsSentOnce() {
    memory.expectations().look();
    execute(creations(6, 0));
    execute(creations(6, 0));
    memory.expectations().look();
    execute(creations(6, 0).subList(AT_ONCE, 6));
    assertThat(started).hasSize(AT_ONCE);
    assertThat(memory.expectations().knows((PlannedAction.CreatePod) creation(5, 0))).isTrue();
    assertThat(memory.expectations().knows((PlannedAction.CreatePod) creation(0, 0))).isFalse();
  }

  @Test
  void nothingIsSentForAJobThatIsGone() {
    memory.expectations().look();
    execute(creations(500, 0));
    while (!started.isEmpty()) {
      started.removeFirst().run();
    }
    assertThat(memory.expectations().isCreating()).isFalse();
    assertThat(memory.refusals().known().isEmpty()).isTrue();
  }

  @Test
  void whatTheQueueDoesNotKnowYetNeedsAJobThatIsFresh() {
    PlannedAction deletion = new PlannedAction.DeletePod("w-0", "uid");
    assertThat(ActionExecutor.wouldBegin(job, memory, List.of(deletion))).isTrue();
    assertThat(memory.expectations().deleting("uid", "w-0", false)).isTrue();
    assertThat(ActionExecutor.wouldBegin(job, memory, List.of(deletion))).isFalse();

    memory.expectations().look();
    assertThat(ActionExecutor.wouldBegin(job, memory, creations(6, 0))).isTrue();
    execute(creations(6, 0));
    assertThat(ActionExecutor.wouldBegin(job, memory, creations(6, 0))).isFalse();
    assertThat(ActionExecutor.wouldBegin(job, memory, creations(7, 0))).isTrue();
  }

  @Test
  void objectsBesideThePodsNeedAFreshJobToo() {
    memory.expectations().look();
    List<PlannedAction> service = List.of(new PlannedAction.CreateService("mnist", null));
    assertThat(ActionExecutor.wouldBegin(job, memory, service)).isTrue();
    execute(service);
    assertThat(ActionExecutor.wouldBegin(job, memory, service)).as("sent").isFalse();

    PlannedAction.UnpublishPod pod = new PlannedAction.UnpublishPod("w-0", "uid");
    assertThat(ActionExecutor.wouldBegin(job, memory, List.of(pod))).isTrue();
    memory.unpublishing().begin("uid");
    assertThat(ActionExecutor.wouldBegin(job, memory, List.of(pod))).isFalse();

    PlannedAction.ApplyDependent beside =
        new PlannedAction.ApplyDependent(ObjectKind.AUTOSCALER, autoscaler());
    assertThat(ActionExecutor.wouldBegin(job, memory, List.of(beside))).isTrue();
    memory.dependents().begin(beside.write(job));
    assertThat(ActionExecutor.wouldBegin(job, memory, List.of(beside))).isFalse();
  }

  /** One that waits for its turn is known, and forgotten when it is called back. */
  @Test
  void aServiceThatIsCalledBackIsNotExpected() {
    memory.expectations().look();
    execute(
        Stream.concat(
                creations(AT_ONCE, 0).stream(),
                Stream.of(new PlannedAction.CreateService("mnist", null)))
            .toList());
    List<PlannedAction> service = List.of(new PlannedAction.CreateService("mnist", null));
    assertThat(ActionExecutor.wouldBegin(job, memory, service)).as("it waits").isFalse();
    executor.cancelUnwanted(job, memory, creations(AT_ONCE, 0));
    assertThat(ActionExecutor.wouldBegin(job, memory, service)).as("called back").isTrue();
  }

  private static GenericKubernetesResource autoscaler() {
    GenericKubernetesResource object = new GenericKubernetesResource();
    object.setMetadata(new ObjectMetaBuilder().withName("mnist").build());
    return object;
  }
}
