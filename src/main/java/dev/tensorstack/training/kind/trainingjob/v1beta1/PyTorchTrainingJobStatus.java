package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.ledger.StoredTraining;
import dev.tensorstack.training.core.model.JobPhase;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.kubernetes.model.annotation.LabelSelector;
import io.fabric8.kubernetes.model.annotation.StatusReplicas;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the operator has seen and decided. It is also the ledger: the counts and the pods in it
 * survive every restart of the operator.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PyTorchTrainingJobStatus(
    @JsonPropertyDescription("The generation of the spec that this status speaks of.")
        @Nullable Long observedGeneration,
    @JsonPropertyDescription("Pending, Running, Paused, Resuming, Succeeded, Failed or Unknown.")
        @SchemaFrom(type = JobPhase.class)
        @Nullable String phase,
    @JsonPropertyDescription("When the first pods were created; again at a resume (RFC 3339).")
        @Nullable String startTime,
    @JsonPropertyDescription("When the job ended, well or badly (RFC 3339).")
        @Nullable String completionTime,
    @JsonPropertyDescription("The number of the present attempt, from 0.")
        @Nullable Integer attempt,
    @JsonPropertyDescription(
            "What the present pods are for: Train, Resume (train with resumeSpecs) or Debug.")
        @Nullable String runMode,
    @JsonPropertyDescription("Restarts that were counted against runPolicy.backoffLimit.")
        @Nullable Integer backoffCount,
    @JsonPropertyDescription(
            "How many of those lie within runPolicy.backoffWindowSeconds and count now, or did when the job ended; absent without a window.")
        @Nullable Integer recentBackoffCount,
    @JsonPropertyDescription("Restarts after disruptions, which cost nothing.")
        @Nullable Integer disruptionCount,
    @JsonPropertyDescription("The number of pods wanted now.") @StatusReplicas
        @Nullable Integer replicas,
    @JsonPropertyDescription(
            "When nodes were last taken away from an elastic job that ran (RFC 3339).")
        @Nullable String lastShrinkTime,
    @JsonPropertyDescription(
            "Since when nodes are to leave an elastic job that wait for the ring to be formed (RFC 3339).")
        @Nullable String shrinkWaitingSince,
    @JsonPropertyDescription(
            "The last disruption and those of the five minutes before it, the oldest first: after the third, replacements wait.")
        @Nullable List<RecentDisruption> recentDisruptions,
    @JsonPropertyDescription("Selects the job's pods.") @LabelSelector @Nullable String selector,
    @JsonPropertyDescription("How many replicas are in which state.")
        @Nullable ReplicaAggregate aggregate,
    @JsonPropertyDescription("The replicas by type.") @Nullable List<TaskStatus> tasks,
    @JsonPropertyDescription("The failure that was decided on last.")
        @Nullable LastFailure lastFailure,
    @JsonPropertyDescription(
            "What became of the job's latest stretches, at most ten, the oldest first; absent while the first goes on. A stretch ends with a restart after a failure, a pause, the loss of the place in a queue, or the job's end.")
        @Nullable List<HistoryEntry> history,
    @JsonPropertyDescription(
            "Initialized, Running, ReplicaFailure, Completed, Failed, Paused, Succeeded, Reconciling and Stalled.")
        @Nullable List<JobCondition> conditions,
    @JsonPropertyDescription("The state of the job's TensorBoard.")
        @Nullable TensorboardStatus tensorboard,
    @JsonPropertyDescription(
            "How far the training is, as it has reported last; absent before the first report.")
        @Nullable StoredTraining training,
    @JsonPropertyDescription("What `kubectl get` shows in its columns.") @Nullable Columns columns,
    @JsonPropertyDescription(
            "What the operator remembers of the job. It is the operator's own: the fields above say the same for people.")
        @Nullable StoredLedger ledger) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof PyTorchTrainingJobStatus that
            && Objects.equals(observedGeneration, that.observedGeneration)
            && Objects.equals(phase, that.phase)
            && Objects.equals(startTime, that.startTime)
            && Objects.equals(completionTime, that.completionTime)
            && Objects.equals(attempt, that.attempt)
            && Objects.equals(runMode, that.runMode)
            && Objects.equals(backoffCount, that.backoffCount)
            && Objects.equals(recentBackoffCount, that.recentBackoffCount)
            && Objects.equals(disruptionCount, that.disruptionCount)
            && Objects.equals(replicas, that.replicas)
            && Objects.equals(lastShrinkTime, that.lastShrinkTime)
            && Objects.equals(shrinkWaitingSince, that.shrinkWaitingSince)
            && Objects.equals(recentDisruptions, that.recentDisruptions)
            && Objects.equals(selector, that.selector)
            && Objects.equals(aggregate, that.aggregate)
            && Objects.equals(tasks, that.tasks)
            && Objects.equals(lastFailure, that.lastFailure)
            && Objects.equals(history, that.history)
            && Objects.equals(conditions, that.conditions)
            && Objects.equals(tensorboard, that.tensorboard)
            && Objects.equals(training, that.training)
            && Objects.equals(columns, that.columns)
            && Objects.equals(ledger, that.ledger));
  }
}
