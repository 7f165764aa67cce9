package dev.tensorstack.training.engine;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How often the status of one job is written. */
final class StatusThrottle {

  private static final int MOST_DOUBLINGS = 4;

  /** After so long without a report, progress is no longer part of the burst of before. */
  private static final Duration QUIET = Duration.ofMinutes(1);

  private @Nullable Instant statusWritten;
  private int progressReports;
  private @Nullable Instant untoldSince;

  /**
   * The earliest moment of the next status write (contract section 13: at most one in the shortest
   * interval). A change waits for that alone; the first status waits for nothing. Progress waits
   * longer after each report, and a while after there is something to tell, because more will
   * follow: the pods of a small job run, or end, before the time has come to tell of the first.
   *
   * @param progressOnly whether it says no more than how the pods get on
   * @param busy whether others wait for the API server: progress then waits as long as it may
   * @param minInterval the shortest time between two writes
   * @param now the time; remembered as the moment since when there is something to tell
   */
  synchronized Instant due(boolean progressOnly, boolean busy, Duration minInterval, Instant now) {
    untoldSince = untoldSince == null || untoldSince.isAfter(now) ? now : untoldSince;
    if (statusWritten != null && statusWritten.isAfter(now)) {
      statusWritten = now; // the clock was put back
    }
    if (!progressOnly) {
      return statusWritten == null ? Instant.MIN : statusWritten.plus(minInterval);
    }
    Instant settled = untoldSince.plus(minInterval.multipliedBy(2));
    int doublings = busy ? MOST_DOUBLINGS : Math.min(progressReports + 1, MOST_DOUBLINGS);
    Instant rare =
        (statusWritten == null ? untoldSince : statusWritten)
            .plus(minInterval.multipliedBy(1L << doublings));
    return rare.isAfter(settled) ? rare : settled;
  }

  /** The status says all that there is to say. */
  synchronized void saysAll() {
    untoldSince = null;
  }

  /** The status was written. */
  synchronized void written(Instant time, boolean progressOnly) {
    boolean burst = statusWritten != null && time.isBefore(statusWritten.plus(QUIET));
    statusWritten = time;
    untoldSince = null;
    progressReports = !progressOnly ? 0 : burst ? progressReports + 1 : 1;
  }
}
