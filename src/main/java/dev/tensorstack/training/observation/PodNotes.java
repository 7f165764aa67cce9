package dev.tensorstack.training.observation;

import java.time.Instant;
import java.util.Map;

/**
 * What is known of a job's pods that is not in them.
 *
 * @param published the pods on lost nodes whose addresses the Service still gives to others, by
 *     uid, each with the earliest moment at which it may be taken out; without those for which that
 *     was tried in vain
 * @param troubles what the events of pods say that do not start, by the pod's uid
 */
public record PodNotes(Map<String, Instant> published, Map<String, String> troubles) {

  /** Nothing is known. */
  public static final PodNotes NONE = new PodNotes(Map.of(), Map.of());
}
