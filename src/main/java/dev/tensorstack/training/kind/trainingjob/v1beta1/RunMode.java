package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Ways of running a job other than training: at most one of them may be on. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RunMode(
    @JsonPropertyDescription("Start the pods with a harmless command, to look around in them.")
        @Nullable DebugMode debug,
    @JsonPropertyDescription("End the pods and keep the job, to resume it later.")
        @Nullable PauseMode pause) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof RunMode that
            && Objects.equals(debug, that.debug)
            && Objects.equals(pause, that.pause));
  }
}
