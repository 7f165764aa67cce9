package dev.tensorstack.training.kind.trainingjob;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaCounts;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.kind.trainingjob.v1beta1.HistoryEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what became of the job's earlier stretches, for when events are gone. An entry is
 * stored with the decision that it tells of, in one write: a kill of the operator neither loses it
 * nor tells it twice. A job that ended in its first stretch has no history, because the rest of its
 * status says all of it.
 */
final class HistoryRendering {

  /** So many entries are kept. */
  static final int LATEST = 10;

  private static final String RESTARTED = "Restarted";
  private static final String PAUSED = "Paused";
  private static final String QUEUED = "Queued";

  private HistoryRendering() {}

  /**
   * The history after a look.
   *
   * @param job the job, with what was stored before
   * @param report what is to be stored
   * @param stored the stored history; null for none
   * @param now the present time
   * @return the latest entries, the oldest first; null for none
   */
  static @Nullable List<HistoryEntry> of(
      TrainingJob job, JobReport report, @Nullable List<HistoryEntry> stored, Instant now) {
    Ledger before = job.ledger();
    String end = end(before, report.ledger(), stored != null && !stored.isEmpty());
    if (end == null) {
      return stored;
    }
    List<HistoryEntry> all = new ArrayList<>(Objects.requireNonNullElse(stored, List.of()));
    all.add(entry(job, report.ledger(), end, latest(all), now));
    return List.copyOf(all.subList(Math.max(0, all.size() - LATEST), all.size()));
  }

  private static @Nullable String end(Ledger before, Ledger after, boolean hasHistory) {
    Ledger.Outcome outcome = after.outcome();
    if (outcome != null) {
      // What an earlier version has counted is no part of a history, and yet no first stretch.
      boolean isFirst = !hasHistory && failures(before) == 0 && before.counts().attempt() == 0;
      return before.outcome() != null || isFirst
          ? null
          : outcome.succeeded() ? Reasons.SUCCEEDED : Reasons.FAILED;
    }
    boolean hasPods = before.startTime() != null && before.hold() == null;
    if (hasPods && isPause(after) && !isPause(before)) {
      return PAUSED;
    }
    if (hasPods && after.hold() != null) {
      return QUEUED;
    }
    return hasFailed(before, after) ? RESTARTED : null;
  }

  private static boolean hasFailed(Ledger before, Ledger after) {
    return failures(after) > failures(before);
  }

  private static int failures(Ledger ledger) {
    return ledger.counts().backoff() + ledger.counts().disruptions();
  }

  private static boolean isPause(Ledger ledger) {
    return ledger.pause() == Ledger.Pause.PAUSING || ledger.pause() == Ledger.Pause.PAUSED;
  }

  private static @Nullable Instant latest(List<HistoryEntry> all) {
    return all.isEmpty() ? null : UnversionedStatus.instant(all.get(all.size() - 1).endTime());
  }

  private static HistoryEntry entry(
      TrainingJob job, Ledger after, String end, @Nullable Instant previousEnd, Instant now) {
    Ledger before = job.ledger();
    Ledger.Failure failure = failure(before, after);
    Instant start = later(before.startTime(), previousEnd);
    return new HistoryEntry(
        before.counts().attempt(),
        StatusRendering.time(start),
        StatusRendering.time(endTime(failure, start, now)),
        end,
        job.summary() == null ? null : running(job.summary(), before, failure != null),
        failure == null || failure.cause() == null ? null : failure.cause().name(),
        failure == null ? null : failure.reason(),
        failure == null ? null : failure.replica(),
        failure == null ? null : failure.exitCode(),
        failure == null ? null : failure.node());
  }

  /** The clock of a failure is that of a node: a stretch ends neither before it began nor later. */
  private static Instant endTime(
      Ledger.@Nullable Failure failure, @Nullable Instant start, Instant now) {
    Instant failed = failure == null ? null : failure.time();
    Instant end = failed == null || failed.isAfter(now) ? now : failed;
    return start != null && end.isBefore(start) ? start : end;
  }

  /**
   * The pods that ran; where a failure ends the stretch, with those whose end was stored before it
   * was decided on, and without those that an elastic job goes on without.
   */
  private static int running(JobSummary summary, Ledger ledger, boolean failed) {
    ReplicaCounts counts = summary.counts();
    int running = counts.running() + counts.unknown();
    if (!failed) {
      return running;
    }
    long tolerated =
        ledger.slots().values().stream()
            .filter(slot -> slot.end() != null && slot.end().tolerated())
            .count();
    return running + (int) Math.max(0, counts.failed() + counts.deleted() - tolerated);
  }

  /**
   * The failure that ended a stretch; null when none did, as with a deadline, or when the last one
   * is that of a replica that an elastic job goes on without.
   */
  private static Ledger.@Nullable Failure failure(Ledger before, Ledger after) {
    Ledger.Outcome outcome = after.outcome();
    if (outcome != null) {
      return JobReport.failedByReplica(outcome.reason()) ? after.lastFailure() : null;
    }
    return hasFailed(before, after) && isReplaced(before, after) ? after.lastFailure() : null;
  }

  private static boolean isReplaced(Ledger before, Ledger after) {
    Ledger.Failure last = after.lastFailure();
    return last != null
        && (after.counts().attempt() != before.counts().attempt()
            || after.slots().entrySet().stream()
                .filter(one -> one.getKey().toString().equals(last.replica()))
                .anyMatch(
                    one -> {
                      Ledger.Slot old = before.slots().get(one.getKey());
                      return old == null || old.earlierPods() != one.getValue().earlierPods();
                    }));
  }

  private static @Nullable Instant later(@Nullable Instant a, @Nullable Instant b) {
    return a == null || (b != null && b.isAfter(a)) ? b : a;
  }
}
