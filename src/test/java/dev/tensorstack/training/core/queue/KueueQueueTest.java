package dev.tensorstack.training.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.PodPriorities;
import dev.tensorstack.training.core.model.QueueAnswer;
import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KueueQueueTest {

  private static final KueueQueue QUEUE = new KueueQueue("research", null, false);
  private static final ObjectKind V1BETA2 = QUEUE.kinds().get(0);
  private static final ObjectKind V1BETA1 = QUEUE.kinds().get(1);
  private static final QueueFacts FACTS =
      new QueueFacts(
          Map.of(
              "spot",
              new QueueFacts.Flavor(
                  Map.of("pool", "spot"),
                  List.of(new TolerationBuilder().withKey("spot").withOperator("Exists").build()))),
          Map.of("urgent", 1000),
          new PodPriorities(Map.of("high", 7), 3));

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.5Z");

  private static GenericKubernetesResource workload(String yaml) {
    return Serialization.unmarshal(
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: w, generation: 4}\n"
            + yaml,
        GenericKubernetesResource.class);
  }

  private static final String SPEC =
      "spec: {podSets: [{name: master, count: 1}, {name: worker, count: 4}]}\n";

  private static GenericKubernetesResource admitted(String more) {
    return workload(
        SPEC
            + """
            status:
              conditions:
              - {type: QuotaReserved, status: "True"}
              - {type: Admitted, status: "True"}
              admission:
                podSetAssignments:
                - {name: master, count: 1, flavors: {cpu: spot, memory: spot}}
                - {name: worker, count: 3, flavors: {cpu: spot}}
            """
            + more);
  }

  @Test
  void onlyTheLabelNamesAQueue() {
    assertThat(KueueQueue.of(Map.of(), false)).isNull();
    assertThat(KueueQueue.of(Map.of("kueue.x-k8s.io/queue-name", ""), false)).isNull();
    assertThat(
            KueueQueue.of(
                Map.of("kueue.x-k8s.io/queue-name", "q", "kueue.x-k8s.io/priority-class", "urgent"),
                false))
        .isEqualTo(new KueueQueue("q", "urgent", false));
  }

  @Test
  void eachTypeIsAPodSetWithTheTemplateOfTheUser() {
    Map<String, Object> entry =
        QUEUE.entry(V1BETA2, World.model(World.workers(3, "Never")), FACTS, null);

    assertThat(entry).containsEntry("queueName", "research").containsEntry("priority", 3);
    assertThat(Serialization.asJson(entry))
        .contains("\"name\":\"worker\",\"count\":3,\"template\":{\"spec\":{")
        .contains("registry.example/train:1")
        .doesNotContain("minCount", "priorityClassRef", "topologyRequest");
  }

  @Test
  void aPriorityOfTheSameClassIsKueuesToChange() {
    KueueQueue urgent = new KueueQueue("research", "urgent", false);
    JobSpec job = World.model(World.workers(1, "Never"));
    GenericKubernetesResource present = new GenericKubernetesResource();
    Map<String, Object> spec = urgent.entry(V1BETA2, job, FACTS, null);
    spec.put("priority", 5000);
    present.setAdditionalProperty("spec", spec);

    assertThat(urgent.entry(V1BETA2, job, FACTS, present)).containsEntry("priority", 5000);
    assertThat(QUEUE.entry(V1BETA2, job, FACTS, present))
        .as("another class")
        .containsEntry("priority", 3);
    present.setAdditionalProperty("spec", QUEUE.entry(V1BETA2, job, FACTS, null));
    assertThat(QUEUE.entry(V1BETA2, job, QueueFacts.NONE, present))
        .as("the cluster's default was known once")
        .containsEntry("priority", 3);
  }

  @Test
  void thePriorityIsThatOfTheLabelElseOfThePods() {
    String high =
        World.workers(1, "Never")
            .replace("    spec:\n", "    spec:\n      priorityClassName: high\n");
    KueueQueue urgent = new KueueQueue("research", "urgent", false);

    assertThat(QUEUE.entry(V1BETA2, World.model(high), FACTS, null))
        .containsEntry("priority", 7)
        .containsEntry(
            "priorityClassRef",
            Map.of("group", "scheduling.k8s.io", "kind", "PriorityClass", "name", "high"));
    assertThat(urgent.entry(V1BETA2, World.model(high), FACTS, null))
        .containsEntry("priority", 1000)
        .containsEntry(
            "priorityClassRef",
            Map.of("group", "kueue.x-k8s.io", "kind", "WorkloadPriorityClass", "name", "urgent"));
    assertThat(urgent.entry(V1BETA1, World.model(high), FACTS, null))
        .containsEntry("priorityClassName", "urgent")
        .containsEntry("priorityClassSource", "kueue.x-k8s.io/workloadpriorityclass");
    assertThat(urgent.missing(World.model(high), FACTS)).isNull();
    assertThat(urgent.missing(World.model(high), QueueFacts.NONE))
        .contains("WorkloadPriorityClass urgent");
    assertThat(QUEUE.missing(World.model(high), QueueFacts.NONE)).contains("PriorityClass high");
  }

  @Test
  void anElasticTypeMayBeAdmittedInPart() {
    String elastic =
        World.workers(2, "Never")
            + "torchrunConfig: {enabled: true}\n"
            + "elastic: {enabled: true, minReplicas: 2, maxReplicas: 6, expectedReplicas: 5}\n";
    assertThat(Serialization.asJson(QUEUE.entry(V1BETA2, World.model(elastic), FACTS, null)))
        .contains("\"count\":5,\"minCount\":2");
    String master =
        World.workers(1, "Never").replace("  template:", "  scalingWeight: 0\n  template:")
            + """
            - type: more
              replicas: 1
              template: {spec: {containers: [{name: pytorch, image: "train:1", command: [a]}]}}
            torchrunConfig: {enabled: true}
            elastic: {enabled: true, minReplicas: 1, maxReplicas: 6, expectedReplicas: 5}
            """;
    assertThat(Serialization.asJson(QUEUE.entry(V1BETA2, World.model(master), FACTS, null)))
        .contains("\"count\":4,\"minCount\":1");
  }

  @Test
  void theTopologyThatATemplateAsksForIsThatOfThePodSet() {
    String racks =
        World.workers(2, "Never")
            .replace(
                "  template:\n",
                "  template:\n    metadata: {annotations:"
                    + " {kueue.x-k8s.io/podset-required-topology: rack}}\n");
    assertThat(Serialization.asJson(QUEUE.entry(V1BETA2, World.model(racks), FACTS, null)))
        .contains("\"topologyRequest\":{\"required\":\"rack\"}");
  }

  /** As Kueue reads them for its own kinds; what is wrong is for its webhook to refuse. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          preferred-topology: rack | {"preferred":"rack"}
          required-topology: rack, K/podset-preferred-topology: block | {"required":"rack"}
          unconstrained-topology: "true" | {"unconstrained":true}
          required-topology: rack, K/podset-group-name: all | {"required":"rack","podSetGroupName":"all"}
          unconstrained-topology: "true", K/podset-group-name: all | {"unconstrained":true}
          required-topology: block, K/podset-slice-required-topology: rack, K/podset-slice-size: "2" | {"required":"block","podSetSliceRequiredTopology":"rack","podSetSliceSize":2}
          slice-required-topology: rack, K/podset-slice-size: "4" | {"podSetSliceRequiredTopology":"rack","podSetSliceSize":4}
          slice-required-topology: rack, K/podset-slice-size: many | {"podSetSliceRequiredTopology":"rack"}
          """)
  void eachAnnotationOfTopologyIsAFieldOfTheRequest(String annotations, String request) {
    String template =
        World.workers(4, "Never")
            .replace(
                "  template:\n",
                "  template:\n    metadata: {annotations: {"
                    + ("K/podset-" + annotations).replace("K/", "kueue.x-k8s.io/")
                    + "}}\n");
    assertThat(Serialization.asJson(QUEUE.entry(V1BETA2, World.model(template), FACTS, null)))
        .contains("\"topologyRequest\":" + request);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{}; WAITING; LocalQueue research: Kueue has not looked at the job yet",
        "{conditions: [{type: QuotaReserved, status: 'False', message: no room}]}; WAITING;"
            + " LocalQueue research: no room",
        "{conditions: [{type: QuotaReserved, status: 'True'}], admissionChecks: [{name: budget,"
            + " state: Pending, message: later}]}; WAITING; LocalQueue research: quota is reserved,"
            + " admission check budget is Pending, later",
        "{conditions: [{type: QuotaReserved, status: 'True'}, {type: Evicted, status: 'True',"
            + " message: preempted}]}; LEAVING; LocalQueue research: preempted",
        "{conditions: [{type: QuotaReserved, status: 'False'}, {type: Evicted, status: 'True',"
            + " message: preempted}]}; WAITING; LocalQueue research: preempted",
        "{conditions: [{type: Finished, status: 'True', message: over}]}; FINISHED; over"
      })
  void theAnswerIsInKueuesWords(String status, QueueAnswer.State state, String words) {
    QueueAnswer answer = QUEUE.answer(workload("status: " + status), FACTS);
    assertThat(answer.state()).isEqualTo(state);
    assertThat(answer.words()).isEqualTo(words);
    assertThat(answer.shares()).isEmpty();
  }

  @Test
  void aShareHasTheNodesOfItsFlavorsAndWhatChecksAdd() {
    QueueAnswer answer =
        QUEUE.answer(
            admitted(
                """
                  admissionChecks:
                  - name: provision
                    state: Ready
                    podSetUpdates:
                    - name: worker
                      nodeSelector: {capacity: reserved}
                      labels: {team: a}
                      annotations: {note: b}
                      tolerations: [{key: reserved}]
                """),
            FACTS);

    assertThat(answer.state()).isEqualTo(QueueAnswer.State.ADMITTED);
    assertThat(answer.pods()).isEqualTo(4);
    QueueAnswer.Share worker = Objects.requireNonNull(answer.share("Worker"));
    assertThat(worker.count()).isEqualTo(3);
    assertThat(worker.nodeSelector())
        .containsEntry("pool", "spot")
        .containsEntry("capacity", "reserved");
    assertThat(worker.tolerations()).extracting("key").containsExactly("spot", "reserved");
    assertThat(worker.labels()).containsEntry("team", "a");
    assertThat(worker.annotations()).containsEntry("note", "b");
    assertThat(QUEUE.flavors(admitted(""))).containsExactly("spot");
  }

  @Test
  void eachPodHasThePlaceThatTheTopologyGivesIt() {
    GenericKubernetesResource entry =
        workload(
            """
            spec: {podSets: [{name: worker, count: 5}]}
            status:
              conditions:
              - {type: QuotaReserved, status: "True"}
              - {type: Admitted, status: "True"}
              admission:
                podSetAssignments:
                - name: worker
                  count: 5
                  topologyAssignment:
                    levels: [rack, host]
                    slices:
                    - domainCount: 2
                      valuesPerLevel:
                      - {universal: r1}
                      - {individual: {prefix: n-, suffix: .x, roots: [a, b]}}
                      podCounts: {individual: [2, 1]}
                    - domainCount: 1
                      valuesPerLevel: [{universal: r2}, {universal: n-c}]
                      podCounts: {universal: 2}
            """);
    QueueAnswer.Share share = Objects.requireNonNull(QUEUE.answer(entry, FACTS).share("worker"));
    assertThat(share.places())
        .containsExactly(
            Map.of("rack", "r1", "host", "n-a.x"),
            Map.of("rack", "r1", "host", "n-a.x"),
            Map.of("rack", "r1", "host", "n-b.x"),
            Map.of("rack", "r2", "host", "n-c"),
            Map.of("rack", "r2", "host", "n-c"));
    assertThat(share.annotations())
        .as("Kueue has counted the pod in its place already")
        .containsEntry("kueue.x-k8s.io/podset-unconstrained-topology", "true")
        .containsEntry("kueue.x-k8s.io/workload", "w");
  }

  @Test
  void whatIsNotNeededIsReclaimedOfWhatWasAskedFor() {
    assertThat(QUEUE.told(admitted(""), Map.of("master", 1, "worker", 3), false, NOW)).isNull();
    assertThat(QUEUE.told(admitted(""), Map.of("master", 1, "worker", 1), false, NOW))
        .isEqualTo(Map.of("reclaimablePods", List.of(Map.of("name", "worker", "count", 3))));
    String before = "  reclaimablePods: [{name: worker, count: 3}]\n";
    assertThat(QUEUE.answer(admitted(before), FACTS).pods()).isEqualTo(2);
    assertThat(QUEUE.told(admitted(before), Map.of("master", 1, "worker", 2), false, NOW))
        .as("it never falls")
        .isNull();
  }

  @Test
  void kueueIsToldOnceThatThePodsHaveStarted() {
    Map<String, Integer> all = Map.of("master", 1, "worker", 3);
    GenericKubernetesResource entry = admitted("");

    Map<String, Object> told = Objects.requireNonNull(QUEUE.told(entry, all, true, NOW));

    assertThat(Serialization.asJson(told))
        .contains("\"type\":\"Admitted\"", "\"type\":\"PodsReady\",\"status\":\"True\"")
        .doesNotContain("reclaimablePods");
    World.write(entry, told);
    assertThat(QUEUE.told(entry, all, true, NOW)).isNull();
    assertThat(QUEUE.told(entry, all, false, NOW)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "Preempted, True",
    "NodeFailures, True",
    "PodsReadyTimeout, False",
    "Deactivated, False"
  })
  void afterAnEvictionAllIsGivenBackAndOnlyAPreemptedJobQueuesAtOnce(
      String reason, String requeued) {
    GenericKubernetesResource entry = admitted("  reclaimablePods: [{name: worker, count: 1}]\n");
    World.write(
        entry,
        Map.of(
            "conditions",
            List.of(
                Map.of("type", "QuotaReserved", "status", "True"),
                Map.of("type", "Admitted", "status", "True"),
                Map.of("type", "PodsReady", "status", "True"),
                Map.of("type", "Evicted", "status", "True", "reason", reason, "message", "why"))));

    Map<String, Object> status = QUEUE.givenBack(entry, NOW);

    assertThat(status).containsEntry("admission", null).containsEntry("reclaimablePods", null);
    assertThat(Serialization.asJson(status.get("conditions")))
        .contains("\"type\":\"Evicted\"")
        .doesNotContain("\"PodsReady\"")
        .contains("\"type\":\"QuotaReserved\",\"status\":\"False\"")
        .contains("\"type\":\"Admitted\",\"status\":\"False\"")
        .contains("\"type\":\"Requeued\",\"status\":\"" + requeued + "\",\"reason\":\"" + reason)
        .contains("\"lastTransitionTime\":\"2026-01-01T00:00:00Z\",\"observedGeneration\":4");
  }

  @Test
  void anEntryThatHoldsAShareIsNotChanged() {
    assertThat(QUEUE.takesChanges(workload(SPEC))).isTrue();
    assertThat(QUEUE.takesChanges(admitted(""))).isFalse();
    assertThat(
            QUEUE.takesChanges(
                workload("status: {conditions: [{type: Finished, status: 'True'}]}")))
        .isFalse();
  }

  @Test
  void whatTheClusterSaysIsReadAndNonsenseIsPassedOver() {
    List<ObjectKind> kinds = QUEUE.factKinds(V1BETA2);
    QueueFacts facts =
        QUEUE.facts(
            Map.of(
                kinds.get(0),
                List.of(
                    workload("spec: {nodeLabels: {a: b}, tolerations: [{key: k}]}"),
                    workload("spec: nonsense")),
                kinds.get(1),
                List.of(workload("value: 5")),
                kinds.get(2),
                List.of(workload("value: 9\nglobalDefault: true"))));
    assertThat(facts.priorities()).containsEntry("w", 5);
    assertThat(facts.podPriorities().ofOthers()).isEqualTo(9);
    assertThat(facts.flavors()).containsKey("w");
  }
}
