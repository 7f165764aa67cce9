package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.kind.trainingjob.StatusReader;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.world.StatusOfBefore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A status without its ledger, as the version before wrote it, remembers the same: an upgrade in
 * the middle of whatever a job goes through loses nothing.
 */
final class BothForms {

  private BothForms() {}

  static void check(PyTorchTrainingJobStatus status) {
    PyTorchTrainingJobStatus before = StatusOfBefore.of(status);
    Invariants.require(
        asBefore(StatusReader.ledger(status, TrainingJobResource.NAMES))
            .equals(StatusReader.ledger(before, TrainingJobResource.NAMES)),
        "the ledger says what can be read out of the rest of the status",
        StatusReader.ledger(before, TrainingJobResource.NAMES)
            + " instead of "
            + StatusReader.ledger(status, TrainingJobResource.NAMES));
    JobSummary summary = StatusReader.summary(status);
    JobSummary read = StatusReader.summary(before);
    Invariants.require(
        summary != null && read != null && withoutHistory(summary).equals(withoutHistory(read)),
        "the summary says what can be read out of the rest of the status",
        read + " instead of " + summary);
  }

  /**
   * The version before tried again what a raised budget allowed, so it did not say that, and did
   * not know when it had counted restarts.
   */
  private static Ledger asBefore(Ledger known) {
    Ledger.Counts counts = known.counts();
    Ledger ledger =
        known.withCounts(
            new Ledger.Counts(
                counts.attempt(),
                counts.backoff(),
                List.of(),
                counts.disruptions(),
                counts.restarts()));
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>(ledger.slots());
    slots.replaceAll(
        (id, slot) -> {
          Ledger.RecordedEnd end = slot.end();
          return end == null || !end.tolerated()
              ? slot
              : slot.ended(
                  new Ledger.RecordedEnd(
                      end.succeeded(), end.disruption(), end.exitCode(), end.reason()));
        });
    return slots.equals(ledger.slots()) ? ledger : ledger.withSlots(slots);
  }

  /** After a pause nothing else says that the job has run, and nobody asks. */
  private static JobSummary withoutHistory(JobSummary summary) {
    return new JobSummary(
        summary.generation(),
        summary.phase(),
        summary.reason(),
        summary.message(),
        summary.initialized(),
        false,
        summary.problem(),
        summary.replicas(),
        summary.counts());
  }
}
