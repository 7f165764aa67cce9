package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.PodReader;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What was read of a job's pods at the last look. Of hundreds of pods few have changed since; an
 * object in the watch's cache never changes, a change puts another one in its place. So each is
 * read once. How a pod has ended is kept longer than the pod: what removes it does not change it;
 * and it may show only in a version of which the watch tells after the cache has a later one.
 */
final class PodReadings {

  /** Longer than any notice takes; of a pod that no watch ever had there is none. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final LongSupplier nanoTime;
  private Map<String, Reading> readings = Map.of();
  private Set<String> untold = Set.of();
  private @Nullable Long untoldSince;
  private final Map<String, Pod> undeleted = new HashMap<>();
  private final Map<String, Pod> removed = new LinkedHashMap<>();
  private final Map<String, ObservedPod> ended = new HashMap<>();
  private final Set<String> neverStarted = new HashSet<>();
  private final Set<String> missed = new HashSet<>();

  PodReadings() {
    this(System::nanoTime);
  }

  /**
   * Readings by another clock.
   *
   * @param nanoTime as {@link System#nanoTime}
   */
  PodReadings(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  private record Reading(Pod pod, Optional<ObservedPod> observed) {
    private boolean endedByItself() {
      return observed.filter(ObservedPod::endedByItself).isPresent();
    }

    private boolean deleting() {
      return pod.getMetadata().getDeletionTimestamp() != null;
    }
  }

  /**
   * The deletion of a pod of the job was asked for.
   *
   * @param before its last version before that
   */
  synchronized void deletionRequested(Pod before) {
    undeleted.put(before.getMetadata().getUid(), before);
  }

  /**
   * A pod of the job was removed.
   *
   * @param pod its last version
   */
  synchronized void removed(Pod pod) {
    removed.put(pod.getMetadata().getUid(), pod);
  }

  /**
   * A pod of the job was removed while the watch was cut off: it may have run since.
   *
   * @param pod the last version that the watch had
   */
  synchronized void removedUnseen(Pod pod) {
    removed(pod);
    missed.add(pod.getMetadata().getUid());
  }

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
      Reading reading = reading(pod, job);
      now.put(pod.getMetadata().getUid(), reading);
      reading.observed.ifPresent(observed::add);
    }
    Map<String, Reading> last = new LinkedHashMap<>(readings);
    removed.forEach((uid, pod) -> last.put(uid, reading(pod, job)));
    awaitNotices(now);
    // Of one that is among the pods all the same, it was told while they were listed.
    removed.keySet().retainAll(now.keySet());
    last.forEach(
        (uid, reading) -> {
          if (!now.containsKey(uid)) {
            reading.observed.ifPresent(this::isGone);
          }
        });
    // A namesake that is there has taken its place.
    observed.forEach(
        pod -> {
          ended.remove(pod.name());
          neverStarted.remove(pod.name());
        });
    ended.values().removeIf(pod -> isReplaced(pod, job.ledger()));
    // What the watch has not yet told is compared with the same earlier version at the next look.
    untold.forEach(uid -> now.put(uid, readings.get(uid)));
    undeleted.keySet().retainAll(now.keySet());
    missed.retainAll(now.keySet());
    readings = now;
    return observed;
  }

  private void isGone(ObservedPod pod) {
    if (pod.endedByItself()) {
      ended.put(pod.name(), pod);
    }
    // The version in between, of which the watch tells a moment later, may show that it ran.
    if (pod.phase() == ObservedPod.Phase.PENDING && !missed.contains(pod.uid())) {
      neverStarted.add(pod.name());
    } else {
      neverStarted.remove(pod.name());
    }
  }

  /**
   * The cache shows a deletion a moment before the watch tells of it, and only the watch has the
   * versions in between: one of them may show that the pod had ended by itself.
   */
  private void awaitNotices(Map<String, Reading> now) {
    Set<String> waiting = new HashSet<>();
    readings.forEach(
        (uid, before) -> {
          Reading present = now.get(uid);
          boolean isTold =
              present == null
                  ? removed.containsKey(uid)
                  : before.deleting() || !present.deleting() || undeleted.containsKey(uid);
          if (!isTold && !before.endedByItself()) {
            waiting.add(uid);
          }
        });
    long time = nanoTime.getAsLong();
    if (waiting.isEmpty()) {
      untoldSince = null;
    } else if (untoldSince == null) {
      untoldSince = time;
    } else if (time - untoldSince >= PATIENCE.toNanos()) {
      untoldSince = null;
      waiting.clear();
    }
    untold = waiting;
  }

  /**
   * Whether a pod is gone or marked in the cache, of which the watch has not told: how it ended may
   * show in a moment, and nothing should be decided or said until then.
   *
   * @return true for some milliseconds after such a change, and for five seconds at most
   */
  synchronized boolean awaitNotice() {
    return !untold.isEmpty();
  }

  /**
   * What was once seen to have ended by itself has done so, and as it was seen then, whenever its
   * deletion was asked for and whatever follows from that.
   */
  private Reading reading(Pod pod, TrainingJob job) {
    String uid = pod.getMetadata().getUid();
    Reading before = readings.get(uid);
    if (before != null && before.pod == pod) {
      return before;
    }
    Optional<ObservedPod> observed = PodReader.read(pod, job);
    if (observed.isEmpty() || !observed.get().deleting() || observed.get().endedByItself()) {
      return new Reading(pod, observed);
    }
    // The last version before the mark says most of it: why the kubelet has ended a pod, say.
    Optional<ObservedPod> ended =
        Optional.ofNullable(undeleted.get(uid))
            .flatMap(version -> PodReader.read(version, job))
            .or(() -> before == null ? Optional.empty() : before.observed)
            .filter(ObservedPod::endedByItself)
            .map(earlier -> earlier.beingDeleted().endedBeforeDeletion());
    return new Reading(pod, ended.or(() -> observed));
  }

  /**
   * The pods that had ended by themselves when they were seen last, and are still their replicas'
   * present ones though they were removed.
   *
   * @return by name, as they were
   */
  synchronized Map<String, ObservedPod> ended() {
    return ended.isEmpty() ? Map.of() : Map.copyOf(ended);
  }

  /**
   * The pods that were removed before any of their containers that work had run.
   *
   * @return their names; a namesake that came since has taken the place of one
   */
  synchronized Set<String> neverStarted() {
    return neverStarted.isEmpty() ? Set.of() : Set.copyOf(neverStarted);
  }

  private static boolean isReplaced(ObservedPod pod, Ledger ledger) {
    Ledger.Slot slot = ledger.slots().get(pod.replica());
    return slot == null
        ? pod.earlierPods() > 0 || !ledger.unlisted().containsKey(pod.replica().type())
        : slot.earlierPods() != pod.earlierPods() || slot.isOther(pod.uid());
  }
}
