package dev.tensorstack.training.webhook;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.JobAdmission;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The two webhooks of one kind of jobs, from the bytes of a review to those of its answer.
 *
 * @param <R> the Java type of the jobs
 * @param <S> the Java type of their specs
 */
final class KindWebhooks<R extends CustomResource<?, ?>, S> {

  private final JobAdmission<R, S> kind;
  private final ReviewReader reader;
  private final ReviewWriter writer;
  private final MutatingAdmission<S> mutating;
  private final ValidatingAdmission<S> validating;
  private final AdmissionMetrics metrics;

  /**
   * The webhooks of a kind.
   *
   * @param kind its defaults, rules and warnings
   * @param serialization reads jobs and writes answers
   * @param stored finds the job behind a change of its scale
   * @param trial tries pods
   * @param accelerators what counts as an accelerator
   * @param registry where counts go
   */
  KindWebhooks(
      JobAdmission<R, S> kind,
      KubernetesSerialization serialization,
      ValidatingAdmission.StoredJobs stored,
      PodDryRun.PodTrial trial,
      AcceleratorResources accelerators,
      MeterRegistry registry) {
    this.kind = kind;
    reader = new ReviewReader(kind.kind());
    writer = new ReviewWriter(kind.kind(), serialization);
    metrics = new AdmissionMetrics(registry, kind.kind().kind(), kind.rules());
    JobReader<S> jobs = JobReader.of(kind, serialization);
    mutating = new MutatingAdmission<>(kind, jobs, new DefaultingPatch(serialization));
    TakenPods taken = new TakenPods(System::nanoTime);
    PodDryRun<S> dryRun = new PodDryRun<>(kind, trial, accelerators, taken, serialization);
    validating = new ValidatingAdmission<>(kind, jobs, stored, dryRun);
  }

  /**
   * Completes a job, and refuses a wrong one.
   *
   * @param body a review
   * @return the answer, a review
   * @throws BadReviewException when the body is none
   */
  CompletionStage<String> mutate(byte[] body) throws BadReviewException {
    return answer(
        AdmissionMetrics.MUTATE,
        body,
        call -> CompletableFuture.completedFuture(mutating.decide(call)));
  }

  /**
   * Checks a job as it will be stored, with a dry run of its pods.
   *
   * @param body a review
   * @return the answer, a review
   * @throws BadReviewException when the body is none
   */
  CompletionStage<String> validate(byte[] body) throws BadReviewException {
    return answer(AdmissionMetrics.VALIDATE, body, validating::decide);
  }

  private CompletionStage<String> answer(
      String webhook, byte[] body, Function<AdmissionCall, CompletionStage<Decision>> decide)
      throws BadReviewException {
    long begin = System.nanoTime();
    AdmissionCall call = reader.read(body);
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
          return writer.write(call, decision);
        });
  }
}
