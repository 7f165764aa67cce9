package dev.tensorstack.training.kubectl.top;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.Phase;
import dev.tensorstack.training.kubectl.job.Training;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A job in single words, for tables. */
final class JobWords {

  /** What stands for nothing. */
  static final String NONE = "-";

  private JobWords() {}

  /**
   * The phase.
   *
   * @param job the job
   * @return a word
   */
  static String phase(Job job) {
    return job.deleting() == null ? job.status().phase().name() : "Deleting";
  }

  /**
   * What says more than the phase.
   *
   * @param job the job
   * @return a word; null when there is nothing special
   */
  static @Nullable String reason(Job job) {
    String reason = job.status().reason();
    return job.status().phase().name().equals(reason) ? null : reason;
  }

  /**
   * How many pods run.
   *
   * @param job the job
   * @return for example {@code 3/4}
   */
  static String running(Job job) {
    return job.status().running() + "/" + job.desired();
  }

  /**
   * How long the training takes from now on. What was said before it stopped, or began to hang, is
   * no longer true.
   *
   * @param job the job
   * @param now the present time
   * @return the span; null when it is not known
   */
  static @Nullable Duration remaining(Job job, Instant now) {
    Training training = job.status().training();
    boolean runs = job.status().phase() == Phase.Running && job.status().problem() == null;
    boolean goesOn = runs && training != null && training.attempt() == job.status().attempt();
    return training == null || !goesOn ? null : training.remaining(now);
  }
}
