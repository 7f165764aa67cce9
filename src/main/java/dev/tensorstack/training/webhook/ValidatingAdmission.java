package dev.tensorstack.training.webhook;

import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.trainingjob.ScaledSpec;
import dev.tensorstack.training.kind.trainingjob.admission.Defaulter;
import dev.tensorstack.training.kind.trainingjob.admission.RuleContext;
import dev.tensorstack.training.kind.trainingjob.admission.SpecComparison;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Checks a job as it will be stored: the same rules once more, and a dry run of its pods. Through
 * the {@code scale} subresource it checks the number of replicas.
 */
final class ValidatingAdmission {

  /** The rule's name in refusals of what cannot be read. */
  static final String UNREADABLE = "unreadable";

  private final JobReader reader;
  private final Defaulter defaulter;
  private final StoredJobs stored;
  private final PodDryRun dryRun;

  ValidatingAdmission(JobReader reader, Defaulter defaulter, StoredJobs stored, PodDryRun dryRun) {
    this.reader = reader;
    this.defaulter = defaulter;
    this.stored = stored;
    this.dryRun = dryRun;
  }

  /** Where the job behind a {@code scale} request is found. */
  interface StoredJobs {

    /**
     * Finds a job.
     *
     * @return its spec as stored; empty when there is none, or when the API server does not answer
     *     in time
     */
    Optional<PyTorchTrainingJobSpec> spec(String namespace, String name);
  }

  /** Decides on a request. It may ask the API server, for two seconds at most. */
  CompletionStage<Decision> decide(AdmissionCall call) {
    if (call.leavesTheSpec()) {
      return CompletableFuture.completedFuture(Decision.ADMITTED);
    }
    if (call.isScale()) {
      return CompletableFuture.completedFuture(scale(call));
    }
    JobReader.Reading given = reader.read(call.object());
    if (given.unreadable() != null) {
      return CompletableFuture.completedFuture(
          Decision.of(List.of(unreadable(given.unreadable()))));
    }
    // As it would be stored and read: where nothing rewrites `enable`, `enabled` wins.
    PyTorchTrainingJobSpec completed = defaulter.complete(given.spec());
    PyTorchTrainingJobSpec old = reader.stored(call, defaulter);
    if (SpecComparison.same(completed, old)) {
      return CompletableFuture.completedFuture(Decision.ADMITTED);
    }
    List<Violation> violations =
        Ratchet.check(new RuleContext(call.name(), completed, old)).refused();
    if (!violations.isEmpty() || call.old() != null) {
      // Templates and what else pods are made from cannot change: they were tried at creation.
      return CompletableFuture.completedFuture(Decision.of(violations));
    }
    return dryRun.of(call, completed);
  }

  private Decision scale(AdmissionCall call) {
    if (call.name() == null) {
      return Decision.ADMITTED;
    }
    // The field is left out of the JSON when it is 0.
    int replicas = call.object().path("spec").path("replicas").asInt(0);
    return stored
        .spec(call.namespace(), call.name())
        .map(defaulter::complete)
        .map(
            old ->
                Decision.of(
                    Ratchet.check(new RuleContext(call.name(), ScaledSpec.of(old, replicas), old))
                        .refused()))
        .orElse(Decision.ADMITTED);
  }

  /** {@code spec.field: why}, as the reader says it. */
  private static Violation unreadable(String problem) {
    int colon = problem.indexOf(": ");
    return new Violation(
        UNREADABLE,
        colon < 0 ? "spec" : problem.substring(0, colon),
        Violation.Reason.FieldValueInvalid,
        (colon < 0 ? problem : problem.substring(colon + 2)) + "; write a value of the right type");
  }
}
