package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How torchrun is started in the training container. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TorchrunConfig(
    @JsonPropertyDescription(
            "Start the training container through torchrun. Default false. Cannot be changed.")
        @Nullable Boolean enabled,
    @JsonPropertyDescription("Older spelling of enabled.") @Nullable Boolean enable,
    @JsonPropertyDescription(
            "torchrun's own --max_restarts: how often an agent restarts its workers before it gives up. Default 0, of an elastic job 10. Cannot be changed.")
        @Min(0)
        @Nullable Integer maxRestarts,
    @JsonPropertyDescription(
            "torchrun's --nproc_per_node: a positive number, auto, cpu or gpu. gpu counts the accelerators in the limits of the training container. Default gpu if a training container asks for one, else 1. Cannot be changed.")
        @Nullable IntOrString procPerNode,
    @JsonPropertyDescription(
            "The rendezvous backend: c10d (default; the only one for elastic jobs), static, etcd or etcd-v2. Cannot be changed.")
        @SchemaFrom(type = RendezvousBackend.class)
        @Nullable String rdzvBackend,
    @JsonPropertyDescription(
            "More options for torchrun, after those that the operator sets. Cannot be changed.")
        @Size(max = 256)
        @Nullable List<String> extraOptions,
    @JsonPropertyDescription("Accepted for old manifests and ignored: use elastic.minReplicas.")
        @Nullable Integer minNodes) {
  /**
   * Whether torchrun is on, in either spelling; `enabled` wins.
   *
   * @return true when the training container is started through torchrun
   */
  @JsonIgnore
  public boolean on() {
    return enabled != null ? enabled : Boolean.TRUE.equals(enable);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof TorchrunConfig that
            && Objects.equals(enabled, that.enabled)
            && Objects.equals(enable, that.enable)
            && Objects.equals(maxRestarts, that.maxRestarts)
            && Objects.equals(procPerNode, that.procPerNode)
            && Objects.equals(rdzvBackend, that.rdzvBackend)
            && Objects.equals(extraOptions, that.extraOptions)
            && Objects.equals(minNodes, that.minNodes));
  }
}
