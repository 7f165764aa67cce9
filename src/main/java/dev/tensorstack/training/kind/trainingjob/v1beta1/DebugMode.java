package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Debug mode: the pods run a waiting command, and nothing in them fails the job. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DebugMode(
    @JsonPropertyDescription("Switch debug mode on or off, at any time.") @Nullable Boolean enabled,
    @JsonPropertyDescription("Older spelling of enabled.") @Nullable Boolean enable,
    @JsonPropertyDescription("What to run for a type instead of `sleep inf`. Cannot be changed.")
        @Size(max = 64)
        @Nullable List<DebugReplicaSpec> replicaSpecs) {
  /**
   * Whether debug mode is on, in either spelling; `enabled` wins.
   *
   * @return true when the pods run the debug command
   */
  @JsonIgnore
  public boolean on() {
    return enabled != null ? enabled : Boolean.TRUE.equals(enable);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof DebugMode that
            && Objects.equals(enabled, that.enabled)
            && Objects.equals(enable, that.enable)
            && Objects.equals(replicaSpecs, that.replicaSpecs));
  }
}
