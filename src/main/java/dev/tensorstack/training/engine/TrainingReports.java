package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.TrainingReport;
import dev.tensorstack.training.core.observe.ReportGap;
import dev.tensorstack.training.core.policy.TrainingProgress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the training of one job has reported and no stored status knows yet. */
final class TrainingReports {

  /** Pods report about once a second at most, and a status is written before that many. */
  private static final int MOST = 64;

  private final Deque<TrainingReport> received = new ArrayDeque<>();
  private @Nullable Instant last;
  private @Nullable Instant missed;

  /**
   * A report came.
   *
   * @param now when
   * @param report makes the report, given a moment that no other of the job has
   * @return the report
   */
  synchronized TrainingReport receive(Instant now, Function<Instant, TrainingReport> report) {
    Instant moment = now.truncatedTo(ChronoUnit.MILLIS);
    if (last != null && !moment.isAfter(last)) {
      moment = last.plusMillis(1);
    }
    TrainingReport made = report.apply(moment);
    last = made.receivedAt();
    if (received.size() == MOST) {
      received.removeFirst();
    }
    received.addLast(made);
    return made;
  }

  /**
   * What came since.
   *
   * @param known when the last report came that the stored status knows; null before the first. One
   *     that is far ahead was set by somebody, or the clock was put back: it is not believed
   * @param now the present time
   * @return the reports after it, the earliest first
   */
  synchronized List<TrainingReport> since(@Nullable Instant known, Instant now) {
    if (known != null) {
      boolean believed = !TrainingProgress.isBeyondBelief(known, now);
      received.removeIf(
          report ->
              !report.receivedAt().isAfter(known)
                  && (believed || TrainingProgress.isBeyondBelief(report.receivedAt(), now)));
    }
    return List.copyOf(received);
  }

  /** A report of the job was not read. */
  synchronized void missed(Instant now) {
    missed = now;
  }

  /**
   * When reports of the job could not be heard last.
   *
   * @param gap the same as far as it is true of all jobs; null when it never was so
   * @return the later one
   */
  synchronized @Nullable ReportGap gap(@Nullable ReportGap gap) {
    return missed == null || (gap != null && gap.until().isAfter(missed))
        ? gap
        : new ReportGap(Instant.MIN, missed);
  }
}
