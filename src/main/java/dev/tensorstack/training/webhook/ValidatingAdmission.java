package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.kind.JobAdmission;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Checks a job as it will be stored: the same rules once more, and a dry run of its pods. Through
 * the {@code scale} subresource it checks the number of replicas.
 *
 * @param <S> the Java type of the spec
 */
final class ValidatingAdmission<S> {

  /** The rule's name in refusals of what cannot be read. */
  static final String UNREADABLE = "unreadable";

  private final JobAdmission<?, S> kind;
  private final JobReader<S> reader;
  private final StoredJobs stored;
  private final PodDryRun<S> dryRun;

  ValidatingAdmission(
      JobAdmission<?, S> kind, JobReader<S> reader, StoredJobs stored, PodDryRun<S> dryRun) {
    this.kind = kind;
    this.reader = reader;
    this.stored = stored;
    this.dryRun = dryRun;
  }

  /** Where the job behind a {@code scale} request is found. */
  interface StoredJobs {

    /**
     * Finds a job.
     *
     * @param kind the kind of the job
     * @return the object as stored; empty when there is none, or when the API server does not
     *     answer in time
     */
    Optional<JsonNode> find(ObjectKind kind, String namespace, String name);
  }

  /** Decides on a request. It may ask the API server, for two seconds at most. */
  CompletionStage<Decision> decide(AdmissionCall call) {
    if (call.leavesTheSpec()) {
      return CompletableFuture.completedFuture(Decision.ADMITTED);
    }
    if (call.isScale()) {
      return CompletableFuture.completedFuture(scale(call));
    }
    JobReader.Reading<S> given = reader.read(call.object());
    if (given.unreadable() != null) {
      return CompletableFuture.completedFuture(
          Decision.of(List.of(unreadable(given.unreadable()))));
    }
    // As it would be stored and read: where nothing rewrites `enable`, `enabled` wins.
    S completed = kind.complete(given.spec(), null);
    S old = reader.completed(call);
    if (kind.same(completed, old)) {
      return CompletableFuture.completedFuture(Decision.ADMITTED);
    }
    Ratchet ratchet = Ratchet.check(kind, call.name(), completed, old);
    boolean tried = call.old() != null && (old == null || kind.samePods(completed, old));
    if (!ratchet.refused().isEmpty() || !ratchet.tolerated().isEmpty() || tried) {
      return CompletableFuture.completedFuture(Decision.of(ratchet.refused()));
    }
    CompletionStage<Decision> decision = dryRun.of(call, completed);
    // Whether this cluster would take its pods at present is no matter: they are made elsewhere.
    return kind.isManagedHere(completed)
        ? decision
        : decision.thenApply(answer -> Decision.of(answer.violations()));
  }

  private Decision scale(AdmissionCall call) {
    if (call.name() == null) {
      return Decision.ADMITTED;
    }
    // The field is left out of the JSON when it is 0.
    int replicas = call.object().path("spec").path("replicas").asInt(0);
    return stored
        .find(kind.kind(), call.namespace(), call.name())
        .map(reader::read)
        .filter(read -> read.unreadable() == null)
        .map(read -> kind.complete(read.spec(), null))
        .map(
            old ->
                Decision.of(
                    Ratchet.check(kind, call.name(), kind.scaled(old, replicas), old).refused()))
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
