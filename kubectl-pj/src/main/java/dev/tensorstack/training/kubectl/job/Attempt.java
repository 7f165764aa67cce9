package dev.tensorstack.training.kubectl.job;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One stretch of a job, and how it ended: an attempt, or a part of it between failures and pauses.
 *
 * @param number the attempt, from 0
 * @param start when it began; null when it is not known
 * @param end when it ended; null while it goes on, or when it is not known
 * @param outcome what ended it: {@code Restarted}, {@code Paused}, {@code Queued}, {@code
 *     Succeeded} or {@code Failed}; null while it goes on, or when it is not known
 * @param cause of a failure: {@code Application} or {@code Disruption}
 * @param reason of a failure: one word such as {@code OOMKilled}
 * @param replica the replica that ended it, for example {@code worker-1}
 * @param exitCode that replica's exit code
 * @param node the node of that replica
 * @param nodes how many pods ran, each a node of the job
 */
public record Attempt(
    int number,
    @Nullable Instant start,
    @Nullable Instant end,
    @Nullable String outcome,
    @Nullable String cause,
    @Nullable String reason,
    @Nullable String replica,
    @Nullable Integer exitCode,
    @Nullable String node,
    @Nullable Integer nodes) {

  /**
   * The attempts that the status keeps.
   *
   * @param history {@code status.history}
   * @return the attempts in the order of the status; empty when it keeps none
   */
  static List<Attempt> listOf(List<Tree> history) {
    List<Attempt> attempts = new ArrayList<>();
    for (Tree entry : history) {
      attempts.add(
          new Attempt(
              entry.count("attempt"),
              entry.time("startTime"),
              entry.time("endTime"),
              entry.text("end"),
              entry.text("cause"),
              entry.text("reason"),
              entry.text("replica"),
              entry.number("exitCode"),
              entry.text("node"),
              entry.number("running") == null ? entry.number("nodes") : entry.number("running")));
    }
    return attempts;
  }
}
