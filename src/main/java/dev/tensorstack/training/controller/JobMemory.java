package dev.tensorstack.training.controller;

import dev.tensorstack.training.observation.WriteFailure;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of its own writes for one job before the watch confirms them. Nothing in
 * here is needed after a restart: names are deterministic, so a repeated write is harmless.
 */
final class JobMemory {

  private static final Duration LOOK_INTERVAL = Duration.ofMillis(200);
  private static final int MOST_PROGRESS_DOUBLINGS = 4;

  private final Set<String> creating = new HashSet<>();
  private final Set<String> pods = new HashSet<>();
  private final Map<String, String> deleted = new HashMap<>();
  private final CompanionMemory companions = new CompanionMemory();
  private boolean podsListed;
  private boolean serviceCreating;
  private boolean serviceCreated;
  private @Nullable WriteFailure failure;
  private int failures;
  private @Nullable Instant statusWritten;
  private int progressReports;
  private @Nullable Instant looked;
  private @Nullable Instant broken;

  /**
   * How long the next look at the job may wait. While creations are under way, each answer is an
   * event, and looking at a job of hundreds of pods after each would cost more than the creations.
   *
   * @return zero when the job shall be looked at now
   */
  synchronized Duration untilNextLook(Instant now) {
    Instant earliest = looked == null ? now : looked.plus(LOOK_INTERVAL);
    if (!creating.isEmpty() && now.isBefore(earliest)) {
      return Duration.between(now, earliest);
    }
    looked = now;
    return Duration.ZERO;
  }

  /** What is known of writes to the objects beside the pods. */
  CompanionMemory companions() {
    return companions;
  }

  /** A pod's creation is sent. */
  synchronized void creating(String pod) {
    creating.add(pod);
  }

  /** The API server accepted a pod. */
  synchronized void created(String pod) {
    creating.remove(pod);
    pods.add(pod);
    succeeded();
  }

  /** A pod's creation did not take place. */
  synchronized void notCreated(String pod) {
    creating.remove(pod);
  }

  /** The Service's creation is sent. */
  synchronized void serviceCreating() {
    serviceCreating = true;
  }

  /** The Service's creation was answered. */
  synchronized void serviceAnswered(boolean accepted) {
    serviceCreating = false;
    serviceCreated = accepted;
    if (accepted) {
      succeeded();
    }
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

  /** The API server refused a write. */
  synchronized void refused(String object, WriteFailure.Kind kind, String message, Clock clock) {
    failure =
        new WriteFailure(object, kind, message, clock.instant().plus(RetryDelay.after(failures)));
    failures++;
  }

  private void succeeded() {
    failure = null;
    failures = 0;
  }

  /** Names of pods whose creation is not yet answered. */
  synchronized Set<String> creating() {
    return Set.copyOf(creating);
  }

  /** Whether an answer to a pod's creation is still to come. */
  synchronized boolean isCreating() {
    return !creating.isEmpty();
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

  /** Whether this process has asked for a pod's deletion. */
  synchronized boolean isDeleting(String uid) {
    return deleted.containsKey(uid);
  }

  /** The last refusal; null when the last write was accepted. */
  synchronized @Nullable WriteFailure failure() {
    return failure;
  }

  /** The earliest moment of the next status write. */
  synchronized Instant statusDue(boolean progressOnly, Duration minInterval) {
    if (statusWritten == null) {
      return Instant.MIN;
    }
    int doublings = progressOnly ? Math.min(progressReports, MOST_PROGRESS_DOUBLINGS) : 0;
    return statusWritten.plus(minInterval.multipliedBy(1L << doublings));
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
    statusWritten = time;
    progressReports = progressOnly ? progressReports + 1 : 0;
  }
}
