package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The failure that was decided on last. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record LastFailure(
    @JsonPropertyDescription("Type and index, for example worker-1.") @Nullable String replica,
    @JsonPropertyDescription("The pod's name.") @Nullable String pod,
    @JsonPropertyDescription("Application or Disruption.") @Nullable String cause,
    @JsonPropertyDescription("The container's exit code, where there is one.")
        @Nullable Integer exitCode,
    @JsonPropertyDescription("The signal that ended the container, where there was one.")
        @Nullable Integer signal,
    @JsonPropertyDescription("Error, OOMKilled, Evicted and the like.") @Nullable String reason,
    @JsonPropertyDescription("The node that the pod ran on.") @Nullable String node,
    @JsonPropertyDescription("The termination message or an explanation.") @Nullable String message,
    @JsonPropertyDescription("When the failure happened (RFC 3339).") @Nullable String time) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof LastFailure that
            && Objects.equals(replica, that.replica)
            && Objects.equals(pod, that.pod)
            && Objects.equals(cause, that.cause)
            && Objects.equals(exitCode, that.exitCode)
            && Objects.equals(signal, that.signal)
            && Objects.equals(reason, that.reason)
            && Objects.equals(node, that.node)
            && Objects.equals(message, that.message)
            && Objects.equals(time, that.time));
  }
}
