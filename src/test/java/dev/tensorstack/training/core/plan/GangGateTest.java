package dev.tensorstack.training.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.ObservedServices;
import dev.tensorstack.training.core.observe.RefusedWrites;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.world.PodGroupOf;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GangGateTest {

  private static TrainingJob job(String scheduler) {
    return new World(World.workers(2, "Never") + "scheduler: {" + scheduler + "}\n").job();
  }

  private static GangGate gate(TrainingJob job, ObservedDependents dependents) {
    return gate(job, dependents, RefusedWrites.NONE);
  }

  private static GangGate gate(
      TrainingJob job, ObservedDependents dependents, RefusedWrites refused) {
    return GangGate.of(
        new Observation(job, List.of(), ObservedServices.NONE, Set.of(), refused, dependents));
  }

  private static String why(GangGate gate) {
    return ((GangGate.Closed) gate).why();
  }

  @Test
  void aJobWithoutAGangSchedulerWaitsForNothing() {
    assertThat(gate(job(""), ObservedDependents.NONE)).isEqualTo(GangGate.OPEN);
  }

  @ParameterizedTest
  @CsvSource({
    "t9kScheduler, podgroups.scheduler.tensorstack.dev, (v1beta1)",
    "volcano,      podgroups.scheduling.volcano.sh,     (v1beta1)",
    "coscheduling, podgroups.scheduling.x-k8s.io,       (v1alpha1)",
    "kubernetes,   feature gate GenericWorkload,        '(v1beta1, v1alpha3, v1alpha2)'",
  })
  void aKindThatIsNotServedIsNamedWithWhatToDo(String member, String remedy, String versions) {
    assertThat(why(gate(job(member + ": {}"), ObservedDependents.NONE)))
        .contains("the cluster does not serve PodGroup.", remedy, versions, "starts by itself");
  }

  @Test
  void podsWaitUntilTheirGroupIsThereAndTheOneBeforeIsGone() {
    TrainingJob job = job("kubernetes: {}");
    ObjectKind kind = job.spec().scheduler().kinds().get(2);
    GenericKubernetesResource group = PodGroupOf.job(job, kind, 0);
    WriteFailure refused =
        new WriteFailure(
            ObjectWrite.of(kind, job.names().podGroup()),
            WriteFailure.Kind.FORBIDDEN,
            "not allowed",
            World.START);

    assertThat(gate(job, new ObservedDependents(List.of(), null, Set.of(kind), Set.of())))
        .as("not known yet whether it is served")
        .isEqualTo(new GangGate.Opening());
    assertThat(gate(job, new ObservedDependents(List.of(), kind, Set.of(), Set.of())))
        .as("being created")
        .isEqualTo(new GangGate.Opening());
    assertThat(
            why(
                gate(
                    job,
                    new ObservedDependents(List.of(), kind, Set.of(), Set.of()),
                    RefusedWrites.of(List.of(refused)))))
        .contains("PodGroup.scheduling.k8s.io mnist-12e8d", "not allowed");
    assertThat(gate(job, new ObservedDependents(List.of(group), kind, Set.of(), Set.of())))
        .isEqualTo(GangGate.OPEN);
    group.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
    assertThat(why(gate(job, new ObservedDependents(List.of(group), kind, Set.of(), Set.of()))))
        .contains("mnist-12e8d is still being deleted");
  }
}
