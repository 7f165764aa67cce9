package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What `kubectl get` shows: texts and sums that a JSON path cannot make. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Columns(
    @JsonPropertyDescription("Replicas that run, of those wanted: 3/4.") @Nullable String running,
    @JsonPropertyDescription(
            "All restarts: after failures and disruptions, and of replicas that restartPolicy Always starts again.")
        @Nullable Integer restarts,
    @JsonPropertyDescription("Nodes wanted: 4, or MIN:MAX of an elastic job.")
        @Nullable String nodes,
    @JsonPropertyDescription("The queue of the scheduler.") @Nullable String queue,
    @JsonPropertyDescription("The reason of the present phase.") @Nullable String reason,
    @JsonPropertyDescription("How much of the training is done: 43%.") @Nullable String progress,
    @JsonPropertyDescription("How long the training will go on, as it estimates itself: 2h15m.")
        @Nullable String eta) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Columns that
            && Objects.equals(running, that.running)
            && Objects.equals(restarts, that.restarts)
            && Objects.equals(nodes, that.nodes)
            && Objects.equals(queue, that.queue)
            && Objects.equals(reason, that.reason)
            && Objects.equals(progress, that.progress)
            && Objects.equals(eta, that.eta));
  }
}
