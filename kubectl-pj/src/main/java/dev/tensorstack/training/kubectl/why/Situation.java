package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobEvent;
import dev.tensorstack.training.kubectl.job.RankedPod;
import java.time.Instant;
import java.util.List;

/**
 * What is known of a job.
 *
 * @param job the job
 * @param pods its pods by rank; empty when they are gone, or may not be listed
 * @param events events of the job and of its pod that is in trouble, the oldest first
 * @param podsKnown whether the user may list pods
 * @param now the present time
 */
public record Situation(
    Job job, List<RankedPod> pods, List<JobEvent> events, boolean podsKnown, Instant now) {

  /** Copies the lists. */
  public Situation {
    pods = List.copyOf(pods);
    events = List.copyOf(events);
  }
}
