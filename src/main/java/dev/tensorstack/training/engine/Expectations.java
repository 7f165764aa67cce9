package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.plan.PlannedAction;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The writes of one job's pods and Service that this process has sent, or is about to send, and
 * that the watches have not shown yet. Without it a reconciliation between a write and its echo
 * would send the write again. Nothing in here is needed after a restart: names are deterministic,
 * so a repeated write is harmless.
 */
final class Expectations {

  private final Set<String> queued = new HashSet<>();
  private final Set<String> creating = new HashSet<>();
  private final Set<PlannedAction> begun = new HashSet<>();
  private final Set<String> pods = new HashSet<>();
  private final Map<String, String> created = new HashMap<>();
  private final Map<String, String> deleted = new HashMap<>();
  private final Set<String> deletedAtOnce = new HashSet<>();
  private boolean podsListed;
  private final Set<String> servicesQueued = new HashSet<>();
  private final Set<String> servicesCreating = new HashSet<>();
  private final Set<String> servicesCreated = new HashSet<>();
  private final Set<String> servicesRemoved = new HashSet<>();

  /**
   * A look at the job begins.
   *
   * @return names of pods whose creation is sent and not yet answered; those that still wait for
   *     their turn are not among them: they can be called back
   */
  synchronized Set<String> look() {
    begun.clear();
    return Set.copyOf(creating);
  }

  /**
   * A pod's creation waits for its turn.
   *
   * @return false when it was sent since the look that wants it
   */
  synchronized boolean queued(PlannedAction.CreatePod creation) {
    return !begun.contains(creation) && queued.add(creation.name());
  }

  /** A pod's creation is sent. */
  synchronized void creating(PlannedAction.CreatePod creation) {
    begun.add(creation);
    queued.remove(creation.name());
    creating.add(creation.name());
  }

  /** Whether a creation waits for its turn, or was sent since the last look. */
  synchronized boolean knows(PlannedAction.CreatePod creation) {
    return queued.contains(creation.name()) || begun.contains(creation);
  }

  /** A pod's creation was called back before it was sent. */
  synchronized void cancelled(String pod) {
    queued.remove(pod);
  }

  /** The creations that were sent since the last look began. */
  synchronized Set<PlannedAction> begun() {
    return Set.copyOf(begun);
  }

  /** The API server accepted a pod, or had it. */
  synchronized void created(String pod, String uid) {
    creating.remove(pod);
    pods.add(pod);
    created.put(pod, uid);
  }

  /** A pod's creation did not take place. */
  synchronized void notCreated(String pod) {
    creating.remove(pod);
  }

  /**
   * A Service's creation waits for its turn.
   *
   * @return false when it was sent since the look that wants it
   */
  synchronized boolean queued(PlannedAction.CreateService creation) {
    if (begun.contains(creation)) {
      return false;
    }
    servicesQueued.add(creation.name());
    return true;
  }

  /** Whether a Service's creation waits for its turn, or was sent since the last look. */
  synchronized boolean knows(PlannedAction.CreateService creation) {
    return servicesQueued.contains(creation.name()) || begun.contains(creation);
  }

  /** A Service's creation was called back before it was sent. */
  synchronized void calledBack(PlannedAction.CreateService creation) {
    servicesQueued.remove(creation.name());
  }

  /** A Service's creation is sent. */
  synchronized void creating(PlannedAction.CreateService creation) {
    servicesQueued.remove(creation.name());
    begun.add(creation);
    servicesCreating.add(creation.name());
  }

  /** A Service's creation was answered. */
  synchronized void answered(PlannedAction.CreateService creation, boolean accepted) {
    servicesCreating.remove(creation.name());
    boolean removed = servicesRemoved.remove(creation.name());
    if (accepted && !removed) {
      servicesCreated.add(creation.name());
    }
  }

  /**
   * The watch has shown that a Service was removed, perhaps one that no look has seen and whose
   * creation is not even answered. If it was one of that name from before, the next look creates it
   * once more, and the API server says that it exists.
   */
  synchronized void serviceRemoved(String name) {
    servicesCreated.remove(name);
    if (servicesCreating.contains(name)) {
      servicesRemoved.add(name);
    }
  }

  /**
   * The watch has shown Services: from now on it is believed.
   *
   * @param names of those that exist
   * @return names of the others that were created by this process, or are being created
   */
  synchronized Set<String> servicesSeen(Set<String> names) {
    servicesCreated.removeAll(names);
    if (servicesCreating.isEmpty() && servicesCreated.isEmpty()) {
      return Set.of();
    }
    Set<String> sent = new HashSet<>(servicesCreating);
    sent.addAll(servicesCreated);
    return Set.copyOf(sent);
  }

  /**
   * A pod's deletion is sent; true when it had not been sent before.
   *
   * @param atOnce whether with a grace period of 0: that is sent also after one with another
   */
  synchronized boolean deleting(String uid, String pod, boolean atOnce) {
    boolean first = deleted.putIfAbsent(uid, pod) == null;
    return atOnce ? deletedAtOnce.add(uid) : first;
  }

  /** A pod's deletion was refused: it may be sent again. */
  synchronized void notDeleted(String uid) {
    deleted.remove(uid);
    deletedAtOnce.remove(uid);
  }

  /** Whether a pod's creation waits, or its answer is still to come. */
  synchronized boolean isCreating() {
    return !queued.isEmpty() || !creating.isEmpty();
  }

  /** How many pods exist as far as is known. */
  synchronized int podCount() {
    return pods.size();
  }

  /**
   * Names of pods that exist as far as is known: they were seen at the last look, or were created
   * since.
   *
   * @return none before the first look: any pod may exist
   */
  synchronized Optional<Set<String>> pods() {
    return podsListed ? Optional.of(Set.copyOf(pods)) : Optional.empty();
  }

  /**
   * The outcome of a look at the pods.
   *
   * @param expected what was known before it, possibly empty
   * @param names of the pods that exist
   * @param uids their uids
   */
  synchronized void seen(Set<String> expected, Set<String> names, Set<String> uids) {
    podsListed = true;
    pods.removeIf(name -> expected.contains(name) && !names.contains(name));
    pods.addAll(names);
    created.values().removeAll(uids);
    deleted.keySet().removeIf(uid -> !uids.contains(uid));
    deletedAtOnce.retainAll(uids);
  }

  /**
   * Whether this process has created a pod that no watch has shown yet, or is about to. The name
   * does not say so: all pods of a replica may have the same.
   */
  synchronized boolean isExpected(String pod, String uid) {
    return creating.contains(pod) || uid.equals(created.get(pod));
  }

  /** Whether this process has asked for a pod's deletion. */
  synchronized boolean isDeleting(String uid) {
    return deleted.containsKey(uid);
  }

  /** Whether this process has asked for just that. */
  synchronized boolean isDeleting(PlannedAction.DeletePod deletion) {
    return deletion.atOnce()
        ? deletedAtOnce.contains(deletion.uid())
        : deleted.containsKey(deletion.uid());
  }
}
