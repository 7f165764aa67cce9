package dev.tensorstack.training.kind.pytorchjob.v1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One aspect of the job's state. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record JobCondition(
    @JsonPropertyDescription("Created, Running, Restarting, Succeeded, Suspended or Failed.")
        @Required
        @Nullable String type,
    @JsonPropertyDescription("True, False or Unknown.") @Required @Nullable String status,
    @JsonPropertyDescription("One word, such as PyTorchJobRunning.") @Nullable String reason,
    @JsonPropertyDescription("A sentence for people.") @Nullable String message,
    @JsonPropertyDescription("When this condition was written last (RFC 3339).")
        @Nullable String lastUpdateTime,
    @JsonPropertyDescription("When status changed last (RFC 3339).")
        @Nullable String lastTransitionTime) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof JobCondition that
            && Objects.equals(type, that.type)
            && Objects.equals(status, that.status)
            && Objects.equals(reason, that.reason)
            && Objects.equals(message, that.message)
            && Objects.equals(lastUpdateTime, that.lastUpdateTime)
            && Objects.equals(lastTransitionTime, that.lastTransitionTime));
  }
}
