package dev.tensorstack.training.engine;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How often the status of one job is written. */
final class StatusThrottle {

  private static final int MOST_DOUBLINGS = 4;

  /** So many of the shortest intervals lie between two writes that only tell of the training. */
  private static final int INTERVALS_OF_TRAINING = 10;

  /** The pods of most jobs run before so long a time is over, and that is told at once. */
  private static final int DOUBLINGS_AT_START = 3;

  /** After so long without a report, progress is no longer part of the burst of before. */
  private static final Duration QUIET = Duration.ofMinutes(1);

  private @Nullable Instant statusWritten;
  private int progressReports;
  private @Nullable Instant untoldSince;
  private @Nullable Instant endsUntoldSince;

  /** What there is to tell. */
  enum News {
    /** How the pods get on of a job that does not run yet, and has told that it starts. */
    START,
    /** No more than how the pods get on. */
    PROGRESS,
    /** No more than how far the training is. */
    TRAINING,
    /** That pods have ended, which stays so only once it is written, whatever becomes of them. */
    ENDS,
    /** What people wait for or must know. */
    CHANGE;

    /** Whether it waits while others wait for the API server. */
    boolean canWait() {
      return this == START || this == PROGRESS || this == TRAINING;
    }
  }

  /**
   * The earliest moment of the next status write (contract section 13: at most one in the shortest
   * interval). A change waits for that alone; the first status waits for nothing. The end of a pod
   * waits one interval for those of others, because pods end together. Progress waits longer after
   * each report, and a while after there is something to tell, because more will follow: the pods
   * of a small job run, or end, before the time has come to tell of the first. While a job starts
   * it waits eight intervals at least. How far the training is waits ten intervals from the write
   * before, and is written with whatever is written earlier.
   *
   * @param news what there is to tell
   * @param busy whether others wait for the API server: progress then waits as long as it may
   * @param minInterval the shortest time between two writes
   * @param now the time; remembered as the moment since when there is something to tell
   */
  synchronized Instant due(News news, boolean busy, Duration minInterval, Instant now) {
    untoldSince = earlier(untoldSince, now);
    endsUntoldSince = news == News.ENDS ? earlier(endsUntoldSince, now) : null;
    if (statusWritten != null && statusWritten.isAfter(now)) {
      statusWritten = now; // the clock was put back
    }
    Instant allowed = statusWritten == null ? Instant.MIN : statusWritten.plus(minInterval);
    if (news == News.CHANGE) {
      return allowed;
    }
    if (news == News.TRAINING) {
      return statusWritten == null
          ? Instant.MIN
          : statusWritten.plus(minInterval.multipliedBy(INTERVALS_OF_TRAINING));
    }
    if (endsUntoldSince != null) {
      return later(allowed, endsUntoldSince.plus(minInterval));
    }
    int least = news == News.START ? DOUBLINGS_AT_START : 1;
    int doublings =
        busy ? MOST_DOUBLINGS : Math.max(least, Math.min(progressReports + 1, MOST_DOUBLINGS));
    Instant rare =
        (statusWritten == null ? untoldSince : statusWritten)
            .plus(minInterval.multipliedBy(1L << doublings));
    return later(rare, untoldSince.plus(minInterval.multipliedBy(2)));
  }

  /**
   * When a status can be written that only tells of the training.
   *
   * @param minInterval the shortest time between two writes
   * @return the moment; null for at once
   */
  synchronized @Nullable Instant nextOfTraining(Duration minInterval) {
    return statusWritten == null
        ? null
        : statusWritten.plus(minInterval.multipliedBy(INTERVALS_OF_TRAINING));
  }

  private static Instant earlier(@Nullable Instant known, Instant now) {
    return known == null || known.isAfter(now) ? now : known;
  }

  private static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }

  /** The status says all that there is to say. */
  synchronized void saysAll() {
    untoldSince = null;
    endsUntoldSince = null;
  }

  /**
   * The status was written.
   *
   * @param time when
   * @param news what it told
   */
  synchronized void written(Instant time, News news) {
    boolean burst = statusWritten != null && time.isBefore(statusWritten.plus(QUIET));
    statusWritten = time;
    saysAll();
    if (news != News.TRAINING) {
      progressReports = news == News.CHANGE ? 0 : burst ? progressReports + 1 : 1;
    }
  }
}
