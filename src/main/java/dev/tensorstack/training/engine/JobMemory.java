package dev.tensorstack.training.engine;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of one job that is not in the API server. Nothing in here is needed after
 * a restart.
 */
final class JobMemory {

  private final Expectations expectations = new Expectations();
  private final ReconcileThrottle reconcilePace = new ReconcileThrottle(expectations);
  private final StatusThrottle statusPace = new StatusThrottle();
  private final PodProof podProof = new PodProof();
  private final ValidationCache checkedSpec = new ValidationCache();
  private final RefusalMemory refusals = new RefusalMemory();
  private final DependentMemory dependents = new DependentMemory(refusals);
  private final PodReadings readings = new PodReadings();
  private final Unpublishing unpublishing = new Unpublishing();
  private final ScaleReplicasWriter.Memory count = new ScaleReplicasWriter.Memory();
  private final PodCreations creations = new PodCreations();
  private final PendingEvents events = new PendingEvents();
  private final PodLogs.Memory logs = new PodLogs.Memory();
  private final TensorboardPods.Memory tensorboard = new TensorboardPods.Memory();
  private final QueueMadeEntries.Memory queueMade = new QueueMadeEntries.Memory();
  private final JobsLeftAlone.Memory leftAlone = new JobsLeftAlone.Memory();
  private final TrainingReports training = new TrainingReports();
  private final PodEnds ends = new PodEnds();
  private volatile @Nullable Instant broken;

  /** The writes of pods and Service that the watches have not shown yet. */
  Expectations expectations() {
    return expectations;
  }

  /** How often the job is looked at. */
  ReconcileThrottle reconcilePace() {
    return reconcilePace;
  }

  /** How often its status is written. */
  StatusThrottle statusPace() {
    return statusPace;
  }

  /** Whether the cache has all of its pods. */
  PodProof podProof() {
    return podProof;
  }

  /** What the rules say of its spec. */
  ValidationCache checkedSpec() {
    return checkedSpec;
  }

  /** What is known of refused writes. */
  RefusalMemory refusals() {
    return refusals;
  }

  /** What is known of writes to the objects beside the pods. */
  DependentMemory dependents() {
    return dependents;
  }

  /** What is known of pods that leave the Service. */
  Unpublishing unpublishing() {
    return unpublishing;
  }

  /** What is known of the number of pods in the stored job. */
  ScaleReplicasWriter.Memory count() {
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

  /** The events that the API server could not take. */
  PendingEvents events() {
    return events;
  }

  /** What was read of the logs of its pods. */
  PodLogs.Memory logs() {
    return logs;
  }

  /** What is known of the pod of its TensorBoard. */
  TensorboardPods.Memory tensorboard() {
    return tensorboard;
  }

  /** Whether its queue has made an entry for it by itself. */
  QueueMadeEntries.Memory queueMade() {
    return queueMade;
  }

  /** What was told of it, if nobody works on it. */
  JobsLeftAlone.Memory leftAlone() {
    return leftAlone;
  }

  /** What its training has reported. */
  TrainingReports training() {
    return training;
  }

  /** What is known of pods that their kubelets were asked to end. */
  PodEnds ends() {
    return ends;
  }

  /** Since when pods are missing after a failure, for the metrics alone; null when none is. */
  @Nullable Instant broken() {
    return broken;
  }

  /** Pods are missing since a moment, or none is any more. */
  void broken(@Nullable Instant since) {
    broken = since;
  }
}
