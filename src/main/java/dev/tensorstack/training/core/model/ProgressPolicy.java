package dev.tensorstack.training.core.model;

import org.jspecify.annotations.Nullable;

/**
 * What the training of a job tells of its progress, and what follows when it tells nothing new
 * (docs/tasks/hangs.md).
 *
 * @param reports whether the pods are told where to report their progress
 * @param startSeconds how many seconds the first report may take once all pods run; null for any
 * @param stallSeconds how many seconds a step may take; null for any
 * @param failOnNaN so many reports in a row of a loss that is no number are too many; null for any
 * @param logPattern a regular expression of RE2 with the groups {@code step}, {@code loss} and
 *     {@code percent}, which finds reports in the master's log; null when pods send them
 * @param restarts whether all pods start anew when a hang is found; else it is only reported
 */
public record ProgressPolicy(
    boolean reports,
    @Nullable Long startSeconds,
    @Nullable Long stallSeconds,
    @Nullable Integer failOnNaN,
    @Nullable String logPattern,
    boolean restarts) {

  /** Nothing is asked for. */
  public static final ProgressPolicy NONE =
      new ProgressPolicy(false, null, null, null, null, false);

  /** Reports are shown, and nothing follows from them. */
  public static final ProgressPolicy REPORTS =
      new ProgressPolicy(true, null, null, null, null, false);

  /**
   * Whether a hang can be found at all.
   *
   * @return false when no limit is set
   */
  public boolean watches() {
    return startSeconds != null || stallSeconds != null || failOnNaN != null;
  }
}
