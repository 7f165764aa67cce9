package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.trainingjob.TrainingJobKind;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is beyond the limits of reading is answered like anything else. */
class OverlongReviewTest {

  private static String nested(int levels, String inside) {
    return "{\"a\": ".repeat(levels) + inside + "}".repeat(levels);
  }

  private static String job(String template, String metadata) {
    return "{\"metadata\": {\"name\": \"x\""
        + metadata
        + "}, \"spec\": {\"replicaSpecs\": [{\"type\": \"w\", \"template\": "
        + template
        + "}]}}";
  }

  private static AdmissionCall read(String object, String old) throws BadReviewException {
    String review =
        "{\"kind\": \"AdmissionReview\", \"apiVersion\": \"admission.k8s.io/v1\", \"request\":"
            + " {\"uid\": \"u\", \"operation\": \"%s\", \"kind\": {\"group\":"
            + " \"batch.tensorstack.dev\", \"kind\": \"PyTorchTrainingJob\"}, \"namespace\": \"ns\","
            + " \"object\": %s, \"oldObject\": %s}}";
    return new ReviewReader(TrainingJobKind.KIND)
        .read(
            review
                .formatted(old.equals("null") ? "CREATE" : "UPDATE", object, old)
                .getBytes(StandardCharsets.UTF_8));
  }

  private static AdmissionCall read(String object) throws BadReviewException {
    return read(object, "null");
  }

  /** The spec, its list and the entry are three. */
  @Test
  void aHundredLevelsAreReadAndNoMore() throws BadReviewException {
    assertThat(read(job(nested(97, "1"), "")).excesses()).isEmpty();

    AdmissionCall call = read(job(nested(98, "1"), ""));

    assertThat(call.uid()).isEqualTo("u");
    assertThat(call.name()).isEqualTo("x");
    assertThat(call.excesses())
        .containsExactly(
            new Violation(
                "readable",
                "spec.replicaSpecs[0].template.a.a.a.a.a.a.a.a.a…",
                Violation.Reason.FieldValueInvalid,
                "is nested deeper than 100 levels: leave out what is below"));
  }

  @Test
  void aNameOfAThousandCharactersIsReadAndNoLongerOne() throws BadReviewException {
    String template = "{\"spec\": {\"%s\": 1}}";
    assertThat(read(job(template.formatted("k".repeat(1_000)), "")).excesses()).isEmpty();
    assertThat(read(job(template.formatted("k".repeat(1_001)), "")).excesses())
        .containsExactly(
            new Violation(
                "readable",
                "spec.replicaSpecs[0].template.spec",
                Violation.Reason.FieldValueInvalid,
                "has a name of 1001 characters, more than 1000: write a shorter one"));
  }

  @Test
  void aNumberThatNothingCanHoldIsNamed() throws BadReviewException {
    assertThat(read(job("{\"a\": 1" + "0".repeat(5_000) + "}", "")).excesses())
        .extracting(Violation::describe)
        .containsExactly(
            "spec.replicaSpecs[0].template.a: is a number of 5001 digits, which nothing can hold:"
                + " write a shorter one");
    assertThat(read(job("{\"a\": 1e99999999999}", "")).excesses())
        .extracting(Violation::describe)
        .containsExactly(
            "spec.replicaSpecs[0].template.a: is a number with an exponent that nothing can hold:"
                + " write a smaller one");
  }

  /** Managed fields follow the object, and name entries by what is in them. */
  @Test
  void whatIsNotReadMayBeAsItLikes() throws BadReviewException {
    String metadata = ", \"managedFields\": [{\"fieldsV1\": " + nested(300, "1") + "}]";
    assertThat(read(job("{}", metadata)).excesses()).isEmpty();
    assertThat(read(job("{}", ", \"x\": {\"" + "k".repeat(60_000) + "\": 1}")).excesses())
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 10_000})
  void onAStoredOneAnythingElseCanBeChanged(int levels) throws BadReviewException {
    String hostile = nested(levels, "1");
    AdmissionCall labelled = read(job(hostile, ", \"labels\": {\"a\": \"b\"}"), job(hostile, ""));
    assertThat(labelled.leavesTheSpec()).isTrue();
    assertThat(labelled.labels()).containsEntry("a", "b");

    AdmissionCall changed = read(job(nested(levels, "2"), ""), job(hostile, ""));
    assertThat(changed.leavesTheSpec()).isFalse();
    assertThat(changed.excesses()).hasSize(1);

    AdmissionCall corrected = read(job("{}", ""), job(hostile, ""));
    assertThat(corrected.leavesTheSpec()).isFalse();
    assertThat(corrected.excesses()).isEmpty();
    assertThat(corrected.oldIsWhole()).isFalse();

    AdmissionCall going =
        read(
            job(nested(levels, "2"), ", \"deletionTimestamp\": \"2026-01-01T00:00:00Z\""),
            job(hostile, ""));
    assertThat(going.leavesTheSpec()).isTrue();
  }

  @Test
  void namesAndTextBesideItAreReadAsTheyAre() throws BadReviewException {
    AdmissionCall call =
        read(
            job(
                "{\"deep\": "
                    + nested(200, "1")
                    + ", \"n\": [1, 2.5, -3e2, true, null, \"ü\\\"\"]}",
                ""));
    assertThat(call.object().at("/spec/replicaSpecs/0/template/n").toString())
        .isEqualTo("[1,2.5,-3E+2,true,null,\"ü\\\"\"]");
  }

  @Test
  void ofAThousandMistakesAFewAreTold() throws BadReviewException {
    String name = "\"" + "k".repeat(1_001);
    StringBuilder template = new StringBuilder("{");
    for (int i = 0; i < 1_000; i++) {
      template.append(i == 0 ? "" : ", ").append(name).append(i).append("\": 1");
    }
    assertThat(read(job(template.append("}").toString(), "")).excesses()).hasSize(5);
  }
}
