package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import java.util.Objects;
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
        @Nullable TensorboardSpec tensorboardSpec,
    @JsonPropertyDescription(
            "Who works on this job: batch.tensorstack.dev/pytorchtrainingjob-operator (default), or somebody else, for example kueue.x-k8s.io/multikueue, whose jobs this operator does not touch. A domain, a slash and a path, at most 63 characters. Cannot be changed.")
        @Nullable String managedBy) {

  /**
   * Whether this operator works on the job; another one's is not touched at all.
   *
   * @return false when {@code managedBy} names somebody else
   */
  @JsonIgnore
  public boolean managedHere() {
    return managedBy == null || managedBy.equals(ManagedBy.THIS_OPERATOR);
  }

  /**
   * Whether the number of nodes may change while the job runs.
   *
   * @return true when {@code elastic} is given and enabled, in either spelling
   */
  @JsonIgnore
  public boolean elasticOn() {
    return elastic != null && elastic.on();
  }

  /**
   * Whether training containers are started through torchrun.
   *
   * @return true when {@code torchrunConfig} is given and enabled, in either spelling
   */
  @JsonIgnore
  public boolean torchrunOn() {
    return torchrunConfig != null && torchrunConfig.on();
  }

  /**
   * Whether the pods are to wait for somebody instead of training.
   *
   * @return true when {@code runMode.debug} is given and enabled, in either spelling
   */
  @JsonIgnore
  public boolean debugOn() {
    return runMode != null && runMode.debug() != null && runMode.debug().on();
  }

  /**
   * Whether the job is to have no pods for a while.
   *
   * @return true when {@code runMode.pause} is given and enabled, in either spelling
   */
  @JsonIgnore
  public boolean pauseOn() {
    return runMode != null && runMode.pause() != null && runMode.pause().on();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof PyTorchTrainingJobSpec that
            && Objects.equals(replicaSpecs, that.replicaSpecs)
            && Objects.equals(torchrunConfig, that.torchrunConfig)
            && Objects.equals(elastic, that.elastic)
            && Objects.equals(runMode, that.runMode)
            && Objects.equals(runPolicy, that.runPolicy)
            && Objects.equals(scheduler, that.scheduler)
            && Objects.equals(tensorboardSpec, that.tensorboardSpec)
            && Objects.equals(managedBy, that.managedBy));
  }
}
