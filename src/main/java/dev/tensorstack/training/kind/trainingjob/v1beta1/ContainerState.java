package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The state of one container. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ContainerState(
    @JsonPropertyDescription("The container's name.") @Nullable String name,
    @JsonPropertyDescription("Waiting, Running or Terminated.") @Nullable String state,
    @JsonPropertyDescription("Why it waits or how it ended.") @Nullable String reason,
    @JsonPropertyDescription("The exit code of a terminated container.")
        @Nullable Integer exitCode) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof ContainerState that
            && Objects.equals(name, that.name)
            && Objects.equals(state, that.state)
            && Objects.equals(reason, that.reason)
            && Objects.equals(exitCode, that.exitCode));
  }
}
