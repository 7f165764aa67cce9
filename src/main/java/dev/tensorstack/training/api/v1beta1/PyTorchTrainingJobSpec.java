package dev.tensorstack.training.api.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the user wants to be trained (docs/reference/api.md). */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PyTorchTrainingJobSpec(
    @JsonPropertyDescription(
            "The kinds of replicas, in order. Index 0 of the first entry is the master: it hosts the rendezvous, and its success is the job's success.")
        @Required
        @Size(max = 64)
        @Nullable List<ReplicaSpec> replicaSpecs,
    @JsonPropertyDescription("Start the training container through torchrun.")
        @Nullable TorchrunConfig torchrunConfig,
    @JsonPropertyDescription("Let the number of nodes change while the job runs.")
        @Nullable Elastic elastic,
    @JsonPropertyDescription("Debug or pause the job.") @Nullable RunMode runMode,
    @JsonPropertyDescription("Deadlines, restarts and clean-up.") @Nullable RunPolicy runPolicy,
    @JsonPropertyDescription(
            "The scheduler that places the pods, all at once where it can; at most one member may be given.")
        @Nullable Scheduler scheduler,
    @JsonPropertyDescription("Serve the training logs with TensorBoard.")
        @Nullable TensorboardSpec tensorboardSpec) {}
