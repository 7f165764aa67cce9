package dev.tensorstack.training.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.GangScheduler;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The gang schedulers as Kubeflow's operator uses them. */
class PolicyGangTest {

  private static final GangScheduler VOLCANO = new VolcanoGang("default", "high");
  private static final GangScheduler COSCHEDULING = new CoschedulingGang("my-scheduler", 30);

  /** A master that asks for 1 CPU, and three workers that ask for 2 CPUs each. */
  private static final GangMembers FOUR_PODS =
      new GangMembers(
          4,
          4,
          List.of(new GangMembers.Pods(pod("1"), 1, 0), new GangMembers.Pods(pod("2"), 3, 0)));

  private static PodSpec pod(String cpu) {
    return Serialization.unmarshal(
        "---\ncontainers: [{name: pytorch, resources: {requests: {cpu: " + cpu + "}}}]",
        PodSpec.class);
  }

  static Stream<GangScheduler> schedulers() {
    return Stream.of(VOLCANO, COSCHEDULING);
  }

  private static PolicyGang plain(GangScheduler gang) {
    return new PolicyGang(gang, null, null, Map.of());
  }

  private static Map<String, Object> spec(
      GangScheduler gang, @Nullable Integer minAvailable, GangMembers members) {
    return new PolicyGang(gang, minAvailable, null, Map.of())
        .podGroup(gang.kinds().get(0), members);
  }

  private static GenericKubernetesResource group(GangScheduler gang, String status) {
    return Serialization.unmarshal(
        "apiVersion: "
            + gang.kinds().get(0).apiVersion()
            + "\nkind: PodGroup\nmetadata: {name: mnist}\n"
            + (status.isEmpty() ? "" : "status: " + status),
        GenericKubernetesResource.class);
  }

  @ParameterizedTest
  @CsvSource({
    ", 4, 7", // all
    "4, 4, 7", "2, 2, 3", // the master first
    "1, 1, 1",
  })
  void theGangIsAsLargeAsMinAvailableSaysAndNeedsWhatItsFirstPodsRequest(
      @Nullable Integer minAvailable, int size, String cpu) {
    assertThat(schedulers())
        .allSatisfy(
            gang ->
                assertThat(spec(gang, minAvailable, FOUR_PODS))
                    .containsEntry("minMember", size)
                    .containsEntry("minResources", Map.of("cpu", cpu)));
  }

  @ParameterizedTest
  @CsvSource({"3, , true", "4, , false", "5, , false", ", , false", "3, 8, false", ", 8, false"})
  void onlyAGroupSmallerThanItsJobDependsOnWhichPodsAreTheMostImportant(
      @Nullable Integer minAvailable, @Nullable String cpus, boolean depends) {
    Map<String, Quantity> given = cpus == null ? null : Map.of("cpu", new Quantity(cpus));

    assertThat(schedulers())
        .allSatisfy(
            gang ->
                assertThat(
                        new PolicyGang(gang, minAvailable, given, Map.of())
                            .countsMostImportantPods(4))
                    .isEqualTo(depends));
    assertThat(schedulers()).noneMatch(gang -> gang.countsMostImportantPods(4));
  }

  /** The plugin counts what is not done, Volcano also what has succeeded. */
  @Test
  void minResourcesAreThoseOfThePodsThatTheSchedulerCounts() {
    GangMembers workersAreDone =
        new GangMembers(
            4,
            1,
            List.of(new GangMembers.Pods(pod("8"), 3, 3), new GangMembers.Pods(pod("1"), 1, 0)));

    assertThat(spec(COSCHEDULING, 2, workersAreDone))
        .containsEntry("minMember", 1)
        .containsEntry("minResources", Map.of("cpu", "1"));
    assertThat(spec(VOLCANO, 2, workersAreDone))
        .containsEntry("minMember", 2)
        .containsEntry("minResources", Map.of("cpu", "16"));
  }

  @Test
  void theGroupFollowsScaling() {
    GangMembers two =
        new GangMembers(
            2,
            2,
            List.of(new GangMembers.Pods(pod("1"), 1, 0), new GangMembers.Pods(pod("2"), 1, 0)));

    assertThat(spec(VOLCANO, null, two)).containsEntry("minMember", 2);
    assertThat(spec(COSCHEDULING, null, two)).containsEntry("minMember", 2);
  }

  @ParameterizedTest
  @MethodSource("schedulers")
  void minResourcesOfTheJobTakeThePlaceOfTheSum(GangScheduler gang) {
    Map<String, Quantity> given = new HashMap<>();
    given.put("nvidia.com/gpu", new Quantity("8"));
    given.put("memory", new Quantity("10Gi"));
    given.put("cpu", null);

    assertThat(
            new PolicyGang(gang, null, given, Map.of())
                .podGroup(gang.kinds().get(0), FOUR_PODS)
                .get("minResources"))
        .isEqualTo(Map.of("nvidia.com/gpu", "8", "memory", "10Gi"));
  }

  @Test
  void theGroupHasWhatItsSchedulerKnows() {
    assertThat(spec(VOLCANO, 3, FOUR_PODS))
        .isEqualTo(
            Map.of(
                "minMember",
                3,
                "queue",
                "default",
                "priorityClassName",
                "high",
                "minResources",
                Map.of("cpu", "5")));
    assertThat(spec(COSCHEDULING, 3, FOUR_PODS))
        .isEqualTo(
            Map.of(
                "minMember", 3, "scheduleTimeoutSeconds", 30, "minResources", Map.of("cpu", "5")));
    assertThat(plain(VOLCANO).queue()).isEqualTo("default");
    assertThat(plain(COSCHEDULING).queue()).isNull();
  }

  @ParameterizedTest
  @MethodSource("schedulers")
  void theGroupFitsThePublishedSchema(GangScheduler gang) {
    assertThat(
            PodGroupSchemas.problems(
                gang.kinds().get(0),
                new PolicyGang(gang, 2, Map.of("memory", new Quantity("1Gi")), Map.of())
                    .podGroup(gang.kinds().get(0), FOUR_PODS)))
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("schedulers")
  void theGroupHasTheAnnotationsThatItIsGiven(GangScheduler gang) {
    assertThat(new PolicyGang(gang, null, null, Map.of("a", "b")).groupAnnotations())
        .isEqualTo(Map.of("a", "b"));
    assertThat(plain(gang).groupAnnotations()).isEmpty();
  }

  private static ObjectMeta mark(GangScheduler gang, @Nullable String group, PodSpec pod) {
    ObjectMeta metadata = new ObjectMeta();
    metadata.setLabels(new LinkedHashMap<>(Map.of("l", "of the template")));
    metadata.setAnnotations(new LinkedHashMap<>(Map.of("a", "of the template")));
    plain(gang).mark("worker", 4, group, metadata, pod);
    return metadata;
  }

  @Test
  void podsOfVolcanoNameTheirGroupAndTheirType() {
    PodSpec pod = new PodSpec();
    ObjectMeta metadata = mark(VOLCANO, "mnist", pod);

    assertThat(pod.getSchedulerName()).isEqualTo("volcano");
    assertThat(metadata.getAnnotations())
        .isEqualTo(
            Map.of(
                "a",
                "of the template",
                "scheduling.k8s.io/group-name",
                "mnist",
                "volcano.sh/task-spec",
                "worker"));
    assertThat(metadata.getLabels()).containsOnlyKeys("l");
  }

  @Test
  void podsOfSchedulerPluginsNameTheirGroupInALabel() {
    PodSpec pod = new PodSpec();
    ObjectMeta metadata = mark(COSCHEDULING, "mnist", pod);

    assertThat(pod.getSchedulerName()).isEqualTo("my-scheduler");
    assertThat(metadata.getLabels())
        .isEqualTo(Map.of("l", "of the template", "scheduling.x-k8s.io/pod-group", "mnist"));
    assertThat(metadata.getAnnotations()).containsOnlyKeys("a");
  }

  @ParameterizedTest
  @MethodSource("schedulers")
  void aSchedulerThatTheUserNamesIsKept(GangScheduler gang) {
    for (String users : new String[] {"users", "default-scheduler"}) {
      PodSpec pod = new PodSpec();
      pod.setSchedulerName(users);
      ObjectMeta metadata = mark(gang, "mnist", pod);

      assertThat(pod.getSchedulerName()).isEqualTo(users);
      assertThat(metadata.getLabels().size() + metadata.getAnnotations().size())
          .as("it is a member of its group all the same")
          .isGreaterThan(2);
    }
    PodSpec empty = new PodSpec();
    empty.setSchedulerName("");
    mark(gang, "mnist", empty);
    assertThat(empty.getSchedulerName()).as("an empty name is none").isNotEmpty();
  }

  /** As the dry run of a webhook tries them. */
  @ParameterizedTest
  @MethodSource("schedulers")
  void aPodOutsideOfTheGroupNamesNone(GangScheduler gang) {
    ObjectMeta metadata = mark(gang, null, new PodSpec());

    assertThat(metadata.getLabels()).containsOnlyKeys("l");
    assertThat(metadata.getAnnotations()).containsOnlyKeys("a");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | the PodGroup is not in its queue yet",
        "{} | the PodGroup is not in its queue yet",
        "{phase: null} | the PodGroup is not in its queue yet",
        "{phase: Pending} | the PodGroup is Pending: its queue has no room yet",
        "{phase: Inqueue} |",
        "{phase: Running} |",
        "{phase: Completed} |",
        // A part of it runs, so it was let in; the rest would never come.
        "{phase: Unknown} |",
      })
  void podsOfVolcanoWaitUntilTheirGroupIsInTheQueue(String status, @Nullable String why) {
    assertThat(plain(VOLCANO).holdsBack(group(VOLCANO, status))).isEqualTo(why);
  }

  @Test
  void whatVolcanoSaysOfAGroupThatWaitsIsPassedOn() {
    GenericKubernetesResource waiting =
        group(
            VOLCANO,
            "{phase: Pending, conditions: [{type: Unschedulable, status: 'True', reason: NoRoom,"
                + " message: the queue is full}]}");

    assertThat(plain(VOLCANO).holdsBack(waiting)).isEqualTo("NoRoom: the queue is full");
    assertThat(plain(VOLCANO).waiting(waiting)).isEqualTo("NoRoom: the queue is full");
  }

  /** They are seen by their scheduler as pods, and only then as a group. */
  @ParameterizedTest
  @ValueSource(strings = {"", "{phase: Pending}", "{phase: PreScheduling}", "{phase: Failed}"})
  void podsOfSchedulerPluginsDoNotWait(String status) {
    assertThat(plain(COSCHEDULING).holdsBack(group(COSCHEDULING, status))).isNull();
  }

  @Test
  void whatIsMissingInTheClusterIsNamedWithTheSetting() {
    assertThat(plain(VOLCANO).remedy())
        .contains("that the operator is set to use", "podgroups.scheduling.volcano.sh");
    assertThat(plain(COSCHEDULING).remedy()).contains("podgroups.scheduling.x-k8s.io");
    assertThat(plain(VOLCANO).kinds()).containsExactly(VolcanoGang.POD_GROUP);
    assertThat(plain(VOLCANO).takesNewPods(VolcanoGang.POD_GROUP, FOUR_PODS)).isTrue();
  }
}
