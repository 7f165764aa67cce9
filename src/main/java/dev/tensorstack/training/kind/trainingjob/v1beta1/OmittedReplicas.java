package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the replicas of one type that a large job's status does not list one by one.
 * Indexes are ranges such as {@code 0-511,513}.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record OmittedReplicas(
    @JsonPropertyDescription("Indexes of replicas whose pod has been created and has not ended.")
        @Nullable String created,
    @JsonPropertyDescription("Indexes of replicas whose pod is still to be created.")
        @Nullable String creating,
    @JsonPropertyDescription("Indexes of replicas whose pod has succeeded.")
        @Nullable String succeeded,
    @JsonPropertyDescription("Indexes of replicas whose pod has failed.") @Nullable String failed,
    @JsonPropertyDescription(
            "Indexes by how many pods the replicas had before; those that had none are not in it.")
        @Nullable Map<String, String> earlierPods,
    @JsonPropertyDescription(
            "Not before this time pods that are still to be created are: the delay of a restart (RFC 3339).")
        @Nullable String restartAt) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof OmittedReplicas that
            && Objects.equals(created, that.created)
            && Objects.equals(creating, that.creating)
            && Objects.equals(succeeded, that.succeeded)
            && Objects.equals(failed, that.failed)
            && Objects.equals(earlierPods, that.earlierPods)
            && Objects.equals(restartAt, that.restartAt));
  }
}
