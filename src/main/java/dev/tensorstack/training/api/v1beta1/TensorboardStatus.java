package dev.tensorstack.training.api.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The state of a job's TensorBoard. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TensorboardStatus(
    @JsonPropertyDescription("The Deployment's name.") @Nullable String name,
    @JsonPropertyDescription("The objects that belong to it.") @Nullable List<String> dependent,
    @JsonPropertyDescription("Whether it serves.") @Nullable Boolean ready,
    @JsonPropertyDescription("One word on its state.") @Nullable String reason,
    @JsonPropertyDescription("What the operator does next.") @Nullable String action,
    @JsonPropertyDescription("A sentence for people.") @Nullable String note,
    @JsonPropertyDescription("Normal or Warning.") @Nullable String type) {}
