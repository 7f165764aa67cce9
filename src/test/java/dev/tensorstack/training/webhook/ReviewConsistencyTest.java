package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.trainingjob.TrainingJobKind;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReviewConsistencyTest {

  private static final String JOB =
      """
      {"uid": "u", "operation": "%s", "namespace": "%s", "name": "%s",
       "kind": {"group": "batch.tensorstack.dev", "version": "v1beta1", "kind": "PyTorchTrainingJob"},
       "object": {"metadata": {%s}, "spec": {}}%s}
      """;

  private static AdmissionCall read(String request) throws BadReviewException {
    return new ReviewReader(TrainingJobKind.KIND)
        .read(
            ("{\"apiVersion\": \"admission.k8s.io/v1\", \"kind\": \"AdmissionReview\", \"request\": "
                    + request
                    + "}")
                .getBytes(StandardCharsets.UTF_8));
  }

  private static AdmissionCall created(String namespace, String name, String metadata)
      throws BadReviewException {
    return read(JOB.formatted("CREATE", namespace, name, metadata, ""));
  }

  private static AdmissionCall updated(String name, String metadata, String old)
      throws BadReviewException {
    return read(
        JOB.formatted(
            "UPDATE", "a", name, metadata, ", \"oldObject\": {\"metadata\": {" + old + "}}"));
  }

  private static List<Violation> check(AdmissionCall call) {
    return ReviewConsistency.check(call, TrainingJobKind.KIND);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a | x | \"namespace\": \"a\", \"name\": \"x\"",
        // Made by a controller or a test: what is not said contradicts nothing.
        "a | x | \"name\": \"x\"",
        "'' | x | \"name\": \"x\"",
        "a | '' | \"generateName\": \"x-\"",
        // The validating webhook sees the name that was made, its request does not.
        "a | '' | \"namespace\": \"a\", \"name\": \"x-7k2\", \"generateName\": \"x-\"",
        // A rule says what is wrong with it.
        "a | No Name | \"name\": \"No Name\"",
      })
  void whatAnApiServerSendsIsNotDoubted(String namespace, String name, String metadata)
      throws BadReviewException {
    assertThat(check(created(namespace, name, metadata))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a | x | \"namespace\": \"b\" | metadata.namespace",
        "a | x | \"namespace\": 7 | metadata.namespace",
        "'' | x | \"namespace\": \"b\" | metadata.namespace",
        "A | x | \"namespace\": \"A\" | metadata.namespace",
        "a/pods?x= | x | | metadata.namespace",
        "../a | x | | metadata.namespace",
        "a. | x | | metadata.namespace",
        "-a | x | | metadata.namespace",
        "a | x | \"name\": \"y\" | metadata.name",
      })
  void aRequestAndAnObjectThatDisagreeAreRefused(
      String namespace, String name, String metadata, String field) throws BadReviewException {
    assertThat(check(created(namespace, name, metadata == null ? "" : metadata)))
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.field()).isEqualTo(field);
              assertThat(violation.rule()).isEqualTo("review");
              assertThat(violation.message()).contains("only an API server's own reviews");
            });
  }

  @Test
  void aNamespaceIsNoLongerThanALabel() throws BadReviewException {
    assertThat(check(created("a".repeat(63), "x", ""))).isEmpty();
    assertThat(check(created("a".repeat(64), "x", ""))).hasSize(1);
    assertThat(check(created("a".repeat(100_000), "x", "")))
        .singleElement()
        .satisfies(violation -> assertThat(violation.message()).hasSizeLessThan(300));
  }

  @Test
  void whatIsStoredHasANameAndBothObjectsAreTheOneOfTheRequest() throws BadReviewException {
    String x = "\"name\": \"x\", \"namespace\": \"a\"";
    assertThat(check(updated("x", x, x))).isEmpty();
    assertThat(check(updated("x", x, x.replace("\"a\"", "\"b\""))))
        .extracting(Violation::field)
        .containsExactly("metadata.namespace");
    assertThat(check(updated("x", x, x.replace("\"x\"", "\"y\""))))
        .extracting(Violation::field)
        .containsExactly("metadata.name");
    assertThat(check(updated("x/../y", "", "")))
        .extracting(Violation::field)
        .containsExactly("metadata.name");
    assertThat(check(updated("a-".repeat(60_000), "", "")))
        .extracting(Violation::field)
        .containsExactly("metadata.name");
  }

  @Test
  void anObjectOfAnotherKindIsRefused() throws BadReviewException {
    String request =
        JOB.formatted("CREATE", "a", "x", "\"name\": \"x\"", "")
            .replace("\"object\": {", "\"object\": {\"apiVersion\": \"v1\", \"kind\": \"Pod\", ");

    assertThat(check(read(request)))
        .extracting(Violation::field)
        .containsExactly("kind", "apiVersion");
  }

  @ParameterizedTest
  @CsvSource({"CREATE, true", "DELETE, true", "CONNECT, true", "UPDATE, false"})
  void aScaleIsOnlyUpdated(String operation, boolean refused) throws BadReviewException {
    String scale = "{\"kind\": \"Scale\", \"metadata\": {\"name\": \"x\", \"namespace\": \"a\"}}";

    assertThat(
            check(
                read(
                    """
                    {"uid": "u", "operation": "%s", "namespace": "a", "name": "x", "subResource": "scale",
                     "kind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
                     "resource": {"group": "batch.tensorstack.dev", "resource": "pytorchtrainingjobs"},
                     "object": %s, "oldObject": %s}
                    """
                        .formatted(operation, scale, scale))))
        .hasSize(refused ? 1 : 0);
  }
}
