package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One aspect of the job's state, as Kubernetes writes conditions. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record JobCondition(
    @JsonPropertyDescription(
            "Initialized, Running, ReplicaFailure, Completed, Failed, Paused, Succeeded,"
                + " Reconciling or Stalled.")
        @Required
        @Nullable String type,
    @JsonPropertyDescription("True, False or Unknown.") @Nullable String status,
    @JsonPropertyDescription("One word; `-` when there is none.") @Nullable String reason,
    @JsonPropertyDescription("A sentence for people.") @Nullable String message,
    @JsonPropertyDescription("When status changed last (RFC 3339).")
        @Nullable String lastTransitionTime,
    @JsonPropertyDescription("The generation that this was said of.")
        @Nullable Long observedGeneration) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof JobCondition that
            && Objects.equals(type, that.type)
            && Objects.equals(status, that.status)
            && Objects.equals(reason, that.reason)
            && Objects.equals(message, that.message)
            && Objects.equals(lastTransitionTime, that.lastTransitionTime)
            && Objects.equals(observedGeneration, that.observedGeneration));
  }
}
