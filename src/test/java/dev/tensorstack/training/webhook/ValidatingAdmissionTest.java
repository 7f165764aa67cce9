package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.trainingjob.TrainingJobAdmission;
import dev.tensorstack.training.kind.trainingjob.TrainingJobDefaults;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ValidatingAdmissionTest {

  private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

  private static final TrainingJobAdmission KIND =
      new TrainingJobAdmission(AcceleratorResources.DEFAULT, TrainingJobDefaults.NONE);

  private final Map<String, JsonNode> stored = new LinkedHashMap<>();
  private final List<Pod> tried = new ArrayList<>();
  private final AtomicLong clock = new AtomicLong();
  private final TakenPods taken = new TakenPods(clock::get);
  private CompletableFuture<Boolean> served = CompletableFuture.completedFuture(true);
  private CompletableFuture<PodAnswer> answer =
      CompletableFuture.completedFuture(PodAnswer.NO_OBJECTION);

  private Decision decide(AdmissionCall call) throws Exception {
    PodDryRun<PyTorchTrainingJobSpec> dryRun =
        new PodDryRun<>(
            KIND,
            new PodDryRun.PodTrial() {
              @Override
              public CompletionStage<PodAnswer> create(Pod pod, TemplatePath path) {
                tried.add(pod);
                return answer;
              }

              @Override
              public CompletionStage<Boolean> serves(String group) {
                return served;
              }
            },
            AcceleratorResources.DEFAULT,
            taken,
            SERIALIZATION);
    return new ValidatingAdmission<>(
            KIND,
            JobReader.of(KIND, SERIALIZATION),
            (kind, namespace, name) -> Optional.ofNullable(stored.get(name)),
            dryRun)
        .decide(call)
        .toCompletableFuture()
        .get(10, TimeUnit.SECONDS);
  }

  private static JsonNode twoTypes() {
    return Reviews.job(
        "mnist",
        "{replicaSpecs: [{type: master, "
            + Reviews.TEMPLATE
            + "}, {type: worker, replicas: 100, "
            + Reviews.TEMPLATE
            + "}, {type: none, replicas: 0, "
            + Reviews.TEMPLATE
            + "}]}");
  }

  @Test
  void onePodOfEachTypeIsTried() throws Exception {
    assertThat(decide(Reviews.create(twoTypes())).allowed()).isTrue();

    assertThat(tried)
        .extracting(pod -> pod.getSpec().getHostname())
        .satisfiesExactly(
            master -> assertThat(master).endsWith("-master-0"),
            worker -> assertThat(worker).endsWith("-worker-0"));
    assertThat(tried)
        .allSatisfy(pod -> assertThat(pod.getMetadata().getNamespace()).isEqualTo("ns"));
  }

  /** What the API server says of one pod it says of the other. */
  @Test
  void typesWithTheSameTemplateAreTriedOnceWhenThePodIsTaken() throws Exception {
    answer = CompletableFuture.completedFuture(PodAnswer.TAKEN);

    assertThat(decide(Reviews.create(twoTypes()))).isEqualTo(Decision.ADMITTED);

    assertThat(tried)
        .extracting(pod -> pod.getSpec().getHostname())
        .satisfiesExactly(master -> assertThat(master).endsWith("-master-0"));
  }

  @Test
  void aPodThatWasTakenIsNotTriedAgainForSomeSeconds() throws Exception {
    answer = CompletableFuture.completedFuture(PodAnswer.TAKEN);
    Decision unused = decide(Reviews.create(twoTypes()));
    tried.clear();

    JsonNode another = twoTypes();
    ((ObjectNode) another.get("metadata")).put("name", "another").put("uid", "9b1d4a57");
    clock.addAndGet(TakenPods.VALID.toNanos() - 1);
    assertThat(decide(Reviews.create(another))).isEqualTo(Decision.ADMITTED);
    assertThat(tried).isEmpty();

    clock.addAndGet(1);
    assertThat(decide(Reviews.create(another))).isEqualTo(Decision.ADMITTED);
    assertThat(tried).hasSize(1);
  }

  /** Quotas and policies may have been changed, and no answer says nothing. */
  @Test
  void anythingElseThanAPodThatWasTakenIsAskedAgain() throws Exception {
    for (PodAnswer said :
        List.of(PodAnswer.NO_OBJECTION, new PodAnswer(List.of(), List.of("no quota")))) {
      answer = CompletableFuture.completedFuture(said);
      Decision first = decide(Reviews.create(twoTypes()));
      tried.clear();

      assertThat(decide(Reviews.create(twoTypes()))).isEqualTo(first);
      assertThat(tried).hasSize(2);
    }
  }

  /** There is no group yet, and Volcano up to 1.11 refuses a pod whose group is missing. */
  @Test
  void thePodOfAGangIsTriedOutsideOfItsGroup() throws Exception {
    JsonNode job =
        Reviews.job(
            "mnist",
            "{scheduler: {volcano: {}}, replicaSpecs: [{type: master, " + Reviews.TEMPLATE + "}]}");

    assertThat(decide(Reviews.create(job)).allowed()).isTrue();

    assertThat(tried)
        .singleElement()
        .satisfies(
            pod -> {
              assertThat(pod.getSpec().getSchedulerName()).isEqualTo("volcano");
              assertThat(pod.getMetadata().getAnnotations())
                  .doesNotContainKey("scheduling.k8s.io/group-name");
            });
  }

  @Test
  void aTypeThatAnElasticJobStartsWithoutIsTriedToo() throws Exception {
    JsonNode job =
        Reviews.job(
            "mnist",
            "{torchrunConfig: {enabled: true}, elastic: {enabled: true, minReplicas: 1,"
                + " maxReplicas: 8, expectedReplicas: 1}, replicaSpecs: [{type: master, "
                + Reviews.TEMPLATE
                + "}, {type: worker, replicas: 3, "
                + Reviews.TEMPLATE
                + "}]}");

    assertThat(decide(Reviews.create(job)).violations()).isEmpty();

    assertThat(tried).hasSize(2);
  }

  @Test
  void aMalformedQuantityIsTriedToo() throws Exception {
    String job =
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, image: i}], volumes:"
            + " [{name: v, emptyDir: {sizeLimit: %s}}]}}}]}";
    JsonNode odd = Reviews.job("x", job.formatted("much"));

    assertThat(decide(Reviews.create(odd)).allowed()).isTrue();
    assertThat(tried).hasSize(1);
    assertThat(decide(Reviews.update(Reviews.job("x", job.formatted("1Gi")), odd)).refusingRules())
        .containsExactly("immutable");
  }

  @Test
  void whatTheApiServerObjectsToIsRefused() throws Exception {
    Violation objection =
        new Violation(
            PodAnswer.RULE, "spec.x", Violation.Reason.FieldValueRequired, "Required value");
    answer =
        CompletableFuture.completedFuture(new PodAnswer(List.of(objection), List.of("careful")));

    Decision decision = decide(Reviews.create(twoTypes()));

    assertThat(decision.violations()).containsExactly(objection, objection);
    assertThat(decision.warnings()).containsExactly("careful");
  }

  /** Contract section 10: without Kueue the label changes nothing, with a warning. */
  @Test
  void aQueueThatTheClusterDoesNotHaveIsWarnedOf() throws Exception {
    JsonNode job = twoTypes();
    ((ObjectNode) job.get("metadata"))
        .set("labels", Reviews.yaml("{kueue.x-k8s.io/queue-name: research}"));
    assertThat(decide(Reviews.create(job))).isEqualTo(Decision.ADMITTED);

    served = CompletableFuture.completedFuture(false);
    assertThat(decide(Reviews.create(twoTypes()))).as("no label").isEqualTo(Decision.ADMITTED);
    Decision decision = decide(Reviews.create(job));
    assertThat(decision.allowed()).isTrue();
    assertThat(decision.warnings())
        .singleElement()
        .asString()
        .contains("research", "does not serve kueue.x-k8s.io", "starts without waiting");

    served = CompletableFuture.failedFuture(new IllegalStateException("away"));
    assertThat(decide(Reviews.create(job))).isEqualTo(Decision.ADMITTED);
  }

  /** A pod that is none anywhere is refused; what this cluster would say of it is no matter. */
  @Test
  void ofAJobOfSomebodyElseOnlyObjectionsCount() throws Exception {
    String job =
        "{managedBy: example.com/other, replicaSpecs: [{type: w, " + Reviews.TEMPLATE + "}]}";
    answer = CompletableFuture.completedFuture(new PodAnswer(List.of(), List.of("careful")));

    assertThat(decide(Reviews.create(Reviews.job("mnist", job)))).isEqualTo(Decision.ADMITTED);

    Violation objection =
        new Violation(
            PodAnswer.RULE, "spec.x", Violation.Reason.FieldValueRequired, "Required value");
    answer =
        CompletableFuture.completedFuture(new PodAnswer(List.of(objection), List.of("careful")));
    assertThat(decide(Reviews.create(Reviews.job("mnist", job))))
        .isEqualTo(Decision.of(List.of(objection)));
  }

  @Test
  void noAnswerIsNoObjectionAfterTwoSecondsInAll() throws Exception {
    answer = new CompletableFuture<>();
    long begin = System.nanoTime();

    assertThat(decide(Reviews.create(twoTypes()))).isEqualTo(Decision.ADMITTED);

    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .isBetween(Duration.ofMillis(1_900), Duration.ofSeconds(4));
  }

  @Test
  void aDryRunThatCannotBeMadeIsNoObjection() throws Exception {
    answer = CompletableFuture.failedFuture(new IllegalStateException("no connection"));

    assertThat(decide(Reviews.create(twoTypes()))).isEqualTo(Decision.ADMITTED);
  }

  @Test
  void aWrongJobIsNotTried() throws Exception {
    Decision decision =
        decide(
            Reviews.create(
                Reviews.job(
                    "mnist",
                    "{runPolicy: {backoffLimit: -1}, replicaSpecs: [{type: w, "
                        + Reviews.TEMPLATE
                        + "}]}")));

    assertThat(decision.refusingRules()).containsExactly("run-policy");
    assertThat(tried).isEmpty();
  }

  @Test
  void aChangeIsNotTriedAgain() throws Exception {
    JsonNode paused =
        Reviews.job(
            "mnist",
            "{runMode: {pause: {enabled: true}}, replicaSpecs: [{type: worker, "
                + Reviews.TEMPLATE
                + "}]}");
    JsonNode old =
        Reviews.job("mnist", "{replicaSpecs: [{type: worker, " + Reviews.TEMPLATE + "}]}");

    assertThat(decide(Reviews.update(old, paused)).allowed()).isTrue();
    assertThat(tried).isEmpty();
  }

  @Test
  void whatTheSchemaLetsPassButNobodyCanReadIsRefusedWithItsField() throws Exception {
    Decision decision =
        decide(
            Reviews.create(
                Reviews.job(
                    "mnist", "{replicaSpecs: [{type: w, template: {spec: {containers: 7}}}]}")));

    assertThat(decision.violations())
        .singleElement()
        .satisfies(
            violation ->
                assertThat(violation.field())
                    .isEqualTo("spec.replicaSpecs[0].template.spec.containers"));
  }

  @Test
  void scalingIsRefusedOutsideTheBoundsAndOfWhatIsNotElastic() throws Exception {
    stored.put("plain", stored("{replicaSpecs: [{type: w, " + Reviews.TEMPLATE + "}]}"));
    stored.put(
        "elastic",
        stored(
            "{torchrunConfig: {enable: true}, elastic: {enable: true, minReplicas: 2, maxReplicas:"
                + " 4}, replicaSpecs: [{type: w, replicas: 3, "
                + Reviews.TEMPLATE
                + "}]}"));

    assertThat(decide(Reviews.scale("elastic", 4)).allowed()).isTrue();
    assertThat(decide(Reviews.scale("elastic", 5)).violations())
        .singleElement()
        .satisfies(
            violation -> assertThat(violation.message()).contains("write a number from 2 to 4"));
    assertThat(decide(Reviews.scale("elastic", null)).refusingRules())
        .containsExactly("elastic-expected-in-range");
    assertThat(decide(Reviews.scale("plain", 4)).violations())
        .singleElement()
        .satisfies(violation -> assertThat(violation.message()).contains("not elastic"));
    assertThat(decide(Reviews.scale("gone", 4)).allowed()).isTrue();
  }

  private static JsonNode stored(String spec) {
    return Reviews.job("x", spec);
  }

  /** 64 pods of one job, and a quota that refuses each of them. */
  @Test
  void whatIsSaidOfAllTypesIsSaidOnceAndFitsTheApiServersLimit() throws Exception {
    answer =
        CompletableFuture.completedFuture(
            new PodAnswer(
                List.of(), List.of("spec.replicaSpecs[0].template: " + "no ".repeat(200))));
    assertThat(decide(Reviews.create(types(64))).warnings())
        .singleElement()
        .satisfies(text -> assertThat(text).hasSizeBetween(240, 250).endsWith(" no…"));

    answer =
        CompletableFuture.completedFuture(
            new PodAnswer(
                List.of(),
                IntStream.range(0, 50)
                    .mapToObj(i -> "spec.replicaSpecs[0].template: " + i + " unknown".repeat(60))
                    .toList()));
    List<String> warnings = decide(Reviews.create(types(1))).warnings();

    assertThat(warnings.stream().mapToInt(String::length).sum()).isLessThanOrEqualTo(1_300);
    assertThat(warnings).allSatisfy(text -> assertThat(text).hasSizeLessThanOrEqualTo(250));
    assertThat(warnings.get(warnings.size() - 1)).startsWith("warnings left out: 4");
  }

  @Test
  void soManyPodsAreTriedAtOnceAndNoneForWhomNobodyWaits() {
    List<CompletableFuture<PodAnswer>> sent = new ArrayList<>();
    BoundedTrial trial =
        new BoundedTrial(
            (pod, path) -> {
              CompletableFuture<PodAnswer> one = new CompletableFuture<>();
              sent.add(one);
              return one;
            },
            2);
    Pod pod = new Pod();
    TemplatePath path = new TemplatePath(new PodTemplateSpec(), pod, "spec");
    List<CompletableFuture<PodAnswer>> answers =
        IntStream.range(0, 5).mapToObj(i -> trial.create(pod, path).toCompletableFuture()).toList();
    assertThat(sent).hasSize(2);

    answers.get(2).complete(PodAnswer.NO_OBJECTION);
    sent.get(0).complete(PodAnswer.NO_OBJECTION);
    assertThat(sent).as("the third is not waited for any more").hasSize(3);
    assertThat(answers.get(0)).isCompletedWithValue(PodAnswer.NO_OBJECTION);
    answers.get(1).complete(PodAnswer.NO_OBJECTION);
    assertThat(sent).as("what was sent keeps its place until it is answered").hasSize(3);
    sent.get(1).completeExceptionally(new IllegalStateException("no connection"));
    sent.get(2).complete(PodAnswer.NO_OBJECTION);
    assertThat(sent).hasSize(4);
    sent.get(3).complete(PodAnswer.NO_OBJECTION);
    assertThat(answers).allMatch(CompletableFuture::isDone);
  }

  private static JsonNode types(int number) {
    return Reviews.job(
        "mnist",
        IntStream.range(0, number)
            .mapToObj(i -> "{type: t" + i + ", " + Reviews.TEMPLATE + "}")
            .collect(Collectors.joining(", ", "{replicaSpecs: [", "]}")));
  }
}
