package dev.tensorstack.training.controller;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** The memory of each job, by uid; what belongs to jobs that are gone is forgotten in passing. */
final class JobMemories {

  private static final int SWEEP_EVERY = 512;

  private record Entry(String namespace, String name, JobMemory memory) {}

  /** A job's place, to look it up in the cache. */
  record JobKey(String namespace, String name, String uid) {}

  private final Map<String, Entry> byUid = new ConcurrentHashMap<>();
  private final AtomicInteger sinceSweep = new AtomicInteger();

  /**
   * The memory of a job.
   *
   * @param key the job
   * @param exists whether a job still exists in the cache
   */
  JobMemory of(JobKey key, Predicate<JobKey> exists) {
    Entry entry = byUid.get(key.uid());
    if (entry != null) {
      return entry.memory();
    }
    if (sinceSweep.incrementAndGet() % SWEEP_EVERY == 0) {
      byUid
          .entrySet()
          .removeIf(
              old ->
                  !exists.test(
                      new JobKey(old.getValue().namespace(), old.getValue().name(), old.getKey())));
    }
    return byUid
        .computeIfAbsent(key.uid(), uid -> new Entry(key.namespace(), key.name(), new JobMemory()))
        .memory();
  }

  /** How many jobs are remembered. */
  int size() {
    return byUid.size();
  }
}
