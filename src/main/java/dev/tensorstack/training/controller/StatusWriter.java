package dev.tensorstack.training.controller;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.observation.Observation;
import dev.tensorstack.training.status.EventReport;
import dev.tensorstack.training.status.StatusChange;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * Writes status and events: only on change, with optimistic locking, and not too often. A decision
 * is written at once; a new phase or condition as soon as the shortest interval has passed; plain
 * progress of pods after intervals that double, so that a slow start costs few writes.
 */
final class StatusWriter {

  private final EventWriter events;
  private final Clock clock;
  private final Duration minInterval;

  StatusWriter(EventWriter events, Clock clock, Duration minInterval) {
    this.events = events;
    this.clock = clock;
    this.minInterval = minInterval;
  }

  /**
   * Writes a status if it says something new and is due.
   *
   * @param decision whether it holds a decision, which cannot wait
   * @return zero when nothing is left to write, else how long the write must wait
   * @throws io.fabric8.kubernetes.client.KubernetesClientException when the job has changed in
   *     between (409) or the API server cannot write; the reconciliation is then repeated
   */
  Duration write(
      PyTorchTrainingJob job,
      Context<PyTorchTrainingJob> context,
      Observation seen,
      PyTorchTrainingJobStatus next,
      JobMemory memory,
      boolean decision) {
    if (next.equals(job.getStatus())) {
      return Duration.ZERO;
    }
    boolean progressOnly = StatusChange.isProgressOnly(job.getStatus(), next);
    Instant now = clock.instant();
    Instant due = memory.statusDue(progressOnly, minInterval);
    if (!decision && now.isBefore(due)) {
      return Duration.between(now, due);
    }
    // Events first: their names follow from reason and attempt, so a repetition after a crash in
    // between is recognised, while an event after the status could be lost.
    events.write(job, EventReport.between(seen, next));
    job.setStatus(next);
    context.resourceOperations().updatePrimaryStatus(job);
    memory.statusWritten(clock.instant(), progressOnly);
    return Duration.ZERO;
  }
}
