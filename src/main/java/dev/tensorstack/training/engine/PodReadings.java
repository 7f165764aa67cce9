package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.PodReader;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What was read of a job's pods at the last look. Of hundreds of pods few have changed since; an
 * object in the watch's cache never changes, a change puts another one in its place. So each is
 * read once.
 */
final class PodReadings {

  private Map<String, Reading> readings = Map.of();
  private final Map<String, ObservedPod> ended = new HashMap<>();

  private record Reading(Pod pod, Optional<ObservedPod> observed) {}

  /**
   * Reads the pods of the job.
   *
   * @param pods all that exist; of others only what {@link #ended} returns is kept
   * @param job the job
   * @return those that carry the labels of a replica ({@link PodReader#read})
   */
  synchronized List<ObservedPod> read(Collection<Pod> pods, TrainingJob job) {
    Map<String, Reading> now = new HashMap<>();
    List<ObservedPod> observed = new ArrayList<>(pods.size());
    for (Pod pod : pods) {
      String uid = pod.getMetadata().getUid();
      Reading before = readings.get(uid);
      Reading reading =
          before != null && before.pod == pod ? before : new Reading(pod, PodReader.read(pod, job));
      now.put(uid, reading);
      reading.observed.ifPresent(observed::add);
    }
    readings.forEach(
        (uid, reading) -> {
          if (!now.containsKey(uid)) {
            reading
                .observed
                .filter(ObservedPod::endedByItself)
                .ifPresent(pod -> ended.put(pod.name(), pod));
          }
        });
    // A namesake that is there has taken its place.
    observed.forEach(pod -> ended.remove(pod.name()));
    ended.values().removeIf(pod -> isRecordedOrReplaced(pod, job.ledger()));
    readings = now;
    return observed;
  }

  /**
   * The pods that had ended by themselves when they were read last, and were removed before a
   * status has recorded that.
   *
   * @return by name, as they were
   */
  synchronized Map<String, ObservedPod> ended() {
    return ended.isEmpty() ? Map.of() : Map.copyOf(ended);
  }

  private static boolean isRecordedOrReplaced(ObservedPod pod, Ledger ledger) {
    Ledger.Slot slot = ledger.slots().get(pod.replica());
    return slot == null
        ? pod.earlierPods() > 0 || !ledger.unlisted().containsKey(pod.replica().type())
        : slot.earlierPods() != pod.earlierPods() || slot.isOther(pod.uid()) || slot.end() != null;
  }
}
