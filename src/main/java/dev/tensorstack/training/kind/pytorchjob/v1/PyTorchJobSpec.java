package dev.tensorstack.training.kind.pytorchjob.v1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the user wants to be trained. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PyTorchJobSpec(
    @JsonPropertyDescription(
            "The replicas by type: Master, Worker or both, spelled like this. Master is rank 0; without it Worker 0 is.")
        @Required
        @Nullable Map<String, ReplicaSpec> pytorchReplicaSpecs,
    @JsonPropertyDescription(
            "torchrun's --nproc_per_node: auto, cpu, gpu or a positive number, as a string. Default auto, unless elasticPolicy.nProcPerNode is given.")
        @Nullable String nprocPerNode,
    @JsonPropertyDescription("Let the number of workers change while the job runs.")
        @Nullable ElasticPolicy elasticPolicy,
    @JsonPropertyDescription("Clean-up, deadlines, restarts, suspension and scheduling.")
        @Nullable RunPolicy runPolicy) {

  /**
   * The replicas of a type.
   *
   * @param type {@code Master} or {@code Worker}
   * @return what is said of them; null when there are none
   */
  public @Nullable ReplicaSpec replicas(ReplicaType type) {
    return pytorchReplicaSpecs == null ? null : pytorchReplicaSpecs.get(type.name());
  }

  /**
   * Whether the job is to have no pods for a while.
   *
   * @return true when {@code runPolicy.suspend} is true
   */
  @JsonIgnore
  public boolean suspended() {
    return runPolicy != null && Boolean.TRUE.equals(runPolicy.suspend());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof PyTorchJobSpec that
            && Objects.equals(pytorchReplicaSpecs, that.pytorchReplicaSpecs)
            && Objects.equals(nprocPerNode, that.nprocPerNode)
            && Objects.equals(elasticPolicy, that.elasticPolicy)
            && Objects.equals(runPolicy, that.runPolicy));
  }
}
