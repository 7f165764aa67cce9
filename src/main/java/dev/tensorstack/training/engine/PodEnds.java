package dev.tensorstack.training.engine;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * What this process knows of pods that their kubelets were asked to end. The request is in the pod,
 * so nothing of it is needed after a restart: to ask again changes nothing.
 */
final class PodEnds {

  private final Map<String, State> states = new HashMap<>();

  private static final class State {
    private boolean sent;
    private boolean done;
    private int refusals;
    private Instant next = Instant.MIN;
  }

  /** A request is to be sent; true when none is under way or answered, and it is time. */
  synchronized boolean begin(String uid, Instant now) {
    State state = states.computeIfAbsent(uid, any -> new State());
    if (state.sent || state.done || now.isBefore(state.next)) {
      return false;
    }
    state.sent = true;
    return true;
  }

  /** Whether the request is under way, answered, or waits after a refusal. */
  synchronized boolean isBegun(String uid) {
    State state = states.get(uid);
    return state != null && (state.sent || state.done || state.refusals > 0);
  }

  /** The API server has taken it, or the pod is gone. */
  synchronized void done(String uid) {
    State state = states.computeIfAbsent(uid, any -> new State());
    state.sent = false;
    state.done = true;
  }

  /** It was not sent. */
  synchronized void cancelled(String uid) {
    states.computeIfAbsent(uid, any -> new State()).sent = false;
  }

  /** The API server has refused it; returns when it may be sent again. */
  synchronized Instant refused(String uid, Instant now) {
    State state = states.computeIfAbsent(uid, any -> new State());
    state.sent = false;
    state.next = now.plus(RetryDelay.after(state.refusals++));
    return state.next;
  }

  /** Forgets all pods but some. */
  synchronized void keep(Collection<String> uids) {
    states.keySet().retainAll(uids);
  }
}
