package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobStatus;
import java.util.ArrayList;
import java.util.List;

/** How often a job was started again, and what that cost. */
final class Restarts {

  private Restarts() {}

  /**
   * The restarts of a job.
   *
   * @param job the job
   * @return for example {@code 1 failure (backoffLimit 1 of 3 used) and 2 disruptions, which cost
   *     nothing}; empty when there were none
   */
  static String of(Job job) {
    JobStatus status = job.status();
    List<String> parts = new ArrayList<>();
    if (status.countedRestarts() > 0) {
      Integer limit = job.spec().backoffLimit();
      parts.add(
          Sentences.count(status.countedRestarts(), "failure")
              + " (backoffLimit "
              + (limit == null ? "none" : status.restartsThatCount() + " of " + limit + " used")
              + ")");
    }
    if (status.disruptions() > 0) {
      parts.add(Sentences.count(status.disruptions(), "disruption") + ", which cost nothing");
    }
    return String.join(" and ", parts);
  }
}
