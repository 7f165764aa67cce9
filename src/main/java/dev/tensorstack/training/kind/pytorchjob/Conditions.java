package dev.tensorstack.training.kind.pytorchjob;

import dev.tensorstack.training.kind.pytorchjob.v1.JobCondition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a PyTorchJob in the order in which clients read them: the one that changed last
 * stands last, for the column State shows it.
 */
final class Conditions {

  static final String CREATED = "Created";
  static final String RUNNING = "Running";
  static final String RESTARTING = "Restarting";
  static final String SUCCEEDED = "Succeeded";
  static final String SUSPENDED = "Suspended";
  static final String FAILED = "Failed";

  private static final String TRUE = "True";
  private static final String FALSE = "False";

  private final List<JobCondition> all;
  private final String now;

  /**
   * The stored conditions, to be changed.
   *
   * @param stored as the status has them; null for none
   * @param now the present time, RFC 3339
   */
  Conditions(@Nullable List<JobCondition> stored, String now) {
    this.all = new ArrayList<>(Objects.requireNonNullElse(stored, List.of()));
    this.all.removeIf(Objects::isNull);
    this.now = now;
  }

  /** All of them, in their order. */
  List<JobCondition> all() {
    return List.copyOf(all);
  }

  /** Whether a condition is true. */
  boolean isTrue(String type) {
    JobCondition present = find(type);
    return present != null && TRUE.equals(present.status());
  }

  /** Whether a condition is in the list. */
  boolean has(String type) {
    return find(type) != null;
  }

  /** The job was looked at for the first time. */
  void created(String reason, String message) {
    if (!has(CREATED)) {
      set(CREATED, TRUE, reason, message);
    }
  }

  /** The job runs: what was restarting does so no more. */
  void running(String reason, String message) {
    if (!isTrue(RUNNING)) {
      all.removeIf(one -> RESTARTING.equals(one.type()));
      set(RUNNING, TRUE, reason, message);
    }
  }

  /** A replica comes back: the job runs again when that does. */
  void restarting(String reason, String message) {
    if (!isTrue(RESTARTING)) {
      all.removeIf(one -> RUNNING.equals(one.type()));
      set(RESTARTING, TRUE, reason, message);
    }
  }

  /** The job has ended: it does not run, and nothing changes any more. */
  void ended(String type, String reason, String message) {
    if (!isTrue(type)) {
      JobCondition running = find(RUNNING);
      if (running != null) {
        notRunning(running.reason(), running.message());
      }
      set(type, TRUE, reason, message);
    }
  }

  /** The job is suspended. */
  void suspended(String reason, String message) {
    if (!isTrue(SUSPENDED)) {
      all.removeIf(one -> RESTARTING.equals(one.type()));
      notRunning(reason, message);
      set(SUSPENDED, TRUE, reason, message);
    }
  }

  /** The job goes on: the last condition says neither Suspended nor, before it does, Running. */
  void resumed(String reason, String message) {
    if (isTrue(SUSPENDED)) {
      // A status of another operator may say both.
      all.removeIf(one -> RESTARTING.equals(one.type()));
      notRunning(reason, message);
      set(SUSPENDED, FALSE, reason, message);
      all.add(0, all.remove(all.size() - 1));
      JobCondition running = find(RUNNING);
      if (running != null) {
        all.remove(running);
        all.add(1, running);
      }
    }
  }

  /** The queue has taken the job back: Created stands last until it runs again. */
  void held(String reason, String message) {
    JobCondition running = find(RUNNING);
    boolean isTold =
        running != null
            && FALSE.equals(running.status())
            && reason.equals(running.reason())
            && message.equals(running.message());
    if (!isTold) {
      all.removeIf(one -> RESTARTING.equals(one.type()));
      set(RUNNING, FALSE, reason, message);
      all.add(0, all.remove(all.size() - 1));
    }
  }

  private void notRunning(@Nullable String reason, @Nullable String message) {
    if (isTrue(RUNNING)) {
      set(RUNNING, FALSE, reason, message);
    }
  }

  private void set(String type, String status, @Nullable String reason, @Nullable String message) {
    JobCondition before = find(type);
    boolean sameStatus = before != null && status.equals(before.status());
    all.removeIf(one -> type.equals(one.type()));
    all.add(
        new JobCondition(
            type,
            status,
            reason,
            message,
            now,
            sameStatus && before != null && before.lastTransitionTime() != null
                ? before.lastTransitionTime()
                : now));
  }

  private @Nullable JobCondition find(String type) {
    return all.stream().filter(one -> type.equals(one.type())).findFirst().orElse(null);
  }
}
