package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.plan.PlannedAction;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What is sent of the objects beside the pods, and of the pods that leave the Service, when plans
 * change and jobs go. There is no API server: what was sent would be refused, and told.
 */
class BesideWritesTest {

  private final KubernetesClient client =
      new KubernetesClientBuilder()
          .editOrNewConfig()
          .withMasterUrl("http://127.0.0.1:1")
          .withRequestRetryBackoffLimit(0)
          .endConfig()
          .build();
  private final ArrayDeque<Runnable> started = new ArrayDeque<>();
  private final FairWriteQueue queue = new FairWriteQueue(1, started::add, Clock.systemUTC());
  private final TrainingJob job = new World(World.workers(2, "Never")).job();
  private final JobMemory memory = new JobMemory();
  private boolean isThere = true;
  private int looks;

  private final DependentWriter dependents =
      new DependentWriter(
          client,
          queue,
          Clock.systemUTC(),
          new DependentWriter.Listener() {
            @Override
            public void written(ObjectKind kind, GenericKubernetesResource answer) {}

            @Override
            public void enqueue(TrainingJob again) {
              looks++;
            }
          },
          any -> isThere);

  private final PodUnpublisher unpublisher =
      new PodUnpublisher(
          client,
          queue,
          Clock.systemUTC(),
          new PodUnpublisher.Listener() {
            @Override
            public void stillPublished(TrainingJob told, String message) {}

            @Override
            public void enqueue(TrainingJob again) {
              looks++;
            }
          },
          any -> isThere);

  @AfterEach
  void close() {
    client.close();
  }

  private static PlannedAction.ApplyDependent apply(String name) {
    GenericKubernetesResource object = new GenericKubernetesResource();
    object.setApiVersion(ObjectKind.AUTOSCALER.apiVersion());
    object.setKind(ObjectKind.AUTOSCALER.kind());
    object.setMetadata(new ObjectMetaBuilder().withName(name).build());
    return new PlannedAction.ApplyDependent(ObjectKind.AUTOSCALER, object);
  }

  private void runAll() {
    while (!started.isEmpty()) {
      started.removeFirst().run();
    }
  }

  private boolean isUnderWay(String name) {
    return memory.dependents().isWriting(apply(name).write(job));
  }

  @Test
  void whatWaitsAndIsNotWantedAnyMoreIsCalledBack() {
    dependents.execute(job, memory.dependents(), List.of(apply("a"), apply("b"), apply("c")));
    assertThat(started).as("the first is under way").hasSize(1);
    dependents.cancelUnwanted(job, List.of(apply("b")));

    assertThat(isUnderWay("a")).as("what is sent cannot be called back").isTrue();
    assertThat(isUnderWay("b")).isTrue();
    assertThat(isUnderWay("c")).isFalse();
    assertThat(memory.refusals().known().isEmpty()).isTrue();
  }

  @Test
  void nothingIsWrittenForAJobThatIsGone() {
    dependents.execute(job, memory.dependents(), List.of(apply("a"), apply("b")));
    isThere = false;
    runAll();

    assertThat(looks).as("nothing was sent, so nothing was refused").isZero();
    assertThat(memory.refusals().known().isEmpty()).isTrue();
    assertThat(isUnderWay("a")).isFalse();
    assertThat(isUnderWay("b")).isFalse();
  }

  /** The watch may show it as it was for a while. */
  @Test
  void anObjectWhoseDeletionWasAcceptedIsNotAskedToGoAgain() {
    PlannedAction.DeleteDependent deletion =
        new PlannedAction.DeleteDependent(ObjectKind.AUTOSCALER, "a", "uid-a");
    assertThat(ActionExecutor.wouldBegin(job, memory, List.of(deletion))).isTrue();
    memory.dependents().deleted(deletion.write(job), "uid-a");

    dependents.execute(job, memory.dependents(), List.of(deletion));
    assertThat(started).isEmpty();
    assertThat(ActionExecutor.wouldBegin(job, memory, List.of(deletion))).isFalse();
    PlannedAction.DeleteDependent another =
        new PlannedAction.DeleteDependent(ObjectKind.AUTOSCALER, "a", "uid-b");
    dependents.execute(job, memory.dependents(), List.of(another));
    assertThat(started).as("its successor is another object").hasSize(1);
  }

  @Test
  void theSameHoldsForPodsThatLeaveTheService() {
    PlannedAction.UnpublishPod first = new PlannedAction.UnpublishPod("w-0", "uid-0");
    PlannedAction.UnpublishPod second = new PlannedAction.UnpublishPod("w-1", "uid-1");
    unpublisher.execute(job, memory.unpublishing(), List.of(first, second));
    unpublisher.cancelUnwanted(job, List.of());
    assertThat(memory.unpublishing().isBegun("uid-0")).as("sent").isTrue();
    assertThat(memory.unpublishing().isBegun("uid-1")).as("called back").isFalse();
    isThere = false;
    runAll();

    assertThat(looks).isZero();
    assertThat(memory.unpublishing().isBegun("uid-0")).isFalse();
  }
}
