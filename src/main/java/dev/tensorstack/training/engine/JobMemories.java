package dev.tensorstack.training.engine;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * The memory of each job, by namespace, name and uid; what belongs to jobs that are gone is
 * forgotten in passing.
 */
final class JobMemories {

  private static final int SWEEP_EVERY = 512;

  /** A job's place, to look it up in the cache. */
  record JobKey(String namespace, String name, String uid) {}

  private final Map<JobKey, JobMemory> byJob = new ConcurrentHashMap<>();
  private final AtomicInteger sinceSweep = new AtomicInteger();

  /**
   * The memory of a job.
   *
   * @param job the job's metadata
   * @param exists whether a job still exists in the cache
   */
  JobMemory of(ObjectMeta job, Predicate<JobKey> exists) {
    JobKey key = new JobKey(job.getNamespace(), job.getName(), job.getUid());
    JobMemory known = byJob.get(key);
    if (known != null) {
      return known;
    }
    if (sinceSweep.incrementAndGet() % SWEEP_EVERY == 0) {
      byJob.keySet().removeIf(old -> !exists.test(old));
    }
    return byJob.computeIfAbsent(key, first -> new JobMemory());
  }

  /** How many jobs are remembered. */
  int size() {
    return byJob.size();
  }
}
