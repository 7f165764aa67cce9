package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A stretch of a job's life that a failure, a pause, its queue or its end has ended. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record HistoryEntry(
    @JsonPropertyDescription("The number of the attempt, from 0.") @Nullable Integer attempt,
    @JsonPropertyDescription(
            "When the stretch began: with the job's first pods, where the one before ended, or at the resume (RFC 3339).")
        @Nullable String startTime,
    @JsonPropertyDescription(
            "When it ended: of a failure when that happened, else when the operator saw it (RFC 3339).")
        @Nullable String endTime,
    @JsonPropertyDescription("What ended it: Restarted, Paused, Queued, Succeeded or Failed.")
        @Nullable String end,
    @JsonPropertyDescription("How many pods ran until then.") @Nullable Integer running,
    @JsonPropertyDescription("Of a failure: Application or Disruption.") @Nullable String cause,
    @JsonPropertyDescription("Of a failure: Error, OOMKilled, Evicted and the like.")
        @Nullable String reason,
    @JsonPropertyDescription("Of a failure: type and index, for example worker-1.")
        @Nullable String replica,
    @JsonPropertyDescription("Of a failure: the container's exit code, where there is one.")
        @Nullable Integer exitCode,
    @JsonPropertyDescription("Of a failure: the node that the pod ran on.") @Nullable String node) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof HistoryEntry that
            && Objects.equals(attempt, that.attempt)
            && Objects.equals(startTime, that.startTime)
            && Objects.equals(endTime, that.endTime)
            && Objects.equals(end, that.end)
            && Objects.equals(running, that.running)
            && Objects.equals(cause, that.cause)
            && Objects.equals(reason, that.reason)
            && Objects.equals(replica, that.replica)
            && Objects.equals(exitCode, that.exitCode)
            && Objects.equals(node, that.node));
  }
}
