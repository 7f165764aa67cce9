package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.tensorstack.training.kind.JobAdmission;
import dev.tensorstack.training.kind.WarningTexts;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stores every default in the job, where the kind stores them, and rewrites old spelling
 * (docs/reference/admission.md). It applies the rules too: the API server checks the schema right
 * after it and would stop there, and users want to see all that is wrong at once.
 *
 * @param <S> the Java type of the spec
 */
final class MutatingAdmission<S> {

  private final JobAdmission<?, S> kind;
  private final JobReader<S> reader;
  private final DefaultingPatch defaulting;

  MutatingAdmission(JobAdmission<?, S> kind, JobReader<S> reader, DefaultingPatch defaulting) {
    this.kind = kind;
    this.reader = reader;
    this.defaulting = defaulting;
  }

  /** Decides on a request; no I/O. */
  Decision decide(AdmissionCall call) {
    if (call.isScale() || call.leavesTheSpec()) {
      return Decision.ADMITTED;
    }
    JobReader.Reading<S> given = reader.read(call.object());
    if (given.unreadable() != null) {
      // The schema refuses it, in the API server's own words; the validating webhook what it lets
      // pass.
      return Decision.ADMITTED;
    }
    S stored = reader.stored(call);
    JsonNode settled = stored == null ? call.object() : kind.settled(call.object());
    S written = settled == call.object() ? given.spec() : reader.read(settled).spec();
    // What cannot be read is not new for that.
    boolean comparable = call.old() == null || stored != null;
    S wanted =
        comparable && kind.isManagedHere(kind.complete(written, stored))
            ? kind.withClusterDefaults(written, stored)
            : written;
    S completed = kind.complete(wanted, stored);
    S old = stored == null ? null : kind.complete(stored, null);
    boolean ours = kind.isManagedHere(completed);
    JsonNode patch = ours ? patch(call, given.spec(), wanted, completed) : null;
    if (kind.same(completed, old)) {
      return new Decision(List.of(), List.of(), patch);
    }
    Ratchet ratchet = Ratchet.check(kind, call.name(), completed, old);
    List<String> warnings =
        new ArrayList<>(
            ours
                ? kind.warnings(
                    given.spec(), call.labels(), call.annotations(), call.name(), completed, old)
                : List.of());
    ratchet.tolerated().forEach(violation -> warnings.add("still wrong: " + violation.describe()));
    return new Decision(
        ratchet.refused(), WarningTexts.fitting(warnings, WarningTexts.ROOM_OF_MUTATE), patch);
  }

  /** What is stored beside what the user gave; null for nothing. */
  private @Nullable JsonNode patch(AdmissionCall call, S given, S wanted, S completed) {
    ArrayNode operations = DefaultQueue.patch(call, kind.defaultQueue());
    if (kind.storesDefaults()) {
      operations.addAll(defaulting.patch(given, completed));
    } else if (wanted != given) {
      operations.addAll(defaulting.patch(given, wanted));
    }
    return operations.isEmpty() && !kind.storesDefaults() ? null : operations;
  }
}
