package dev.tensorstack.training.webhook;

import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.JobAdmission;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import io.smallrye.common.annotation.Blocking;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The webhooks as the API server calls them, with {@code admission.k8s.io/v1} reviews: two paths
 * for each kind. A body that is none gets 400, a kind that is not served 404, with a {@code Status}
 * that says why.
 */
@Path("/")
@Singleton
@Startup
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class AdmissionResource {

  private static final String NO_PART = "";

  private final KubernetesSerialization serialization;
  private final Map<String, KindWebhooks<?, ?>> webhooks = new HashMap<>();

  /**
   * The webhooks.
   *
   * @param client talks to the API server
   * @param kinds the kinds that are served
   * @param accelerators what counts as an accelerator
   * @param registry where counts go
   * @param podDryRun whether the API server tries the pods of a new job
   * @param triesAtOnce how many pods are tried at once
   */
  public AdmissionResource(
      KubernetesClient client,
      AdmittedKinds kinds,
      AcceleratorResources accelerators,
      MeterRegistry registry,
      @ConfigProperty(name = "operator.webhooks.pod-dry-run", defaultValue = "true")
          boolean podDryRun,
      @ConfigProperty(name = "operator.webhooks.dry-run-parallelism", defaultValue = "32")
          int triesAtOnce) {
    serialization = client.getKubernetesSerialization();
    ApiServer apiServer = new ApiServer(client);
    PodDryRun.PodTrial trial =
        podDryRun ? new BoundedTrial(apiServer, triesAtOnce) : PodDryRun.PodTrial.NONE;
    kinds
        .byPath()
        .forEach(
            (part, kind) -> webhooks.put(part, of(kind, apiServer, trial, accelerators, registry)));
  }

  private <R extends CustomResource<?, ?>, S> KindWebhooks<R, S> of(
      JobAdmission<R, S> kind,
      ApiServer apiServer,
      PodDryRun.PodTrial trial,
      AcceleratorResources accelerators,
      MeterRegistry registry) {
    return new KindWebhooks<>(kind, serialization, apiServer, trial, accelerators, registry);
  }

  /**
   * Completes a job, and refuses a wrong one.
   *
   * @param body a review
   * @return the review's answer, 400 or 404
   */
  @POST
  @Path("mutate")
  @Blocking
  public CompletionStage<Response> mutate(byte[] body) {
    return mutate(NO_PART, body);
  }

  /**
   * The same for another kind.
   *
   * @param kind the kind's part of the path
   * @param body a review
   * @return the review's answer, 400 or 404
   */
  @POST
  @Path("mutate/{kind}")
  @Blocking
  public CompletionStage<Response> mutate(@PathParam("kind") String kind, byte[] body) {
    return answer(kind, of -> of.mutate(body));
  }

  /**
   * Checks a job as it will be stored, with a dry run of its pods.
   *
   * @param body a review
   * @return the review's answer, 400 or 404
   */
  @POST
  @Path("validate")
  @Blocking
  public CompletionStage<Response> validate(byte[] body) {
    return validate(NO_PART, body);
  }

  /**
   * The same for another kind.
   *
   * @param kind the kind's part of the path
   * @param body a review
   * @return the review's answer, 400 or 404
   */
  @POST
  @Path("validate/{kind}")
  @Blocking
  public CompletionStage<Response> validate(@PathParam("kind") String kind, byte[] body) {
    return answer(kind, of -> of.validate(body));
  }

  private interface Webhook {
    CompletionStage<String> answer(KindWebhooks<?, ?> of) throws BadReviewException;
  }

  private CompletionStage<Response> answer(String part, Webhook webhook) {
    KindWebhooks<?, ?> kind = webhooks.get(part);
    if (kind == null) {
      return CompletableFuture.completedFuture(
          failure(
              Response.Status.NOT_FOUND,
              "NotFound",
              "no kind of jobs is served here: see OPERATOR_KINDS"));
    }
    try {
      return webhook.answer(kind).thenApply(review -> Response.ok(review).build());
    } catch (BadReviewException bad) {
      return CompletableFuture.completedFuture(
          failure(
              Response.Status.BAD_REQUEST,
              "BadRequest",
              "no admission review: " + bad.getMessage()));
    }
  }

  private Response failure(Response.Status status, String reason, String message) {
    return Response.status(status)
        .entity(
            serialization.asJson(
                new StatusBuilder()
                    .withStatus("Failure")
                    .withCode(status.getStatusCode())
                    .withReason(reason)
                    .withMessage(message)
                    .build()))
        .build();
  }
}
