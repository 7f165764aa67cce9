package dev.tensorstack.training.benchmark;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one job in a queue. Instants are those of the API server's objects, to the
 * second; moments are {@link System#nanoTime()}, 0 for not yet. Guarded by its {@link GangLedger}.
 */
final class QueuedGang {

  final String name;
  final String queue;
  final int cohort;

  /** When the job was created. */
  @Nullable Instant created;

  /** When its Workload was created. */
  @Nullable Instant queued;

  /** When Kueue admitted its Workload. */
  @Nullable Instant admitted;

  /** When its first pod was created. */
  @Nullable Instant started;

  /** When the watch brought the admission. */
  long admissionSeen;

  /** When the watch brought its first pod. */
  long firstPodSeen;

  /** When the watch brought the first pod that is bound to a node. */
  long firstBound;

  /** When the watch brought the last pod that is bound to a node. */
  long lastBound;

  /** How many Workloads it ever had. */
  int workloads;

  /** How many pods it ever had. */
  int pods;

  /** How many of its pods were ever bound. */
  int bound;

  /** How many of its pods have ended or are gone. */
  int ended;

  QueuedGang(String name, String queue, int cohort) {
    this.name = name;
    this.queue = queue;
    this.cohort = cohort;
  }
}
