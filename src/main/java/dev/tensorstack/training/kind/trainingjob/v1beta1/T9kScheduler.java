package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Settings of the T9k scheduler. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record T9kScheduler(
    @JsonPropertyDescription("The queue that the job goes into; null means default.")
        @io.fabric8.generator.annotation.Nullable
        @Nullable String queue,
    @JsonPropertyDescription("The priority in the queue, 0 to 100. Default 10.")
        @Nullable Integer priority) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof T9kScheduler that
            && Objects.equals(queue, that.queue)
            && Objects.equals(priority, that.priority));
  }
}
