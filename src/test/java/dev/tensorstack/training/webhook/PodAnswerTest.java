package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.Violation;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodAnswerTest {

  private static final String PREFIX = "spec.replicaSpecs[1].template";

  private static final PodTemplateSpec TEMPLATE =
      new PodTemplateSpecBuilder()
          .withNewSpec()
          .addToContainers(
              new ContainerBuilder().withName("c").withEnv(new EnvVar("A", "a", null)).build())
          .endSpec()
          .build();

  private static final Pod POD =
      new PodBuilder()
          .withNewSpec()
          .addToContainers(
              new ContainerBuilder()
                  .withName("c")
                  .withEnv(
                      new EnvVar("MASTER_ADDR", "m", null),
                      new EnvVar("RANK", "0", null),
                      new EnvVar("A", "a", null))
                  .build())
          .endSpec()
          .build();

  private static final TemplatePath PATH = new TemplatePath(TEMPLATE, POD, PREFIX);

  private static Status status(String message) {
    return new StatusBuilder().withMessage(message).build();
  }

  private static Status cause(String field, String reason, String message) {
    return new StatusBuilder(status("Pod is invalid"))
        .withNewDetails()
        .addNewCause(field, message, reason)
        .endDetails()
        .build();
  }

  @ParameterizedTest
  @CsvSource({
    "spec.containers[0].image, spec.containers[0].image",
    "spec.containers[0].env[2].name, spec.containers[0].env[0].name",
    "spec.containers[0].env[2], spec.containers[0].env[0]",
    "spec.containers[0].env[1].value, spec.containers[0].env",
    "spec.initContainers[3].env[1].value, spec.initContainers[3].env[1].value",
    "metadata.labels, metadata.labels",
  })
  void fieldsAreThoseOfTheJob(String podField, String jobField) {
    PodAnswer answer =
        PodAnswer.of(422, cause(podField, "FieldValueRequired", "Required value"), List.of(), PATH);

    assertThat(answer.violations())
        .containsExactly(
            new Violation(
                "pod-dry-run",
                PREFIX + "." + jobField,
                Violation.Reason.FieldValueRequired,
                "Required value"));
  }

  @Test
  void anAnswerWithoutFieldsNamesTheTemplate() {
    PodAnswer answer =
        PodAnswer.of(400, status("quantities must match the regular expression"), List.of(), PATH);

    assertThat(answer.violations())
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.field()).isEqualTo(PREFIX);
              assertThat(violation.message()).contains("quantities must match");
            });
  }

  @ParameterizedTest
  @CsvSource({
    "403, pods \"x\" is forbidden: , exceeded quota: q",
    "403, pods \"x\" is forbidden: , violates PodSecurity \"restricted:latest\"",
    "400, '', admission webhook \"policy.example.com\" denied the request: no latest tags",
    "422, '', ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no",
  })
  void quotasAndPoliciesWarnOnlyAndTheTriedPodIsNotNamed(
      int code, String whichPod, String message) {
    PodAnswer answer =
        PodAnswer.of(
            code,
            status(whichPod.isEmpty() ? message : whichPod.strip() + " " + message),
            List.of(),
            PATH);

    assertThat(answer.violations()).isEmpty();
    assertThat(answer.warnings())
        .singleElement()
        .isEqualTo(PREFIX + ": its pods would be refused at present: " + message);
  }

  @ParameterizedTest
  @CsvSource({
    "404, namespaces \"x\" not found",
    "409, pods \"x\" already exists",
    "429, too many requests",
    "500, internal error",
    "400, admission webhook \"w\" does not support dry run",
  })
  void whatSaysNothingAboutThePodIsNoObjection(int code, String message) {
    assertThat(PodAnswer.of(code, status(message), List.of(), PATH))
        .isEqualTo(PodAnswer.NO_OBJECTION);
  }

  /** No other answer is remembered. */
  @Test
  void onlyACreatedPodThatNothingWasSaidOfIsTaken() {
    assertThat(PodAnswer.of(201, null, List.of(), PATH).taken()).isTrue();
    assertThat(PodAnswer.of(201, null, List.of("299 - \"careful\""), PATH).taken()).isFalse();
    assertThat(PodAnswer.of(403, status("forbidden"), List.of(), PATH).taken()).isFalse();
    assertThat(PodAnswer.of(500, null, List.of(), PATH).taken()).isFalse();
  }

  @Test
  void anErrorWithoutABodyIsNoObjection() {
    assertThat(PodAnswer.of(400, null, List.of(), PATH)).isEqualTo(PodAnswer.NO_OBJECTION);
  }

  private static PodTemplateSpec template(EnvVar... env) {
    return new PodTemplateSpecBuilder()
        .withNewSpec()
        .addToContainers(new ContainerBuilder().withName("c").withEnv(env).build())
        .endSpec()
        .build();
  }

  private static List<String> hiding(PodTemplateSpec template, Pod pod, int entry) {
    return PodAnswer.of(
            201,
            null,
            List.of(
                "299 - \"spec.containers[0].env["
                    + entry
                    + "]: hides previous definition of \\\"RANK\\\", which may be dropped when using"
                    + " apply\""),
            new TemplatePath(template, pod, PREFIX))
        .warnings();
  }

  private static Pod pod(EnvVar... env) {
    return new PodBuilder()
        .withNewSpec()
        .addToContainers(new ContainerBuilder().withName("c").withEnv(env).build())
        .endSpec()
        .build();
  }

  private static final EnvVar A = new EnvVar("A", "a", null);
  private static final EnvVar RANK = new EnvVar("RANK", "7", null);
  private static final EnvVar OPERATORS = new EnvVar("RANK", "0", null);
  private static final EnvVar ADDRESS = new EnvVar("MASTER_ADDR", "m", null);

  @Test
  void aVariableThatTheOperatorReplacesIsNamedByTheUsersField() {
    assertThat(hiding(template(A, RANK), pod(A, RANK, ADDRESS, OPERATORS), 3))
        .containsExactly(
            PREFIX
                + ".spec.containers[0].env[1]: the operator sets RANK too, and its value wins:"
                + " take it out");
  }

  @Test
  void aVariableThatReplacesTheOperatorsIsNamedByTheUsersField() {
    assertThat(hiding(template(A, RANK), pod(ADDRESS, OPERATORS, A, RANK), 3))
        .containsExactly(PREFIX + ".spec.containers[0].env[1]: hides another definition of RANK");
  }

  @Test
  void entriesThatComeBeforeTheOperatorsKeepTheirPlace() {
    TemplatePath path = new TemplatePath(template(A, RANK), pod(A, RANK, ADDRESS), PREFIX);

    assertThat(path.of("spec.containers[0].env[1].name"))
        .isEqualTo(PREFIX + ".spec.containers[0].env[1].name");
    assertThat(path.of("spec.containers[0].env[2].name"))
        .isEqualTo(PREFIX + ".spec.containers[0].env");
  }

  @Test
  void misspeltFieldsAreWarnedAbout() {
    PodAnswer answer =
        PodAnswer.of(
            201,
            null,
            List.of(
                "299 - \"unknown field \\\"spec.containers[0].resource\\\"\"",
                "299 - \"would violate PodSecurity \\\"restricted:latest\\\": runAsNonRoot\""),
            PATH);

    assertThat(answer.violations()).isEmpty();
    assertThat(answer.warnings())
        .containsExactly(
            PREFIX
                + ".spec.containers[0].resource: no pod has such a field, it is ignored; is it"
                + " misspelt?",
            PREFIX + ": would violate PodSecurity \"restricted:latest\": runAsNonRoot");
  }
}
