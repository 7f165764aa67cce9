package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.observe.Observation;
import java.time.Instant;
import java.util.Map;

/**
 * What the operator saw when it planned, with the truth that belongs to it.
 *
 * @param job the job in its cache
 * @param pods the pods in its cache
 * @param ended pods that are gone and that this process had seen to have ended by themselves, by
 *     uid
 * @param lostNodes the nodes of its pods that are lost, as far as it can know
 * @param observation what the planner got
 * @param now its time
 */
record View(
    JobVersion job,
    Map<String, PodVersion> pods,
    Map<String, PodVersion> ended,
    Map<String, Instant> lostNodes,
    Observation observation,
    Instant now) {

  /** The same at another time. */
  View at(Instant then) {
    return new View(job, pods, ended, lostNodes, observation, then);
  }
}
