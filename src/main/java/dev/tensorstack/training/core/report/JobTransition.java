package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.model.FailureCause;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Something that a change of the status says for the first time, and that is counted once. */
public sealed interface JobTransition {

  /** The job has its first status. */
  record Created() implements JobTransition {}

  /**
   * The first pod of the job runs.
   *
   * @param sinceCreation the time since the job was created
   */
  record FirstPodRan(Duration sinceCreation) implements JobTransition {}

  /**
   * All wanted pods run for the first time; of an elastic job, enough of them.
   *
   * @param sinceCreation the time since the job was created
   */
  record AllPodsRan(Duration sinceCreation) implements JobTransition {}

  /**
   * Restarts were decided on.
   *
   * @param cause whose fault they are
   * @param times how many, at least one
   */
  record Restarted(FailureCause cause, int times) implements JobTransition {}

  /**
   * A hang was found.
   *
   * @param reason NoProgress or NotANumber
   */
  record Hung(String reason) implements JobTransition {}

  /**
   * All wanted pods run again after a restart.
   *
   * @param sinceFailure the time since the failure
   */
  record Recovered(Duration sinceFailure) implements JobTransition {}

  /**
   * The job has ended.
   *
   * @param succeeded well or badly
   * @param reason Succeeded, or the reason of the Failed condition
   * @param duration the time since its start, again at a resume; null when it never had pods
   */
  record Ended(boolean succeeded, String reason, @Nullable Duration duration)
      implements JobTransition {}
}
