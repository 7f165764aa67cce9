package dev.tensorstack.training.engine;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The memory of each job, by namespace, name and uid; what belongs to jobs that are gone is
 * forgotten in passing.
 */
final class JobMemories {

  /** A memory holds all pods of its job as they were seen last. */
  private static final Duration BETWEEN_SWEEPS = Duration.ofMinutes(1);

  /** A job's place, to look it up in the cache. */
  record JobKey(String namespace, String name, String uid) {}

  private final Map<JobKey, JobMemory> byJob = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;
  private final AtomicLong nextSweep;

  JobMemories() {
    this(System::nanoTime);
  }

  /**
   * Memories by another clock.
   *
   * @param nanoTime as {@link System#nanoTime}
   */
  JobMemories(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    nextSweep = new AtomicLong(nanoTime.getAsLong() + BETWEEN_SWEEPS.toNanos());
  }

  /**
   * The memory of a job.
   *
   * @param job the job's metadata
   * @param exists whether a job still exists in the cache
   */
  JobMemory of(ObjectMeta job, Predicate<JobKey> exists) {
    JobKey key = new JobKey(job.getNamespace(), job.getName(), job.getUid());
    long now = nanoTime.getAsLong();
    long due = nextSweep.get();
    if (now - due >= 0 && nextSweep.compareAndSet(due, now + BETWEEN_SWEEPS.toNanos())) {
      byJob.keySet().removeIf(old -> !old.equals(key) && !exists.test(old));
    }
    return byJob.computeIfAbsent(key, first -> new JobMemory());
  }

  /**
   * A pod was removed. How it ended may be known from its last version only.
   *
   * @param pod its last version
   */
  void podRemoved(Pod pod) {
    tell(pod, readings -> readings.removed(pod));
  }

  /**
   * A pod was removed while the watch was cut off.
   *
   * @param pod the last version that the watch had
   */
  void podRemovedUnseen(Pod pod) {
    tell(pod, readings -> readings.removedUnseen(pod));
  }

  /**
   * The deletion of a pod was asked for. Whether it had ended before is only certain of the version
   * before: times are whole seconds.
   *
   * @param before its last version before that
   */
  void podDeletionRequested(Pod before) {
    tell(before, readings -> readings.deletionRequested(before));
  }

  /**
   * A Service was removed.
   *
   * @param service its last version
   */
  void serviceRemoved(Service service) {
    ofOwner(service)
        .ifPresent(memory -> memory.expectations().serviceRemoved(service.getMetadata().getName()));
  }

  private void tell(Pod pod, Consumer<PodReadings> what) {
    ofOwner(pod).ifPresent(memory -> what.accept(memory.readings()));
  }

  /** What is known of the job that controls an object. */
  private Optional<JobMemory> ofOwner(HasMetadata owned) {
    String namespace = owned.getMetadata().getNamespace();
    return owned.getMetadata().getOwnerReferences().stream()
        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
        .map(owner -> byJob.get(new JobKey(namespace, owner.getName(), owner.getUid())))
        .filter(Objects::nonNull)
        .findFirst();
  }

  /** Forgets all jobs, as a new process would not know them. */
  void clear() {
    byJob.clear();
  }

  /** How many jobs are remembered. */
  int size() {
    return byJob.size();
  }
}
