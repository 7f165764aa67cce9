package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricSpec;
import io.fabric8.kubernetes.model.annotation.SpecReplicas;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The number of nodes of a job whose size may change while it runs. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Elastic(
    @JsonPropertyDescription(
            "Make the job elastic; needs torchrun. Default false. Cannot be changed.")
        @Nullable Boolean enabled,
    @JsonPropertyDescription("Older spelling of enabled.") @Nullable Boolean enable,
    @JsonPropertyDescription(
            "The job runs with at least this many nodes, all types together; at least 1. Cannot be changed.")
        @Nullable Integer minReplicas,
    @JsonPropertyDescription(
            "The job never has more nodes than this, all types together; 1 to 10000. Cannot be changed.")
        @Nullable Integer maxReplicas,
    @JsonPropertyDescription(
            "The number of nodes wanted now, from minReplicas to maxReplicas; `kubectl scale` and autoscalers change it. Default: the sum of replicas, brought into the range; of a job that is not elastic the sum itself, which `scale` reads.")
        @SpecReplicas
        @Nullable Integer expectedReplicas,
    @JsonPropertyDescription(
            "Metrics of an autoscaling/v2 HorizontalPodAutoscaler that the operator keeps for this job.")
        @Size(max = 16)
        @Nullable List<MetricSpec> metrics) {
  /**
   * Whether the job is elastic, in either spelling; `enabled` wins.
   *
   * @return true when the job's size may change while it runs
   */
  @JsonIgnore
  public boolean on() {
    return enabled != null ? enabled : Boolean.TRUE.equals(enable);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Elastic that
            && Objects.equals(enabled, that.enabled)
            && Objects.equals(enable, that.enable)
            && Objects.equals(minReplicas, that.minReplicas)
            && Objects.equals(maxReplicas, that.maxReplicas)
            && Objects.equals(expectedReplicas, that.expectedReplicas)
            && Objects.equals(metrics, that.metrics));
  }
}
