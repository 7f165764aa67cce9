package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.ObjectReference;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The state of a job's TensorBoard. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TensorboardStatus(
    @JsonPropertyDescription("tensorboard: which of the job's parts this is about.")
        @Nullable String name,
    @JsonPropertyDescription("The Deployment that serves; its Service has the same name.")
        @Nullable ObjectReference dependent,
    @JsonPropertyDescription("Whether it serves.") @Nullable Boolean ready,
    @JsonPropertyDescription(
            "One word on its state, for example Ready, Starting, Suspended or QuotaExceeded.")
        @Nullable String reason,
    @JsonPropertyDescription("What the operator does next: Create, Wait, Retry or None.")
        @Nullable String action,
    @JsonPropertyDescription("A sentence for people.") @Nullable String note,
    @JsonPropertyDescription("Normal or Warning.") @Nullable String type) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof TensorboardStatus that
            && Objects.equals(name, that.name)
            && Objects.equals(dependent, that.dependent)
            && Objects.equals(ready, that.ready)
            && Objects.equals(reason, that.reason)
            && Objects.equals(action, that.action)
            && Objects.equals(note, that.note)
            && Objects.equals(type, that.type));
  }
}
