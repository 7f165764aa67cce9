package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The replicas of one type. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TaskStatus(
    @JsonPropertyDescription("The type.") @Required @Nullable String type,
    @JsonPropertyDescription("Restarts that replicas of this type caused.")
        @Nullable Integer restartCount,
    @JsonPropertyDescription(
            "How many replicas the list leaves out, to keep a large job's status small.")
        @Nullable Integer omittedReplicas,
    @JsonPropertyDescription("What is known of the replicas that the list leaves out.")
        @Nullable OmittedReplicas omitted,
    @JsonPropertyDescription(
            "What an earlier version has written and the ledger says now: how many pods the replicas"
                + " have had that scaling down took away, by index.")
        @Nullable Map<String, Integer> removedReplicas,
    @JsonPropertyDescription("The replicas in order of their index.")
        @Nullable List<ReplicaStatus> replicas) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof TaskStatus that
            && Objects.equals(type, that.type)
            && Objects.equals(restartCount, that.restartCount)
            && Objects.equals(omittedReplicas, that.omittedReplicas)
            && Objects.equals(omitted, that.omitted)
            && Objects.equals(removedReplicas, that.removedReplicas)
            && Objects.equals(replicas, that.replicas));
  }
}
