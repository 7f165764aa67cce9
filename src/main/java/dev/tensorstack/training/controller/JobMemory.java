package dev.tensorstack.training.controller;

import dev.tensorstack.training.admission.Violation;
import dev.tensorstack.training.plan.PlannedAction;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of its own writes for one job before the watch confirms them. Nothing in
 * here is needed after a restart: names are deterministic, so a repeated write is harmless.
 */
final class JobMemory {

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

  /** So that what happens to several pods at once is one look; nobody notices the delay. */
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);

  /** So that looks at a job take a small part of a processor, whatever its size. */
  private static final Duration PAUSE_FOR_EACH_POD = Duration.ofMillis(2);

  private static final int MOST_DOUBLINGS = 4;

  /** After so long without a report, progress is no longer part of the burst of before. */
  private static final Duration QUIET = Duration.ofMinutes(1);

  private final Set<String> queued = new HashSet<>();
  private final Set<String> creating = new HashSet<>();
  private final Set<PlannedAction> begun = new HashSet<>();
  private final Set<String> pods = new HashSet<>();
  private final Map<String, String> deleted = new HashMap<>();
  private final RefusalMemory refusals = new RefusalMemory();
  private final CompanionMemory companions = new CompanionMemory(refusals);
  private final PodReadings readings = new PodReadings();
  private final Unpublishing unpublishing = new Unpublishing();
  private final StoredCount.Memory count = new StoredCount.Memory();
  private final PodCreations creations = new PodCreations();
  private boolean podsListed;
  private boolean podsProven;
  private boolean serviceCreating;
  private boolean serviceCreated;
  private @Nullable Instant statusWritten;
  private int progressReports;
  private @Nullable Instant untoldSince;
  private @Nullable Instant looked;
  private @Nullable Instant broken;
  private long checkedGeneration = -1;
  private List<Violation> violations = List.of();

  /**
   * How long the next look at the job may wait. Each change of a pod is an event, and hundreds of
   * pods change within a second: looking at all of them after each would cost more than all else.
   * So a job rests after a look, the longer the more pods it has, and while creations are under
   * way.
   *
   * @return zero when the job shall be looked at now
   */
  synchronized Duration untilNextLook(Instant now) {
    // A clock that is put back must not hold the job up until it has caught up.
    Instant earliest = looked == null || looked.isAfter(now) ? now : looked.plus(pause());
    if (now.isBefore(earliest)) {
      return Duration.between(now, earliest);
    }
    looked = now;
    return Duration.ZERO;
  }

  private Duration pause() {
    Duration pause = PAUSE_FOR_EACH_POD.multipliedBy(pods.size());
    if (isCreating() || pause.compareTo(LONGEST_PAUSE) > 0) {
      return LONGEST_PAUSE;
    }
    return pause.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : pause;
  }

  /**
   * What the rules say of a generation of the spec. A generation never changes, so they are asked
   * once.
   *
   * @param rules says it
   * @return what is wrong with it; empty when nothing is
   */
  synchronized List<Violation> violations(long generation, Supplier<List<Violation>> rules) {
    if (generation != checkedGeneration) {
      violations = rules.get();
      checkedGeneration = generation;
    }
    return violations;
  }

  /** What is known of refused writes. */
  RefusalMemory refusals() {
    return refusals;
  }

  /** What is known of writes to the objects beside the pods. */
  CompanionMemory companions() {
    return companions;
  }

  /** What is known of pods that leave the Service. */
  Unpublishing unpublishing() {
    return unpublishing;
  }

  /** What is known of the number of pods in the stored job. */
  StoredCount.Memory count() {
    return count;
  }

  /** How often pods of a name were created. */
  PodCreations creations() {
    return creations;
  }

  /** What was read of the job's pods. */
  PodReadings readings() {
    return readings;
  }

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
  synchronized void calledBack(String pod) {
    queued.remove(pod);
  }

  /** The creations that were sent since the last look began. */
  synchronized Set<PlannedAction> begun() {
    return Set.copyOf(begun);
  }

  /** The API server accepted a pod. */
  synchronized void created(String pod) {
    creating.remove(pod);
    pods.add(pod);
  }

  /** A pod's creation did not take place. */
  synchronized void notCreated(String pod) {
    creating.remove(pod);
  }

  /** Whether the Service's creation is to be sent: it was not since the look that wants it. */
  synchronized boolean serviceQueued() {
    return begun.stream().noneMatch(PlannedAction.CreateService.class::isInstance);
  }

  /** The Service's creation is sent. */
  synchronized void serviceCreating() {
    begun.add(new PlannedAction.CreateService());
    serviceCreating = true;
  }

  /** The Service's creation was answered. */
  synchronized void serviceAnswered(boolean accepted) {
    serviceCreating = false;
    serviceCreated = accepted;
  }

  /** Whether the Service was created by this process, or is being created. */
  synchronized boolean serviceSent() {
    return serviceCreating || serviceCreated;
  }

  /** The watch has shown the Service: from now on it is believed. */
  synchronized void serviceSeen() {
    serviceCreated = false;
  }

  /** A pod's deletion is sent; true when it had not been sent before. */
  synchronized boolean deleting(String uid, String pod) {
    return deleted.putIfAbsent(uid, pod) == null;
  }

  /** A pod's deletion was refused: it may be sent again. */
  synchronized void notDeleted(String uid) {
    deleted.remove(uid);
  }

  /** Whether a pod's creation waits, or its answer is still to come. */
  synchronized boolean isCreating() {
    return !queued.isEmpty() || !creating.isEmpty();
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
    deleted.keySet().removeIf(uid -> !uids.contains(uid));
  }

  /** Whether the cache was seen to have all pods of the job. */
  synchronized boolean arePodsProven() {
    return podsProven;
  }

  /** The cache has all pods of the job, now and from now on. */
  synchronized void podsProven() {
    podsProven = true;
  }

  /** Whether this process has asked for a pod's deletion. */
  synchronized boolean isDeleting(String uid) {
    return deleted.containsKey(uid);
  }

  /**
   * The earliest moment of the next status write (contract section 13: at most one in the shortest
   * interval). A change waits for that alone; the first status waits for nothing. Progress waits
   * longer after each report, and a while after there is something to tell, because more will
   * follow: the pods of a small job run, or end, before the time has come to tell of the first.
   *
   * @param progressOnly whether it says no more than how the pods get on
   * @param busy whether others wait for the API server: progress then waits as long as it may
   * @param minInterval the shortest time between two writes
   * @param now the time; remembered as the moment since when there is something to tell
   */
  synchronized Instant statusDue(
      boolean progressOnly, boolean busy, Duration minInterval, Instant now) {
    untoldSince = untoldSince == null || untoldSince.isAfter(now) ? now : untoldSince;
    if (statusWritten != null && statusWritten.isAfter(now)) {
      statusWritten = now; // the clock was put back
    }
    if (!progressOnly) {
      return statusWritten == null ? Instant.MIN : statusWritten.plus(minInterval);
    }
    Instant settled = untoldSince.plus(minInterval.multipliedBy(2));
    int doublings = busy ? MOST_DOUBLINGS : Math.min(progressReports + 1, MOST_DOUBLINGS);
    Instant rare =
        (statusWritten == null ? untoldSince : statusWritten)
            .plus(minInterval.multipliedBy(1L << doublings));
    return rare.isAfter(settled) ? rare : settled;
  }

  /** The status says all that there is to say. */
  synchronized void statusSaysAll() {
    untoldSince = null;
  }

  /** Since when pods are missing after a failure, for the metrics alone; null when none is. */
  synchronized @Nullable Instant broken() {
    return broken;
  }

  /** Pods are missing since a moment, or none is any more. */
  synchronized void broken(@Nullable Instant since) {
    broken = since;
  }

  /** The status was written. */
  synchronized void statusWritten(Instant time, boolean progressOnly) {
    boolean burst = statusWritten != null && time.isBefore(statusWritten.plus(QUIET));
    statusWritten = time;
    untoldSince = null;
    progressReports = !progressOnly ? 0 : burst ? progressReports + 1 : 1;
  }
}
