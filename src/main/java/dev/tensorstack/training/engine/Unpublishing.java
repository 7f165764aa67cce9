package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What this process knows of a job's pods that leave its Service because they were given up. The
 * outcome is in the pods' labels; so nothing of it is needed after a restart.
 */
final class Unpublishing {

  /** Seven seconds in all: a replacement that waits for good would be the greater harm. */
  static final int TRIES = 4;

  private final Map<String, State> states = new HashMap<>();

  private static final class State {
    private boolean sent;
    private boolean settled;
    private int refusals;
    private Instant next = Instant.MIN;
  }

  /**
   * The pods on lost nodes that the Service still publishes.
   *
   * @param job the job
   * @param pods all pods of the job; what is known of others is forgotten
   * @param observed the same, as far as they are replicas
   * @return by uid, when each may be taken out of it next
   */
  synchronized Map<String, Instant> published(
      TrainingJob job, Collection<Pod> pods, Collection<ObservedPod> observed) {
    Set<String> lost = new HashSet<>();
    for (ObservedPod pod : observed) {
      if (pod.lostSince() != null && !pod.ended()) {
        lost.add(pod.uid());
      }
    }
    if (lost.isEmpty()) {
      states.clear();
      return Map.of();
    }
    states.keySet().retainAll(lost);
    Map<String, Instant> published = new HashMap<>();
    for (Pod pod : pods) {
      String uid = pod.getMetadata().getUid();
      State state = states.get(uid);
      if (lost.contains(uid) && isPublished(job, pod) && (state == null || !state.settled)) {
        published.put(uid, state == null ? Instant.MIN : state.next);
      }
    }
    return published;
  }

  private static boolean isPublished(TrainingJob job, Pod pod) {
    return pod.getMetadata()
        .getLabels()
        .entrySet()
        .containsAll(job.labels().ofPublished().entrySet());
  }

  /** The write is to be sent; true when it is not under way. */
  synchronized boolean begin(String uid) {
    State state = states.computeIfAbsent(uid, any -> new State());
    if (state.sent || state.settled) {
      return false;
    }
    state.sent = true;
    return true;
  }

  /** Whether the write is under way, or not tried any more. */
  synchronized boolean isBegun(String uid) {
    State state = states.get(uid);
    return state != null && (state.sent || state.settled);
  }

  /** The API server has taken the pod out of the Service, or the pod is gone. */
  synchronized void done(String uid) {
    State state = states.computeIfAbsent(uid, any -> new State());
    state.sent = false;
    state.settled = true;
  }

  /** The write did not take place. */
  synchronized void cancelled(String uid) {
    states.computeIfAbsent(uid, any -> new State()).sent = false;
  }

  /**
   * The write was refused.
   *
   * @return whether it is tried no more
   */
  synchronized boolean refused(String uid, Instant now) {
    State state = states.computeIfAbsent(uid, any -> new State());
    state.sent = false;
    state.next = now.plus(RetryDelay.after(state.refusals++));
    state.settled = state.refusals >= TRIES;
    return state.settled;
  }
}
