package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tensorstack.training.kind.trainingjob.TrainingJobKind;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ReviewReaderTest {

  private static final String JOB_KIND =
      "\"kind\": {\"group\": \"batch.tensorstack.dev\", \"version\": \"v1beta1\", \"kind\": \"PyTorchTrainingJob\"}";

  private static String review(String request) {
    return "{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\", \"request\": "
        + request
        + "}";
  }

  private static AdmissionCall read(String body) throws BadReviewException {
    return new ReviewReader(TrainingJobKind.KIND).read(body.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aCreationHasNoOldObject() throws BadReviewException {
    AdmissionCall call =
        read(
            review(
                "{\"uid\": \"u\", \"operation\": \"CREATE\", "
                    + JOB_KIND
                    + ", \"namespace\": \"ns\", \"object\": {\"metadata\": {\"name\": \"x\"}},"
                    + " \"oldObject\": null}"));

    assertThat(call.uid()).isEqualTo("u");
    assertThat(call.name()).isEqualTo("x");
    assertThat(call.namespace()).isEqualTo("ns");
    assertThat(call.old()).isNull();
    assertThat(call.leavesTheSpec()).isFalse();
  }

  @Test
  void aNameThatTheApiServerHasNotYetMadeIsNull() throws BadReviewException {
    AdmissionCall call =
        read(
            review(
                "{\"uid\": \"u\", \"operation\": \"CREATE\", "
                    + JOB_KIND
                    + ", \"name\": \"\", \"object\": {\"metadata\": {\"generateName\": \"x-\"}}}"));

    assertThat(call.name()).isNull();
  }

  static Stream<Arguments> hostile() {
    String deep = "[".repeat(100_000) + "]".repeat(100_000);
    return Stream.of(
        Arguments.of("", "no JSON object"),
        Arguments.of("not json", "no JSON"),
        Arguments.of("[]", "no JSON object"),
        Arguments.of("null", "no JSON object"),
        Arguments.of("{\"kind\":", "no JSON"),
        Arguments.of("{} trailing", "no JSON"),
        Arguments.of("\u0000\u0001\u00ff", "no JSON"),
        Arguments.of("{}", "kind is not AdmissionReview"),
        Arguments.of("{\"kind\": {\"a\": 1}}", "kind is not AdmissionReview"),
        Arguments.of("{\"kind\": " + deep + "}", "kind is not AdmissionReview"),
        Arguments.of("{\"kind\": " + deep, "no JSON"),
        Arguments.of("{\"kind\": " + deep + "} 7", "no JSON"),
        Arguments.of("{\"kind\": 1" + "0".repeat(100_000) + "}", "kind is not AdmissionReview"),
        Arguments.of(
            "{\"kind\": \"AdmissionReview\", \"apiVersion\": \"admission.k8s.io/v1beta1\"}",
            "only admission.k8s.io/v1 is understood"),
        Arguments.of(review("null"), "uid"),
        Arguments.of(review("[]"), "uid"),
        Arguments.of(review("{\"uid\": 7}"), "uid"),
        Arguments.of(review("{\"uid\": \"" + "u".repeat(300) + "\"}"), "uid"),
        Arguments.of(review("{\"uid\": \"u\"}"), "request.operation"),
        Arguments.of(review("{\"uid\": \"u\", \"operation\": \"create\"}"), "request.operation"),
        Arguments.of(review("{\"uid\": \"u\", \"operation\": \"CREATE\"}"), "request.kind"),
        Arguments.of(
            review(
                "{\"uid\": \"u\", \"operation\": \"CREATE\", \"kind\": {\"group\": \"\", \"kind\": \"Pod\"}}"),
            "request.kind"),
        Arguments.of(
            review(
                "{\"uid\": \"u\", \"operation\": \"UPDATE\", \"subResource\": \"scale\","
                    + " \"kind\": {\"group\": \"autoscaling\", \"kind\": \"Scale\"},"
                    + " \"resource\": {\"group\": \"apps\", \"resource\": \"deployments\"}}"),
            "request.resource is not pytorchtrainingjobs"),
        Arguments.of(
            review("{\"uid\": \"u\", \"operation\": \"CREATE\", " + JOB_KIND + "}"),
            "request.object is missing"),
        Arguments.of(
            review("{\"uid\": \"u\", \"operation\": \"CREATE\", " + JOB_KIND + ", \"object\": 7}"),
            "request.object is no JSON object"),
        Arguments.of(
            review("{\"uid\": \"u\", \"operation\": \"UPDATE\", " + JOB_KIND + ", \"object\": {}}"),
            "request.oldObject is missing"));
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void whatIsNoReviewIsSaidToBeNone(String body, String message) {
    assertThatThrownBy(() -> read(body))
        .isInstanceOf(BadReviewException.class)
        .hasMessageContaining(message)
        .satisfies(problem -> assertThat(problem.toString()).hasSizeLessThan(500));
  }

  @Test
  void aJobOnItsWayOutLeavesTheSpec() throws BadReviewException {
    AdmissionCall call =
        read(
            review(
                "{\"uid\": \"u\", \"operation\": \"UPDATE\", "
                    + JOB_KIND
                    + ", \"object\": {\"metadata\": {\"name\": \"x\", \"deletionTimestamp\": \"2026-01-01T00:00:00Z\"}, \"spec\": {\"a\": 1}},"
                    + " \"oldObject\": {\"metadata\": {\"name\": \"x\"}, \"spec\": {}}}"));

    assertThat(call.leavesTheSpec()).isTrue();
  }

  /** The API server drops it after the mutating webhooks. */
  @Test
  void aTimeOfDeletionInANewJobIsNone() throws BadReviewException {
    AdmissionCall call =
        read(
            review(
                "{\"uid\": \"u\", \"operation\": \"CREATE\", "
                    + JOB_KIND
                    + ", \"object\": {\"metadata\": {\"name\": \"x\", \"deletionTimestamp\": \"2026-01-01T00:00:00Z\"}, \"spec\": {\"a\": 1}}}"));

    assertThat(call.leavesTheSpec()).isFalse();
  }

  @Test
  void aChangeOfMetadataOnlyLeavesTheSpec() throws BadReviewException {
    AdmissionCall call =
        read(
            review(
                "{\"uid\": \"u\", \"operation\": \"UPDATE\", "
                    + JOB_KIND
                    + ", \"object\": {\"metadata\": {\"name\": \"x\", \"labels\": {\"a\": \"b\"}}, \"spec\": {\"bad\": 1}},"
                    + " \"oldObject\": {\"metadata\": {\"name\": \"x\"}, \"spec\": {\"bad\": 1}}}"));

    assertThat(call.leavesTheSpec()).isTrue();
  }
}
