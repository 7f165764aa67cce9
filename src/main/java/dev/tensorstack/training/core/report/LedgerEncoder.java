package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaPhase;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes a ledger with the summary of the job in their stored form ({@link LedgerDecoder} reads
 * it).
 */
public final class LedgerEncoder {

  private LedgerEncoder() {}

  /**
   * Writes a report's ledger and summary.
   *
   * @param report the report that is to be stored
   * @return the form
   */
  public static StoredLedger write(JobReport report) {
    Ledger ledger = report.ledger();
    Ledger.Counts counts = ledger.counts();
    Ledger.Pause pause = JobReport.pause(ledger);
    return new StoredLedger(
        StoredLedger.VERSION,
        unlessZero(counts.attempt()),
        unlessZero(counts.backoff()),
        counts.counted().isEmpty()
            ? null
            : counts.counted().stream().map(Instant::toString).toList(),
        unlessZero(counts.disruptions()),
        counts.restarts().isEmpty() ? null : new TreeMap<>(counts.restarts()),
        pause == Ledger.Pause.NONE ? null : pause.name(),
        ledger.mode() == null ? null : ledger.mode().word(),
        ledger.hold() == null ? null : ledger.hold().name(),
        ReplicasEncoder.replicas(report),
        ledger.disrupted().isEmpty()
            ? null
            : ledger.disrupted().stream()
                .map(one -> new StoredLedger.Disruption(one.replica().toString(), text(one.time())))
                .toList(),
        text(ledger.shrunkAt()),
        text(ledger.shrinkWaitingSince()),
        text(ledger.startTime()),
        text(ledger.completionTime()),
        outcome(ledger.outcome()),
        failure(ledger.lastFailure()),
        ending(ledger.ending()),
        summary(report.summary()));
  }

  private static StoredLedger.@Nullable Outcome outcome(Ledger.@Nullable Outcome outcome) {
    return outcome == null
        ? null
        : new StoredLedger.Outcome(outcome.succeeded(), outcome.reason(), outcome.message());
  }

  private static StoredLedger.@Nullable Ending ending(Ledger.@Nullable Ending ending) {
    return ending == null
        ? null
        : new StoredLedger.Ending(
            outcome(ending.outcome()), text(ending.since()), ending.own() ? null : true);
  }

  private static StoredLedger.@Nullable Failure failure(Ledger.@Nullable Failure failure) {
    return failure == null
        ? null
        : new StoredLedger.Failure(
            failure.replica(),
            failure.pod(),
            failure.cause() == null ? null : failure.cause().name(),
            failure.exitCode(),
            failure.signal(),
            failure.reason(),
            failure.node(),
            failure.message(),
            text(failure.time()));
  }

  private static StoredLedger.Summary summary(JobSummary summary) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (ReplicaPhase phase : ReplicaPhase.values()) {
      int replicas = summary.counts().in(phase);
      if (replicas > 0) {
        counts.put(phase.name(), replicas);
      }
    }
    return new StoredLedger.Summary(
        summary.generation(),
        summary.phase().name(),
        summary.reason(),
        summary.message(),
        summary.initialized() ? true : null,
        summary.hasRun() ? true : null,
        summary.problem(),
        summary.replicas(),
        counts.isEmpty() ? null : counts);
  }

  private static @Nullable Integer unlessZero(int number) {
    return number == 0 ? null : number;
  }

  /** A moment as it is stored, on a whole second; null for none. */
  static @Nullable String text(@Nullable Instant moment) {
    return moment == null ? null : moment.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
