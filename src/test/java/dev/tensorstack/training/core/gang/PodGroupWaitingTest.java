package dev.tensorstack.training.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.GangScheduler;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodGroupWaitingTest {

  private static final String T9K = "scheduler.tensorstack.dev/v1beta1";
  private static final String VOLCANO = "scheduling.volcano.sh/v1beta1";
  private static final String COSCHEDULING = "scheduling.x-k8s.io/v1alpha1";
  private static final String NATIVE = "scheduling.k8s.io/v1alpha2";
  private static final String NEWER = "scheduling.k8s.io/v1beta1";
  private static final String NOTHING = "-";

  private static GangScheduler scheduler(String apiVersion) {
    return Stream.of(
            new T9kGang("default", 10),
            new VolcanoGang(null, null),
            new CoschedulingGang(null, null),
            new KubernetesGang())
        .filter(one -> one.kinds().stream().anyMatch(k -> k.apiVersion().equals(apiVersion)))
        .findFirst()
        .orElseThrow();
  }

  private static String waiting(String apiVersion, String status) {
    GenericKubernetesResource group =
        Serialization.unmarshal(
            "apiVersion: "
                + apiVersion
                + "\nkind: PodGroup\nmetadata: {name: mnist-12e8d}\nspec: {minMember: 3}\n"
                + (status.isEmpty() ? "" : "status: " + status),
            GenericKubernetesResource.class);
    return Objects.requireNonNullElse(scheduler(apiVersion).waiting(group), NOTHING);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // nothing has been said yet, or not in a way that can be read
        T9K + " | `` | -",
        T9K + " | {} | -",
        T9K + " | {conditions: null} | -",
        T9K + " | {conditions: [null, {}, 3]} | -",
        VOLCANO + " | `` | -",
        NATIVE + " | {conditions: []} | -",
        // T9k
        T9K
            + " | {pending: 3, conditions: [{type: SufficientGroupMember, status: 'False', reason: NotEnoughPods, message: 1 of 3 pods}, {type: GroupScheduled, status: 'False', reason: Waiting}]} | NotEnoughPods: 1 of 3 pods",
        T9K
            + " | {pending: 3, conditions: [{type: SufficientGroupMember, status: 'True'}, {type: GroupScheduled, status: 'False', reason: Unschedulable, message: no free GPU}]} | Unschedulable: no free GPU",
        T9K
            + " | {conditions: [{type: GroupScheduled, status: 'False'}]} | GroupScheduled is False",
        T9K
            + " | {conditions: [{type: GroupScheduled, status: 'False', reason: NoQuota}]} | NoQuota",
        T9K
            + " | {conditions: [{type: SufficientGroupMember, status: 'False', reason: Left}, {type: GroupScheduled, status: 'True'}]} | -",
        // Volcano
        VOLCANO + " | {phase: Pending} | the PodGroup is Pending: its queue has no room yet",
        VOLCANO + " | {phase: Inqueue} | -",
        VOLCANO
            + " | {phase: Pending, conditions: [{type: Unschedulable, status: 'True', transitionID: a, lastTransitionTime: '2026-01-01T00:00:00Z', reason: NotEnoughResources, message: '1/3 tasks in gang unschedulable: pod group is not ready'}]} | NotEnoughResources: 1/3 tasks in gang unschedulable: pod group is not ready",
        VOLCANO
            + " | {phase: Running, conditions: [{type: Unschedulable, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: NotEnoughResources}, {type: Scheduled, status: 'True', lastTransitionTime: '2026-01-01T00:00:05Z', reason: tasks in gang are ready to be scheduled}]} | -",
        VOLCANO
            + " | {phase: Unknown, conditions: [{type: Scheduled, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z'}, {type: Unschedulable, status: 'True', lastTransitionTime: '2026-01-01T00:00:05Z', reason: NotEnoughTasks, message: 2/3 tasks}]} | NotEnoughTasks: 2/3 tasks",
        VOLCANO
            + " | {phase: Running, conditions: [{type: Unschedulable, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: NotEnoughTasks}, {type: Scheduled, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z'}]} | -",
        VOLCANO
            + " | {phase: Running, conditions: [{type: Unschedulable, status: 'True', lastTransitionTime: soon, reason: NotEnoughTasks}]} | NotEnoughTasks",
        // coscheduling: its status is no truth
        COSCHEDULING + " | {phase: Failed, scheduled: 0} | -",
        COSCHEDULING + " | {phase: Pending} | -",
        // Kubernetes 1.36, 1.37
        NATIVE
            + " | {conditions: [{type: PodGroupScheduled, status: 'False', reason: Unschedulable, message: '0/2 nodes are available: 2 Insufficient cpu.', lastTransitionTime: '2026-01-01T00:00:00Z'}]} | Unschedulable: 0/2 nodes are available: 2 Insufficient cpu.",
        NATIVE
            + " | {conditions: [{type: PodGroupScheduled, status: 'True', reason: Scheduled}]} | -",
        NATIVE
            + " | {conditions: [{type: PodGroupScheduled, status: 'False', reason: SchedulerError, message: boom}]} | SchedulerError: boom",
        NEWER
            + " | {conditions: [{type: PodGroupInitiallyScheduled, status: 'False', reason: Unschedulable, message: no room}]} | Unschedulable: no room",
        NEWER
            + " | {conditions: [{type: PodGroupInitiallyScheduled, status: 'True', reason: Scheduled}]} | -",
        NEWER + " | {conditions: [{type: DisruptionTarget, status: 'False', reason: Other}]} | -",
      })
  void aGroupSaysWhyItWaits(String apiVersion, String status, String expected) {
    assertThat(waiting(apiVersion, status)).isEqualTo(expected);
  }
}
