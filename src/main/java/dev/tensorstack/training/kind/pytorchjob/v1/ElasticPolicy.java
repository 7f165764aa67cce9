package dev.tensorstack.training.kind.pytorchjob.v1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricSpec;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How the number of workers may change while the job runs, and where they meet. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ElasticPolicy(
    @JsonPropertyDescription(
            "torchrun goes on with at least this many workers; at least 1. Default: maxReplicas, or else Worker's replicas. Can be changed while the job is suspended.")
        @Nullable Integer minReplicas,
    @JsonPropertyDescription(
            "The job never has more workers than this; at most 10000. Default: minReplicas, or else Worker's replicas. Can be changed while the job is suspended.")
        @Nullable Integer maxReplicas,
    @JsonPropertyDescription("torchrun's --rdzv_backend: c10d (default), etcd or etcd-v2.")
        @Nullable String rdzvBackend,
    @JsonPropertyDescription(
            "The port of the rendezvous. Default: the port pytorchjob-port of the workers.")
        @Nullable Integer rdzvPort,
    @JsonPropertyDescription("The host of the rendezvous. Default: the first worker.")
        @Nullable String rdzvHost,
    @JsonPropertyDescription("The name of the rendezvous, torchrun's --rdzv_id.")
        @Nullable String rdzvId,
    @JsonPropertyDescription("Settings of the rendezvous, torchrun's --rdzv_conf.")
        @Nullable List<RdzvConf> rdzvConf,
    @JsonPropertyDescription(
            "torchrun's --standalone: the backend, the host, the port and the id do not count.")
        @Nullable Boolean standalone,
    @JsonPropertyDescription("Deprecated: use spec.nprocPerNode. Not both.")
        @Nullable Integer nProcPerNode,
    @JsonPropertyDescription(
            "How often torchrun may start the processes of a pod again, its --max_restarts. Default: torchrun's.")
        @Nullable Integer maxRestarts,
    @JsonPropertyDescription(
            "Metrics of an autoscaling/v2 HorizontalPodAutoscaler that the operator keeps for this job. Can be changed at any time.")
        @Nullable List<MetricSpec> metrics) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof ElasticPolicy that
            && Objects.equals(minReplicas, that.minReplicas)
            && Objects.equals(maxReplicas, that.maxReplicas)
            && Objects.equals(rdzvBackend, that.rdzvBackend)
            && Objects.equals(rdzvPort, that.rdzvPort)
            && Objects.equals(rdzvHost, that.rdzvHost)
            && Objects.equals(rdzvId, that.rdzvId)
            && Objects.equals(rdzvConf, that.rdzvConf)
            && Objects.equals(standalone, that.standalone)
            && Objects.equals(nProcPerNode, that.nProcPerNode)
            && Objects.equals(maxRestarts, that.maxRestarts)
            && Objects.equals(metrics, that.metrics));
  }
}
