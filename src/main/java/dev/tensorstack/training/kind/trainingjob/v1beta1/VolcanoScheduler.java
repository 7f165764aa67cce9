package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Settings of the Volcano scheduler. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record VolcanoScheduler(
    @JsonPropertyDescription("The queue that the job goes into. Default: Volcano's own.")
        @Nullable String queue,
    @JsonPropertyDescription("The priority class of the pod group.")
        @Nullable String priorityClassName) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof VolcanoScheduler that
            && Objects.equals(queue, that.queue)
            && Objects.equals(priorityClassName, that.priorityClassName));
  }
}
