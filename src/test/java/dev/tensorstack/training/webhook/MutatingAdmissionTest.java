package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.admission.Defaulter;
import dev.tensorstack.training.admission.Warnings;
import dev.tensorstack.training.policy.AcceleratorResources;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.zjsonpatch.JsonPatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class MutatingAdmissionTest {

  private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();
  private static final MutatingAdmission MUTATING =
      new MutatingAdmission(
          new JobReader(SERIALIZATION),
          new Defaulter(AcceleratorResources.DEFAULT),
          new Warnings(AcceleratorResources.DEFAULT),
          new Completion(SERIALIZATION));

  private static final String PLAIN = "{replicaSpecs: [{type: worker, " + Reviews.TEMPLATE + "}]}";

  private static JsonNode completed(JsonNode job) {
    Decision decision = MUTATING.decide(Reviews.create(job));
    assertThat(decision.violations()).isEmpty();
    return JsonPatch.apply(decision.patch(), job);
  }

  private static List<String> paths(Decision decision) {
    List<String> paths = new ArrayList<>();
    for (JsonNode operation : Objects.requireNonNull(decision.patch())) {
      paths.add(operation.path("op").asText() + " " + operation.path("path").asText());
    }
    return paths;
  }

  @Test
  void thePatchHoldsNothingButTheDefaults() {
    Decision decision = MUTATING.decide(Reviews.create(Reviews.job("mnist", PLAIN)));

    assertThat(paths(decision))
        .containsExactlyInAnyOrder(
            "add /spec/replicaSpecs/0/replicas",
            "add /spec/replicaSpecs/0/restartPolicy",
            "add /spec/replicaSpecs/0/template/spec/restartPolicy",
            "add /spec/runPolicy");
    assertThat(decision.audit().get("completed")).contains("/spec/runPolicy");
  }

  @Test
  void aCompletedJobNeedsNoPatch() {
    JsonNode once = completed(Reviews.job("mnist", PLAIN));

    assertThat(MUTATING.decide(Reviews.create(once)).patch()).isEmpty();
  }

  @Test
  void whatTheOperatorDoesNotKnowStaysAsItIs() {
    JsonNode job =
        Reviews.job(
            "mnist",
            "{newField: {a: [1, 2]}, replicaSpecs: [{type: worker, newer: 1.50, template: {spec:"
                + " {brandNew: {x: null}, containers: [{name: c, image: i, args: [t.py], future: 7,"
                + " resources: {limits: {cpu: 1000m, memory: 1.5Gi, 'x/y': 2}}}]}}}]}");

    JsonNode after = completed(job);

    assertThat(after.at("/spec/newField/a/1").asInt()).isEqualTo(2);
    assertThat(after.at("/spec/replicaSpecs/0/newer"))
        .isEqualTo(job.at("/spec/replicaSpecs/0/newer"));
    assertThat(after.at("/spec/replicaSpecs/0/template/spec/brandNew"))
        .isEqualTo(job.at("/spec/replicaSpecs/0/template/spec/brandNew"));
    assertThat(after.at("/spec/replicaSpecs/0/template/spec/containers"))
        .isEqualTo(job.at("/spec/replicaSpecs/0/template/spec/containers"));
  }

  @Test
  void oldSpellingIsRewritten() {
    JsonNode after =
        completed(
            Reviews.job(
                "mnist",
                "{torchrunConfig: {enable: true, minNodes: 3}, elastic: {enable: true, minReplicas:"
                    + " 1, maxReplicas: 4}, runMode: {debug: {enable: false}}, replicaSpecs: [{type:"
                    + " worker, replicas: 9, "
                    + Reviews.TEMPLATE
                    + "}]}"));

    assertThat(after.at("/spec/torchrunConfig/enabled").asBoolean()).isTrue();
    assertThat(after.at("/spec/torchrunConfig/enable").isMissingNode()).isTrue();
    assertThat(after.at("/spec/torchrunConfig/rdzvBackend").asText()).isEqualTo("c10d");
    assertThat(after.at("/spec/torchrunConfig/procPerNode").asText()).isEqualTo("1");
    assertThat(after.at("/spec/elastic/enabled").asBoolean()).isTrue();
    assertThat(after.at("/spec/elastic/expectedReplicas").asInt()).isEqualTo(4);
    assertThat(after.at("/spec/replicaSpecs/0/scalingWeight").asInt()).isEqualTo(1);
    assertThat(after.at("/spec/runMode/debug/enabled").isBoolean()).isTrue();
    assertThat(after.at("/spec/runPolicy/restartScope").asText()).isEqualTo("Replica");
  }

  @Test
  void allViolationsComeAtOnce() {
    Decision decision =
        MUTATING.decide(
            Reviews.create(
                Reviews.job(
                    "Mnist",
                    "{elastic: {enabled: true, minReplicas: 5, maxReplicas: 4}, runPolicy:"
                        + " {backoffLimit: -1}, replicaSpecs: [{type: worker, "
                        + Reviews.TEMPLATE
                        + "}]}")));

    assertThat(decision.refusingRules())
        .contains("job-name", "elastic-needs-torchrun", "elastic-bounds", "run-policy");
    assertThat(decision.audit().get("refused-by")).contains("elastic-bounds");
  }

  @Test
  void whatNoTypeCanHoldIsLeftToTheSchema() {
    Decision decision =
        MUTATING.decide(
            Reviews.create(
                Reviews.job("mnist", "{runPolicy: {backoffLimit: many}, replicaSpecs: []}")));

    assertThat(decision).isEqualTo(Decision.ADMITTED);
  }

  @Test
  void anUnchangedReapplyIsAdmittedWhateverTheJob() {
    JsonNode invalid = Reviews.job("x", "{elastic: {enabled: true}, replicaSpecs: []}");
    JsonNode again = Reviews.job("x", "{elastic: {enable: true}, replicaSpecs: []}");

    assertThat(MUTATING.decide(Reviews.update(invalid, invalid)).allowed()).isTrue();
    assertThat(MUTATING.decide(Reviews.update(invalid, again)).allowed()).isTrue();
  }

  @Test
  void aJobFromBeforeARuleCanStillBePausedAndSaysWhatIsWrong() {
    String spec =
        "runPolicy: {backoffLimit: -3}, replicaSpecs: [{type: w, " + Reviews.TEMPLATE + "}]";
    JsonNode old = Reviews.job("x", "{" + spec + "}");
    JsonNode paused = Reviews.job("x", "{runMode: {pause: {enabled: true}}, " + spec + "}");

    Decision decision = MUTATING.decide(Reviews.update(old, paused));

    assertThat(decision.allowed()).isTrue();
    assertThat(decision.warnings())
        .anySatisfy(
            text -> assertThat(text).startsWith("still wrong: spec.runPolicy.backoffLimit"));
  }

  @Test
  void theUserIsWarnedOfWhatMayNotBeMeant() {
    String old = "{torchrunConfig: {enable: true}, replicaSpecs: [{type: w, %s}]}";

    assertThat(
            MUTATING
                .decide(Reviews.create(Reviews.job("x", old.formatted(Reviews.TEMPLATE))))
                .warnings())
        .singleElement()
        .asString()
        .contains("spec.torchrunConfig.enable", "enabled: true");
  }

  @Test
  void aMalformedQuantityIsAChangeLikeAnyOther() {
    String job =
        "{replicaSpecs: [{type: w, template: {spec: {containers: [{name: c, args: [t.py], resources:"
            + " {limits: {memory: %s}}}]}}}]}";
    JsonNode fine = Reviews.job("x", job.formatted("1Gi"));
    JsonNode odd = Reviews.job("x", job.formatted("much"));

    assertThat(MUTATING.decide(Reviews.update(fine, odd)).refusingRules())
        .containsExactly("immutable");
    assertThat(MUTATING.decide(Reviews.update(odd, odd)).allowed()).isTrue();
    assertThat(MUTATING.decide(Reviews.create(odd)).allowed()).isTrue();
  }

  @Test
  void aChangeThatAddsAMistakeIsRefused() {
    JsonNode old = Reviews.job("x", PLAIN);
    JsonNode changed =
        Reviews.job(
            "x",
            "{runPolicy: {backoffLimit: -3}, replicaSpecs: [{type: w, " + Reviews.TEMPLATE + "}]}");

    assertThat(MUTATING.decide(Reviews.update(old, changed)).refusingRules())
        .containsExactlyInAnyOrder("run-policy", "immutable");
  }
}
