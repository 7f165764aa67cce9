package dev.tensorstack.training.webhook;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.StatusCause;
import io.fabric8.kubernetes.api.model.StatusCauseBuilder;
import io.fabric8.kubernetes.api.model.admission.v1.AdmissionResponse;
import io.fabric8.kubernetes.api.model.admission.v1.AdmissionReview;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/** Writes answers as {@code admission.k8s.io/v1} reviews. */
final class ReviewWriter {

  private static final int UNPROCESSABLE = 422;

  private final ObjectKind kind;
  private final KubernetesSerialization serialization;

  /**
   * A writer.
   *
   * @param kind the kind of the objects that are asked about
   */
  ReviewWriter(ObjectKind kind, KubernetesSerialization serialization) {
    this.kind = kind;
    this.serialization = serialization;
  }

  /**
   * Writes an answer.
   *
   * @param call the question
   * @param decision what is answered
   * @return JSON
   */
  String write(AdmissionCall call, Decision decision) {
    AdmissionResponse response = new AdmissionResponse();
    response.setUid(call.uid());
    response.setAllowed(decision.allowed());
    if (!decision.allowed()) {
      response.setStatus(refusal(call, decision.violations()));
    } else if (decision.patch() != null && !decision.patch().isEmpty()) {
      response.setPatchType("JSONPatch");
      response.setPatch(
          Base64.getEncoder()
              .encodeToString(decision.patch().toString().getBytes(StandardCharsets.UTF_8)));
    }
    response.setWarnings(decision.warnings());
    response.setAuditAnnotations(decision.audit());
    AdmissionReview review = new AdmissionReview();
    review.setApiVersion("admission.k8s.io/v1");
    review.setKind("AdmissionReview");
    review.setResponse(response);
    return serialization.asJson(review);
  }

  /** The shape that the API server itself gives to invalid objects; kubectl prints each cause. */
  private Status refusal(AdmissionCall call, List<Violation> violations) {
    String name = call.name() == null ? "" : call.name();
    List<StatusCause> causes =
        violations.stream()
            .map(
                violation ->
                    new StatusCauseBuilder()
                        .withField(violation.field())
                        .withReason(violation.reason().name())
                        .withMessage(violation.message())
                        .build())
            .toList();
    return new StatusBuilder()
        .withStatus("Failure")
        .withCode(UNPROCESSABLE)
        .withReason("Invalid")
        .withMessage(
            kind
                + " \""
                + name
                + "\" is invalid: "
                + violations.stream().map(Violation::describe).collect(Collectors.joining("; ")))
        .withNewDetails()
        .withName(name)
        .withGroup(kind.group())
        .withKind(kind.kind())
        .withCauses(causes)
        .endDetails()
        .build();
  }
}
