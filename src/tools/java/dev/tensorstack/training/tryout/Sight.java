package dev.tensorstack.training.tryout;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;

/**
 * What is to be seen of a job at one moment.
 *
 * @param job the job
 * @param pods all its pods, those that have ended too
 * @param output what its training has printed so far
 * @param <J> the kind of the job
 */
record Sight<J extends HasMetadata>(J job, List<Pod> pods, TrainingOutput output) {

  /** Copies the list. */
  Sight {
    pods = List.copyOf(pods);
  }
}
