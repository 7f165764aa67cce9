package dev.tensorstack.training.core.gang;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.world.PodGroupOf;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodGroupTest {

  /** One master that asks for 1 CPU and 4 GiB, three workers with 2 CPUs each. */
  private static final String FOUR_PODS =
      """
      replicaSpecs:
      - type: master
        template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1, memory: 4Gi}}}]}}
      - type: worker
        replicas: 3
        template: {spec: {containers: [{name: c, resources: {limits: {cpu: 2}}}]}}
      """;

  private static final String ELASTIC =
      FOUR_PODS
          + """
          torchrunConfig: {enabled: true}
          elastic: {enabled: true, minReplicas: 3, maxReplicas: 8, expectedReplicas: %d}
          """;

  @SuppressWarnings("unchecked")
  private static Map<String, Object> spec(String yaml, int kind, int done) {
    return (Map<String, Object>)
        Objects.requireNonNull(group(yaml, kind, done).getAdditionalProperties().get("spec"));
  }

  private static GenericKubernetesResource group(String yaml, int kind, int done) {
    TrainingJob job = new World(yaml).job();
    return PodGroupOf.job(job, job.spec().scheduler().kinds().get(kind), done);
  }

  private static String size(String member, String spec, int kind, int done) {
    Map<String, Object> group = spec(spec + "scheduler: {" + member + ": {}}\n", kind, done);
    return member.equals("kubernetes")
        ? String.valueOf(group.get("schedulingPolicy"))
        : String.valueOf(group.get("minMember"));
  }

  @Test
  void t9kGetsSizeQueueAndPriority() {
    assertThat(spec(FOUR_PODS + "scheduler: {t9kScheduler: {}}\n", 0, 0))
        .isEqualTo(Map.of("minMember", 4, "queue", "default", "priority", 10));
    assertThat(spec(FOUR_PODS + "scheduler: {t9kScheduler: {queue: null}}\n", 0, 0))
        .isEqualTo(Map.of("minMember", 4, "queue", "default", "priority", 10));
    assertThat(spec(FOUR_PODS + "scheduler: {t9kScheduler: {queue: q, priority: 0}}\n", 0, 0))
        .isEqualTo(Map.of("minMember", 4, "queue", "q", "priority", 0));
  }

  @Test
  void volcanoGetsWhatTheGangNeeds() {
    assertThat(spec(FOUR_PODS + "scheduler: {volcano: {}}\n", 0, 0))
        .isEqualTo(Map.of("minMember", 4, "minResources", Map.of("cpu", "7", "memory", "4Gi")));
    assertThat(spec(FOUR_PODS + "scheduler: {volcano: {queue: q, priorityClassName: p}}\n", 0, 0))
        .containsEntry("queue", "q")
        .containsEntry("priorityClassName", "p");
  }

  @Test
  void coschedulingGetsWhatTheGangNeedsAndItsTime() {
    assertThat(spec(FOUR_PODS + "scheduler: {coscheduling: {scheduleTimeoutSeconds: 30}}\n", 0, 0))
        .isEqualTo(
            Map.of(
                "minMember",
                4,
                "minResources",
                Map.of("cpu", "7", "memory", "4Gi"),
                "scheduleTimeoutSeconds",
                30));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void kubernetesGetsTheSizeInEveryVersion(int version) {
    assertThat(spec(FOUR_PODS + "scheduler: {kubernetes: {}}\n", version, 0))
        .isEqualTo(Map.of("schedulingPolicy", Map.of("gang", Map.of("minCount", 4))));
  }

  @Test
  void kubernetesGetsThePriorityClassThatAllTemplatesAgreeOn() {
    String oneOfTwo =
        FOUR_PODS.replaceFirst("spec: \\{containers", "spec: {priorityClassName: high, containers");
    String both =
        FOUR_PODS.replace("spec: {containers", "spec: {priorityClassName: high, containers");

    assertThat(
            spec(oneOfTwo + "scheduler: {kubernetes: {}}\n", 0, 0).containsKey("priorityClassName"))
        .isFalse();
    assertThat(spec(both + "scheduler: {kubernetes: {}}\n", 0, 0).get("priorityClassName"))
        .isEqualTo("high");
  }

  @Test
  void whatRequestsNothingHasNoResources() {
    String spec = World.workers(2, "Never") + "scheduler: {volcano: {}}\n";

    assertThat(spec(spec, 0, 0)).isEqualTo(Map.of("minMember", 2));
  }

  @ParameterizedTest
  @CsvSource({
    "t9kScheduler, 0, 2, 4", // it counts pods that succeeded
    "volcano,      0, 2, 4",
    "coscheduling, 0, 0, 4",
    "coscheduling, 0, 1, 3",
    "coscheduling, 0, 4, 1", // the size is at least one
    "kubernetes,   0, 1, {gang={minCount=3}}",
    "kubernetes,   1, 1, {gang={minCount=3}}",
    "kubernetes,   2, 1, {gang={minCount=4}}", // it cannot be changed
  })
  void podsThatSucceededCountWhereTheSchedulerCountsThem(
      String member, int kind, int done, String size) {
    assertThat(size(member, FOUR_PODS, kind, done)).isEqualTo(size);
  }

  @ParameterizedTest
  @CsvSource({
    "3, 0, 3", "8, 0, 3", "8, 5, 3", // three are left
    "8, 6, 2", "4, 2, 2",
  })
  void anElasticJobsGangIsItsSmallestSize(int expected, int done, String size) {
    assertThat(size("coscheduling", ELASTIC.formatted(expected), 0, done)).isEqualTo(size);
  }

  @Test
  void whatAnElasticJobNeedsDoesNotDependOnItsPresentSize() {
    // At its smallest, two of the three are masters.
    Map<String, Object> atThree = spec(ELASTIC.formatted(3) + "scheduler: {volcano: {}}\n", 0, 0);

    assertThat(spec(ELASTIC.formatted(8) + "scheduler: {volcano: {}}\n", 0, 0)).isEqualTo(atThree);
    assertThat(atThree.get("minResources")).isEqualTo(Map.of("cpu", "4", "memory", "8Gi"));
  }

  @Test
  void itIsNamedLabelledAndOwnedLikeAllThatBelongsToTheJob() {
    GenericKubernetesResource group = group(FOUR_PODS + "scheduler: {volcano: {}}\n", 0, 0);

    assertThat(group.getApiVersion()).isEqualTo("scheduling.volcano.sh/v1beta1");
    assertThat(group.getKind()).isEqualTo("PodGroup");
    assertThat(group.getMetadata().getName()).isEqualTo("mnist-12e8d");
    assertThat(group.getMetadata().getLabels())
        .containsEntry("tensorstack.dev/owner-name", "mnist");
    assertThat(group.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(owner -> assertThat(owner.getController()).isTrue());
    assertThat(group.getAdditionalProperties()).containsOnlyKeys("spec");
  }

  @Test
  void aKindOfAnotherSchedulerIsRefused() {
    TrainingJob job = new World(FOUR_PODS + "scheduler: {volcano: {}}\n").job();

    assertThatThrownBy(() -> PodGroupOf.job(job, CoschedulingGang.POD_GROUP, 0))
        .hasMessageContaining("PodGroup.scheduling.x-k8s.io");
  }

  @ParameterizedTest
  @CsvSource({
    "kubernetes, 2, 0, true",
    "kubernetes, 2, 1, false",
    "kubernetes, 0, 1, true",
    "coscheduling, 0, 1, true",
    "t9kScheduler, 0, 1, true",
  })
  void aReplacementJoinsTheGroupUnlessThatCanNeverBeComplete(
      String member, int kind, int done, boolean joins) {
    TrainingJob job = new World(FOUR_PODS + "scheduler: {" + member + ": {}}\n").job();

    assertThat(takesNewPods(job, job.spec().scheduler().kinds().get(kind), done)).isEqualTo(joins);
  }

  @Test
  void anElasticJobsReplacementsJoinAsLongAsTheGangCanBeComplete() {
    TrainingJob job = new World(ELASTIC.formatted(5) + "scheduler: {kubernetes: {}}\n").job();

    assertThat(takesNewPods(job, KubernetesGang.POD_GROUP_1_36, 2)).isTrue();
    assertThat(takesNewPods(job, KubernetesGang.POD_GROUP_1_36, 3)).isFalse();
  }

  private static boolean takesNewPods(TrainingJob job, ObjectKind kind, int done) {
    return job.spec().scheduler().takesNewPods(kind, PodGroupOf.members(job, done));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "t9kScheduler: {queue: q, priority: 100}",
        "volcano: {queue: q, priorityClassName: p}",
        "coscheduling: {scheduleTimeoutSeconds: 30}",
        "kubernetes: {}",
      })
  void itFitsThePublishedSchema(String member) {
    for (String job : List.of(FOUR_PODS, ELASTIC.formatted(4))) {
      String yaml =
          job.replace("spec: {containers", "spec: {priorityClassName: high, containers")
              + "scheduler: {"
              + member
              + "}\n";
      List<ObjectKind> kinds = World.model(yaml).scheduler().kinds();
      for (int i = 0; i < kinds.size(); i++) {
        assertThat(PodGroupSchemas.problems(kinds.get(i), spec(yaml, i, 1))).isEmpty();
      }
    }
  }

  @Test
  void theSchemasNoticeWhatDoesNotFit() {
    assertThat(PodGroupSchemas.problems(T9kGang.POD_GROUP, Map.of("minMember", "1"))).hasSize(1);
    assertThat(PodGroupSchemas.problems(VolcanoGang.POD_GROUP, Map.of("minmember", 1))).hasSize(1);
    assertThat(
            PodGroupSchemas.problems(
                VolcanoGang.POD_GROUP, Map.of("minResources", Map.of("cpu", "one"))))
        .hasSize(1);
    assertThat(PodGroupSchemas.problems(CoschedulingGang.POD_GROUP, Map.of("minMember", 0)))
        .isNotEmpty();
  }

  @Test
  void everyKindIsKnownByItsScheduler() {
    assertThat(World.model(World.workers(1, "Never")).scheduler().kinds()).isEmpty();
    assertThat(World.model(World.workers(1, "Never") + "scheduler: {}\n").scheduler().kinds())
        .isEmpty();
    assertThat(PodGroups.allKinds())
        .extracting(ObjectKind::apiVersion)
        .containsExactly(
            "scheduler.tensorstack.dev/v1beta1",
            "scheduling.volcano.sh/v1beta1",
            "scheduling.x-k8s.io/v1alpha1",
            "scheduling.k8s.io/v1beta1",
            "scheduling.k8s.io/v1alpha3",
            "scheduling.k8s.io/v1alpha2");
  }
}
