package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Pause: the pods are ended gracefully and created again at resume. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PauseMode(
    @JsonPropertyDescription("Pause or resume the job, at any time.") @Nullable Boolean enabled,
    @JsonPropertyDescription("Older spelling of enabled.") @Nullable Boolean enable,
    @JsonPropertyDescription(
            "What to run for a type after a resume instead of its template's command. Cannot be changed.")
        @Size(max = 64)
        @Nullable List<ResumeSpec> resumeSpecs) {
  /**
   * Whether the job is paused, in either spelling; `enabled` wins.
   *
   * @return true when the job shall have no running pods
   */
  @JsonIgnore
  public boolean on() {
    return enabled != null ? enabled : Boolean.TRUE.equals(enable);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof PauseMode that
            && Objects.equals(enabled, that.enabled)
            && Objects.equals(enable, that.enable)
            && Objects.equals(resumeSpecs, that.resumeSpecs));
  }
}
