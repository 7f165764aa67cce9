package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.WriteFailure;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of its own writes to the objects beside one job's pods. Nothing in here
 * is needed after a restart: what is applied again does not change.
 */
final class DependentMemory {

  private final Set<String> writing = new HashSet<>();
  private final Map<String, String> written = new HashMap<>();

  /** By object, the uid of the one whose deletion was accepted last. */
  private final Map<String, String> deleted = new HashMap<>();

  private final RefusalMemory refusals;

  DependentMemory(RefusalMemory refusals) {
    this.refusals = refusals;
  }

  /** A write is sent; false when one to that object is under way already. */
  synchronized boolean begin(ObjectWrite write) {
    boolean begins = writing.add(write.object());
    if (begins) {
      refusals.sent(write);
    }
    return begins;
  }

  /** Whether a write to that object is under way. */
  synchronized boolean isWriting(ObjectWrite write) {
    return writing.contains(write.object());
  }

  /**
   * Whether a deletion is under way, or was accepted before the watch has brought it: what is asked
   * to go does not stay.
   *
   * @param uid whose deletion
   */
  synchronized boolean isDeleting(ObjectWrite write, String uid) {
    return isWriting(write) || uid.equals(deleted.get(write.object()));
  }

  /** The API server accepted a deletion. */
  synchronized void deleted(ObjectWrite write, String uid) {
    deleted.put(write.object(), uid);
  }

  /** A write did not take place. */
  synchronized void cancelled(ObjectWrite write) {
    writing.remove(write.object());
    refusals.cancelled(write);
  }

  /** The API server accepted a write, after which the object has this version; null: it is gone. */
  synchronized void accepted(ObjectWrite write, @Nullable String resourceVersion, Instant now) {
    writing.remove(write.object());
    refusals.accepted(write, now);
    if (resourceVersion == null) {
      written.remove(write.object());
    } else {
      written.put(write.object(), resourceVersion);
    }
  }

  /** The API server refused a write. */
  synchronized void refused(
      ObjectWrite write, WriteFailure.Kind kind, String message, Instant now) {
    writing.remove(write.object());
    refusals.refused(write, kind, message, now);
  }

  /** Whether an object's version is the one that the last write has made. */
  synchronized boolean isSettled(String key, String resourceVersion) {
    return resourceVersion.equals(written.get(key));
  }
}
