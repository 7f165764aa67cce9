package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.model.ProgressPolicy;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.core.observe.ReportGap;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether a training that runs does not get on any more (docs/tasks/hangs.md).
 *
 * @param problem what is wrong; null when nothing is
 * @param nextLook when a limit is reached if nothing is reported until then; null for never
 */
public record HangDetection(Training.@Nullable Problem problem, @Nullable Instant nextLook) {

  /** Nothing is wrong, and nothing is waited for. */
  public static final HangDetection NONE = new HangDetection(null, null);

  /**
   * Looks at a training all of whose pods run.
   *
   * @param policy the limits
   * @param training what was reported; null when nothing ever was
   * @param attempt the present attempt
   * @param since since when all pods run, and the ring has not changed
   * @param gap when nobody could hear a report; what falls into it does not count
   * @param now the present time
   * @return what is found
   */
  public static HangDetection of(
      ProgressPolicy policy,
      @Nullable Training training,
      int attempt,
      Instant since,
      @Nullable ReportGap gap,
      Instant now) {
    Training known = training == null ? Training.NONE : training;
    boolean ofThisAttempt = known.updatedAt() != null && known.attempt() == attempt;
    Integer most = policy.failOnNaN();
    boolean heard = ofThisAttempt && known.updatedAt() != null && known.updatedAt().isAfter(since);
    if (most != null && heard && known.notANumber() >= most) {
      return new HangDetection(
          problem(
              known,
              Reasons.NOT_A_NUMBER,
              "the loss was not a number in "
                  + most
                  + " reports in a row (failOnNaN: "
                  + most
                  + ")"
                  + lastStep(known),
              now),
          null);
    }
    Instant stepAt = known.stepAt();
    // Loading a checkpoint or compiling takes longer than a step: only startSeconds limits that.
    Long limit = heard ? policy.stallSeconds() : policy.startSeconds();
    if (limit == null) {
      return NONE;
    }
    // A step of before is not told again when one node has come or gone.
    Instant from = heard && stepAt != null && stepAt.isAfter(since) ? stepAt : since;
    Instant due = from.plusSeconds(limit).plus(lost(from, gap));
    if (now.isBefore(due)) {
      Training.Problem before = known.problem();
      // What an operator before has found is over with the next step, not with the next operator.
      boolean goesOn =
          before != null
              && !policy.restarts()
              && before.reason().equals(Reasons.NO_PROGRESS)
              && from.isBefore(before.since());
      return goesOn ? new HangDetection(before, null) : new HangDetection(null, due);
    }
    boolean ofStep = from.equals(stepAt);
    String message =
        heard
            ? (ofStep ? "no newer step than the one of " : "no newer step since all pods run, ")
                + from.truncatedTo(ChronoUnit.SECONDS)
                + " (stallSeconds: "
                + limit
                + ")"
            : "no report since all pods run, "
                + from.truncatedTo(ChronoUnit.SECONDS)
                + " (startSeconds: "
                + limit
                + ")";
    return new HangDetection(
        problem(known, Reasons.NO_PROGRESS, message + lastStep(known), now), null);
  }

  private static Duration lost(Instant from, @Nullable ReportGap gap) {
    if (gap == null || !gap.until().isAfter(from)) {
      return Duration.ZERO;
    }
    boolean heardBefore = !from.isBefore(gap.heardSince());
    Instant begin = heardBefore && gap.from().isAfter(from) ? gap.from() : from;
    return begin.isBefore(gap.until()) ? Duration.between(begin, gap.until()) : Duration.ZERO;
  }

  private static String lastStep(Training training) {
    return training.step() == null ? "" : "; the last step was " + training.step();
  }

  /** What goes on keeps its beginning. */
  private static Training.Problem problem(
      Training known, String reason, String message, Instant now) {
    Training.Problem before = known.problem();
    Instant since =
        before != null && before.reason().equals(reason)
            ? before.since()
            : now.truncatedTo(ChronoUnit.SECONDS);
    return new Training.Problem(reason, message, since);
  }
}
