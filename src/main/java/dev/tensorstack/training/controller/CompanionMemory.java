package dev.tensorstack.training.controller;

import dev.tensorstack.training.observation.WriteFailure;
import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of its own writes to the objects beside one job's pods. Nothing in here
 * is needed after a restart: what is applied again does not change.
 */
final class CompanionMemory {

  private final Set<String> writing = new HashSet<>();
  private final Map<String, String> written = new HashMap<>();
  private final Map<String, Integer> refusals = new HashMap<>();
  private final Map<String, WriteFailure> refused = new HashMap<>();

  /** A write is sent; false when one is under way already. */
  synchronized boolean begin(String key) {
    return writing.add(key);
  }

  /** A write did not take place. */
  synchronized void cancelled(String key) {
    writing.remove(key);
  }

  /** The API server accepted a write, after which the object has this version; null: it is gone. */
  synchronized void accepted(String key, @Nullable String resourceVersion) {
    writing.remove(key);
    refused.remove(key);
    refusals.remove(key);
    if (resourceVersion == null) {
      written.remove(key);
    } else {
      written.put(key, resourceVersion);
    }
  }

  /** The API server refused a write. */
  synchronized void refused(String key, WriteFailure.Kind kind, String message, Clock clock) {
    writing.remove(key);
    int before = refusals.merge(key, 1, Integer::sum) - 1;
    refused.put(
        key, new WriteFailure(key, kind, message, clock.instant().plus(RetryDelay.after(before))));
  }

  /** Whether an object's version is the one that the last write has made. */
  synchronized boolean isSettled(String key, String resourceVersion) {
    return resourceVersion.equals(written.get(key));
  }

  /** The last refusals that no accepted write has followed, by object. */
  synchronized Map<String, WriteFailure> refused() {
    return Map.copyOf(refused);
  }
}
