package dev.tensorstack.training.kind.pytorchjob.v1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The replicas of one type: they share a pod template. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ReplicaSpec(
    @JsonPropertyDescription(
            "How many pods of this type: of Master exactly 1, of Worker 1 to 10000. Default 1. Of Worker it can be changed at any time, by `kubectl scale` too.")
        @Nullable Integer replicas,
    @JsonPropertyDescription(
            "What to do when a pod fails: OnFailure (default) and Always restart its containers in place, Never fails the job, ExitCode replaces the pod when the code is 128 to 255 and fails the job when it is 1 to 127. Can be changed while the job is suspended.")
        @Nullable String restartPolicy,
    @JsonPropertyDescription(
            "The pod to run, a core/v1 PodTemplateSpec with a container named pytorch. The restartPolicy in it does not count. Can be changed while the job is suspended.")
        @PreserveUnknownFields
        @SchemaFrom(type = Object.class)
        @Nullable PodTemplateSpec template) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof ReplicaSpec that
            && Objects.equals(replicas, that.replicas)
            && Objects.equals(restartPolicy, that.restartPolicy)
            && Objects.equals(template, that.template));
  }
}
