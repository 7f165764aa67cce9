package dev.tensorstack.training.api.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.ObjectReference;
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
    @JsonPropertyDescription("Normal or Warning.") @Nullable String type) {}
