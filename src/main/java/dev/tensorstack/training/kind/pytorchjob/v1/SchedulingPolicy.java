package dev.tensorstack.training.kind.pytorchjob.v1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How the pods of a job are placed all at once. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SchedulingPolicy(
    @JsonPropertyDescription("How many pods have to find a place together. Default: all.")
        @Nullable Integer minAvailable,
    @JsonPropertyDescription("The queue of the scheduler. Default: default. Cannot be changed.")
        @Nullable String queue,
    @JsonPropertyDescription("What the pods need together. Default: the sum of what they request.")
        @Nullable Map<String, Quantity> minResources,
    @JsonPropertyDescription("The priority class of the PodGroup.") @Nullable String priorityClass,
    @JsonPropertyDescription("How long the gang may wait for its last pod, in seconds.")
        @Nullable Integer scheduleTimeoutSeconds) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof SchedulingPolicy that
            && Objects.equals(minAvailable, that.minAvailable)
            && Objects.equals(queue, that.queue)
            && Objects.equals(minResources, that.minResources)
            && Objects.equals(priorityClass, that.priorityClass)
            && Objects.equals(scheduleTimeoutSeconds, that.scheduleTimeoutSeconds));
  }
}
