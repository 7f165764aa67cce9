package dev.tensorstack.training.kind.pytorchjob.v1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.ledger.StoredTraining;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the operator has seen and decided. What Kubeflow's operator does not know ({@code
 * observedGeneration}, {@code training}, {@code ledger}) it leaves alone.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PyTorchJobStatus(
    @JsonPropertyDescription(
            "Created, Running, Restarting, Succeeded, Suspended and Failed; the one that changed last stands last.")
        @Nullable List<JobCondition> conditions,
    @JsonPropertyDescription("The pods by type.")
        @Nullable Map<String, ReplicaStatus> replicaStatuses,
    @JsonPropertyDescription("When the job was first looked at; again at a resume (RFC 3339).")
        @Nullable String startTime,
    @JsonPropertyDescription("When the job ended, well or badly (RFC 3339).")
        @Nullable String completionTime,
    @JsonPropertyDescription("When this status was written last (RFC 3339).")
        @Nullable String lastReconcileTime,
    @JsonPropertyDescription("The generation of the spec that this status speaks of.")
        @Nullable Long observedGeneration,
    @JsonPropertyDescription(
            "How far the training is, as it has reported last; absent before the first report.")
        @Nullable StoredTraining training,
    @JsonPropertyDescription(
            "What the operator remembers of the job. It is the operator's own: the fields above say the same for people.")
        @Nullable StoredLedger ledger) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof PyTorchJobStatus that
            && Objects.equals(conditions, that.conditions)
            && Objects.equals(replicaStatuses, that.replicaStatuses)
            && Objects.equals(startTime, that.startTime)
            && Objects.equals(completionTime, that.completionTime)
            && Objects.equals(lastReconcileTime, that.lastReconcileTime)
            && Objects.equals(observedGeneration, that.observedGeneration)
            && Objects.equals(training, that.training)
            && Objects.equals(ledger, that.ledger));
  }
}
