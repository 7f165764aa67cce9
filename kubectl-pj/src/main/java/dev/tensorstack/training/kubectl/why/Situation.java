package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobEvent;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Ranks;
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

  /**
   * The latest pod of each rank.
   *
   * @return the pods by rank
   */
  List<RankedPod> current() {
    return Ranks.current(pods);
  }

  /**
   * The pods that have not ended, also those that are ending.
   *
   * @return the pods by rank
   */
  List<RankedPod> running() {
    return pods.stream().filter(pod -> !pod.hasEnded()).toList();
  }
}
