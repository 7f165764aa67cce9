package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.kind.trainingjob.admission.Defaulter;
import dev.tensorstack.training.kind.trainingjob.admission.RuleContext;
import dev.tensorstack.training.kind.trainingjob.admission.SpecComparison;
import dev.tensorstack.training.kind.trainingjob.admission.WarningContext;
import dev.tensorstack.training.kind.trainingjob.admission.Warnings;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.List;

/**
 * Stores every default in the job and rewrites old spelling (docs/reference/admission.md). It
 * applies the rules too: the API server checks the schema right after it and would stop there, and
 * users want to see all that is wrong at once.
 */
final class MutatingAdmission {

  private final JobReader reader;
  private final Defaulter defaulter;
  private final Warnings warnings;
  private final DefaultingPatch completion;

  MutatingAdmission(
      JobReader reader, Defaulter defaulter, Warnings warnings, DefaultingPatch completion) {
    this.reader = reader;
    this.defaulter = defaulter;
    this.warnings = warnings;
    this.completion = completion;
  }

  /** Decides on a request; no I/O. */
  Decision decide(AdmissionCall call) {
    if (call.isScale() || call.leavesTheSpec()) {
      return Decision.ADMITTED;
    }
    JobReader.Reading given = reader.read(call.object());
    if (given.unreadable() != null) {
      // The schema refuses it, in the API server's own words; the validating webhook what it lets
      // pass.
      return Decision.ADMITTED;
    }
    PyTorchTrainingJobSpec stored = reader.stored(call);
    JsonNode settled =
        stored == null ? call.object() : ConflictingEnableFields.settled(call.object());
    PyTorchTrainingJobSpec wanted =
        settled == call.object() ? given.spec() : reader.read(settled).spec();
    PyTorchTrainingJobSpec completed = defaulter.complete(wanted, stored);
    PyTorchTrainingJobSpec old = stored == null ? null : defaulter.complete(stored);
    JsonNode patch = completion.patch(given.spec(), completed);
    if (SpecComparison.same(completed, old)) {
      return new Decision(List.of(), List.of(), patch);
    }
    RuleContext subject = new RuleContext(call.name(), completed, old);
    Ratchet ratchet = Ratchet.check(subject);
    List<String> told =
        warnings.of(
            new WarningContext(given.spec(), call.labels(), subject),
            ratchet.tolerated().stream()
                .map(violation -> "still wrong: " + violation.describe())
                .toList());
    return new Decision(ratchet.refused(), told, patch);
  }
}
