package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One kind of replicas of a job: they share a pod template. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ReplicaSpec(
    @JsonPropertyDescription(
            "The name of this kind, for example master, worker, node or ps: a DNS label (lower case letters, digits and `-`, at most 63), unique in the job. It is part of the pods' names. Cannot be changed.")
        @Required
        @Size(max = 253)
        @Nullable String type,
    @JsonPropertyDescription(
            "How many pods of this kind, 0 to 10000, of all kinds together at most 10000 (the first entry: at least 1). Default 1. Cannot be changed; an elastic job is scaled with elastic.expectedReplicas.")
        @Nullable Integer replicas,
    @JsonPropertyDescription(
            "This kind's share of the nodes of an elastic job; 0 keeps it at replicas, never less. Default 1.")
        @Nullable Integer scalingWeight,
    @JsonPropertyDescription(
            "What to do when a pod ends: Never (default) fails the job with the pod, OnFailure restarts, ExitCode restarts when runPolicy.retryableExitCodes holds the exit code, Always restarts after success too. Cannot be changed.")
        @SchemaFrom(type = RestartPolicy.class)
        @Nullable String restartPolicy,
    @JsonPropertyDescription(
            "The pod to run, a core/v1 PodTemplateSpec. The restartPolicy in it is always Never. Cannot be changed.")
        @Required
        @PreserveUnknownFields
        @SchemaFrom(type = Object.class)
        @Nullable PodTemplateSpec template) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof ReplicaSpec that
            && Objects.equals(type, that.type)
            && Objects.equals(replicas, that.replicas)
            && Objects.equals(scalingWeight, that.scalingWeight)
            && Objects.equals(restartPolicy, that.restartPolicy)
            && Objects.equals(template, that.template));
  }
}
