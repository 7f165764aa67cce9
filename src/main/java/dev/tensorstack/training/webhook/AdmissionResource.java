package dev.tensorstack.training.webhook;

import dev.tensorstack.training.core.model.Violation;
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
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The two webhooks as the API server calls them, with {@code admission.k8s.io/v1} reviews. A body
 * that is none gets 400 with a {@code Status} that says why.
 */
@Path("/")
@Singleton
@Startup
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class AdmissionResource {

  private final JobAdmission<?, ?> kind;
  private final ReviewReader reader;
  private final KubernetesSerialization serialization;
  private final ReviewWriter writer;
  private final MutatingAdmission<?> mutating;
  private final ValidatingAdmission<?> validating;
  private final AdmissionMetrics metrics;

  /**
   * The webhooks.
   *
   * @param client talks to the API server
   * @param kind the kind of jobs
   * @param accelerators what counts as an accelerator
   * @param registry where counts go
   * @param podDryRun whether the API server tries the pods of a new job
   * @param triesAtOnce how many pods are tried at once
   */
  public AdmissionResource(
      KubernetesClient client,
      JobAdmission<?, ?> kind,
      AcceleratorResources accelerators,
      MeterRegistry registry,
      @ConfigProperty(name = "operator.webhooks.pod-dry-run", defaultValue = "true")
          boolean podDryRun,
      @ConfigProperty(name = "operator.webhooks.dry-run-parallelism", defaultValue = "32")
          int triesAtOnce) {
    serialization = client.getKubernetesSerialization();
    writer = new ReviewWriter(kind.kind(), serialization);
    metrics = new AdmissionMetrics(registry, kind.rules());
    reader = new ReviewReader(kind.kind());
    ApiServer apiServer = new ApiServer(client);
    PodDryRun.PodTrial trial =
        podDryRun ? new BoundedTrial(apiServer, triesAtOnce) : PodDryRun.PodTrial.NONE;
    this.kind = kind;
    mutating = mutating(kind);
    validating = validating(kind, apiServer, trial, accelerators);
  }

  private <R extends CustomResource<?, ?>, S> MutatingAdmission<S> mutating(JobAdmission<R, S> of) {
    return new MutatingAdmission<>(
        of, JobReader.of(of, serialization), new DefaultingPatch(serialization));
  }

  private <R extends CustomResource<?, ?>, S> ValidatingAdmission<S> validating(
      JobAdmission<R, S> of,
      ValidatingAdmission.StoredJobs stored,
      PodDryRun.PodTrial trial,
      AcceleratorResources accelerators) {
    return new ValidatingAdmission<>(
        of, JobReader.of(of, serialization), stored, new PodDryRun<>(of, trial, accelerators));
  }

  /**
   * Completes a job, and refuses a wrong one.
   *
   * @param body a review
   * @return the review's answer, or 400
   */
  @POST
  @Path("mutate")
  @Blocking
  public CompletionStage<Response> mutate(byte[] body) {
    return answer(
        AdmissionMetrics.MUTATE,
        body,
        call -> CompletableFuture.completedFuture(mutating.decide(call)));
  }

  /**
   * Checks a job as it will be stored, with a dry run of its pods.
   *
   * @param body a review
   * @return the review's answer, or 400
   */
  @POST
  @Path("validate")
  @Blocking
  public CompletionStage<Response> validate(byte[] body) {
    return answer(AdmissionMetrics.VALIDATE, body, validating::decide);
  }

  private CompletionStage<Response> answer(
      String webhook, byte[] body, Function<AdmissionCall, CompletionStage<Decision>> decide) {
    long begin = System.nanoTime();
    AdmissionCall call;
    try {
      call = reader.read(body);
    } catch (BadReviewException bad) {
      return CompletableFuture.completedFuture(badRequest(bad));
    }
    List<Violation> refused = ReviewConsistency.check(call, kind.kind());
    if (refused.isEmpty() && !call.excesses().isEmpty() && !call.leavesTheSpec()) {
      refused = call.excesses();
    }
    CompletionStage<Decision> decided =
        refused.isEmpty()
            ? decide.apply(call)
            : CompletableFuture.completedFuture(Decision.of(refused));
    return decided.thenApply(
        decision -> {
          Duration took = Duration.ofNanos(System.nanoTime() - begin);
          metrics.answered(webhook, call, decision, took);
          return Response.ok(writer.write(call, decision)).build();
        });
  }

  private Response badRequest(BadReviewException bad) {
    return Response.status(Response.Status.BAD_REQUEST)
        .entity(
            serialization.asJson(
                new StatusBuilder()
                    .withStatus("Failure")
                    .withCode(Response.Status.BAD_REQUEST.getStatusCode())
                    .withReason("BadRequest")
                    .withMessage("no admission review: " + bad.getMessage())
                    .build()))
        .build();
  }
}
