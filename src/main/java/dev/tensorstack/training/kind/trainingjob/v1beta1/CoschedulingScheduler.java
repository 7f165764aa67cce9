package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Settings of the coscheduling plugin. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record CoschedulingScheduler(
    @JsonPropertyDescription(
            "How long the gang may wait for its last pod, in seconds. Default: the plugin's.")
        @Min(1)
        @Nullable Integer scheduleTimeoutSeconds,
    @JsonPropertyDescription(
            "The name of the scheduler that runs the plugin. Default scheduler-plugins-scheduler, or the template's schedulerName.")
        @Nullable String schedulerName) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof CoschedulingScheduler that
            && Objects.equals(scheduleTimeoutSeconds, that.scheduleTimeoutSeconds)
            && Objects.equals(schedulerName, that.schedulerName));
  }
}
