package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.trainingjob.TrainingJobAdmission;
import dev.tensorstack.training.kind.trainingjob.TrainingJobDefaults;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.zjsonpatch.JsonPatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MutatingAdmissionTest {

  private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();
  private static final TrainingJobAdmission KIND =
      new TrainingJobAdmission(AcceleratorResources.DEFAULT, TrainingJobDefaults.NONE);
  private static final MutatingAdmission<?> MUTATING =
      new MutatingAdmission<>(
          KIND, JobReader.of(KIND, SERIALIZATION), new DefaultingPatch(SERIALIZATION));

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
            "add /spec/elastic",
            "add /spec/runPolicy");
    assertThat(decision.audit().get("completed")).contains("/spec/runPolicy");
  }

  private static final String ODD =
      "torchrunConfig: {enable: true, minNodes: 3}, replicaSpecs: [{type: worker, "
          + Reviews.TEMPLATE
          + "}]}";

  /** Defaults and warnings say what this operator does, and it does nothing. */
  @Test
  void aJobOfSomebodyElseStaysAsItIsWrittenWithoutAWarning() {
    Decision decision =
        MUTATING.decide(
            Reviews.create(Reviews.job("mnist", "{managedBy: kueue.x-k8s.io/multikueue, " + ODD)));

    assertThat(decision).isEqualTo(Decision.ADMITTED);
  }

  @Test
  void aJobThatNamesThisOperatorIsCompleted() {
    Decision decision =
        MUTATING.decide(
            Reviews.create(
                Reviews.job(
                    "mnist",
                    "{managedBy: batch.tensorstack.dev/pytorchtrainingjob-operator, " + ODD)));

    assertThat(paths(decision)).contains("add /spec/runPolicy");
    assertThat(decision.warnings()).isNotEmpty();
  }

  @Test
  void aJobOfSomebodyElseIsCheckedAsAllAre() {
    Decision decision =
        MUTATING.decide(
            Reviews.create(
                Reviews.job(
                    "mnist",
                    "{managedBy: example.com/other, runPolicy: {backoffLimit: -1}, " + ODD)));

    assertThat(decision.refusingRules()).containsExactly("run-policy");
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

  /** What the API server shows after a re-apply: the stored spelling beside the one given again. */
  @ParameterizedTest
  @CsvSource({"debug, true", "debug, false", "pause, true", "pause, false"})
  void anOldManifestThatIsAppliedAgainSwitchesTheRunMode(String mode, boolean wanted) {
    String job = "{runMode: {%s: {%s}}, replicaSpecs: [{type: w, " + Reviews.TEMPLATE + "}]}";
    JsonNode stored = completed(Reviews.job("x", job.formatted(mode, "enabled: " + !wanted)));
    JsonNode again =
        Reviews.job("x", job.formatted(mode, "enabled: " + !wanted + ", enable: " + wanted));

    Decision decision = MUTATING.decide(Reviews.update(stored, again));

    assertThat(decision.violations()).isEmpty();
    assertThat(decision.warnings())
        .containsExactly(
            "spec.runMode.%s.enable: old spelling, stored as enabled: write \"enabled: %s\""
                .formatted(mode, wanted));
    JsonNode block = JsonPatch.apply(decision.patch(), again).at("/spec/runMode/" + mode);
    assertThat(block.path("enabled")).isEqualTo(BooleanNode.valueOf(wanted));
    assertThat(block.has("enable")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"torchrunConfig, true", "torchrunConfig, false", "elastic, true", "elastic, false"})
  void anOldManifestCannotSwitchWhatIsFixedAndIsToldSo(String block, boolean wanted) {
    String job =
        "{torchrunConfig: {enabled: true}, %s: {%s, minReplicas: 1, maxReplicas: 4},"
            + " replicaSpecs: [{type: w, "
            + Reviews.TEMPLATE
            + "}]}";
    if (block.equals("torchrunConfig")) {
      job = "{%s: {%s}, replicaSpecs: [{type: w, " + Reviews.TEMPLATE + "}]}";
    }
    JsonNode stored = completed(Reviews.job("x", job.formatted(block, "enabled: " + !wanted)));
    JsonNode again =
        Reviews.job("x", job.formatted(block, "enabled: " + !wanted + ", enable: " + wanted));

    assertThat(MUTATING.decide(Reviews.update(stored, again)).violations())
        .anySatisfy(
            violation -> {
              assertThat(violation.rule()).contains("immutable");
              assertThat(violation.field()).isEqualTo("spec." + block + ".enabled");
              assertThat(violation.message()).contains("cannot be changed");
            });
  }

  /** Else it would be switched on and off by each apply. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "annotations: {kubectl.kubernetes.io/last-applied-configuration:"
            + " '{\"spec\":{\"runMode\":{\"pause\":{\"enable\":true,\"enabled\":false}}}}'}",
        "managedFields: [{manager: flux, operation: Apply, fieldsV1: {f:spec: {f:runMode: {f:pause:"
            + " {f:enable: {}, f:enabled: {}}}}}}]"
      })
  void oneManifestWithBothSpellingsMeansTheNewOneAtEachApply(String metadata) {
    JsonNode again = both(metadata);

    Decision decision = MUTATING.decide(Reviews.update(completed(paused("enabled: false")), again));

    assertThat(JsonPatch.apply(decision.patch(), again).at("/spec/runMode/pause"))
        .isEqualTo(Reviews.yaml("{enabled: false}"));
    assertThat(decision.allowed()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "annotations: {kubectl.kubernetes.io/last-applied-configuration:"
            + " '{\"spec\":{\"runMode\":{\"pause\":{\"enable\":true}}}}'}",
        "annotations: {kubectl.kubernetes.io/last-applied-configuration:"
            + " '{\"spec\":{\"runMode\":{\"pause\":{\"enable\":true,\"enabled\":true}}}}'}",
        "annotations: {kubectl.kubernetes.io/last-applied-configuration: '{\"spec'}",
        "annotations: {kubectl.kubernetes.io/last-applied-configuration: '7'}",
        "managedFields: [{manager: flux, operation: Apply, fieldsV1: {f:spec: {f:runMode: {f:pause:"
            + " {f:enable: {}}}}}}]",
        "managedFields: [{manager: me, operation: Update, fieldsV1: {f:spec: {f:runMode: {f:pause:"
            + " {f:enable: {}, f:enabled: {}}}}}}]",
        "managedFields: 7"
      })
  void theSpellingsOfAManifestAndOfTheStoredJobAreNotTakenForOneManifest(String metadata) {
    JsonNode again = both(metadata);

    Decision decision = MUTATING.decide(Reviews.update(completed(paused("enabled: false")), again));

    assertThat(JsonPatch.apply(decision.patch(), again).at("/spec/runMode/pause"))
        .isEqualTo(Reviews.yaml("{enabled: true}"));
  }

  private static JsonNode paused(String spellings) {
    return Reviews.job(
        "x",
        "{runMode: {pause: {"
            + spellings
            + "}}, replicaSpecs: [{type: w, "
            + Reviews.TEMPLATE
            + "}]}");
  }

  private static JsonNode both(String metadata) {
    ObjectNode job = (ObjectNode) paused("enabled: false, enable: true");
    ((ObjectNode) job.get("metadata")).setAll((ObjectNode) Reviews.yaml("{" + metadata + "}"));
    return job;
  }

  @Test
  void theOldSpellingThatWasStoredBesideTheNewOneSwitchesNothing() {
    String job =
        "{runMode: {pause: {enabled: false, enable: true}}, runPolicy: {backoffLimit: %s},"
            + " replicaSpecs: [{type: w, "
            + Reviews.TEMPLATE
            + "}]}";

    JsonNode changed = Reviews.job("x", job.formatted(5));
    Decision decision =
        MUTATING.decide(Reviews.update(Reviews.job("x", job.formatted(4)), changed));

    assertThat(JsonPatch.apply(decision.patch(), changed).at("/spec/runMode/pause/enabled"))
        .isEqualTo(BooleanNode.FALSE);
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
