package dev.tensorstack.training.kind.pytorchjob.v1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The pods of one type. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ReplicaStatus(
    @JsonPropertyDescription(
            "Pods that run, and those that are being deleted and have not ended yet.")
        @Nullable Integer active,
    @JsonPropertyDescription("Pods that succeeded.") @Nullable Integer succeeded,
    @JsonPropertyDescription("Pods that failed.") @Nullable Integer failed,
    @JsonPropertyDescription("Selects the pods of this type.") @Nullable String selector) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof ReplicaStatus that
            && Objects.equals(active, that.active)
            && Objects.equals(succeeded, that.succeeded)
            && Objects.equals(failed, that.failed)
            && Objects.equals(selector, that.selector));
  }
}
