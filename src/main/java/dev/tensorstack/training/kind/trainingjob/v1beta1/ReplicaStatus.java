package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.tensorstack.training.core.model.ReplicaPhase;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The present pod of one replica. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ReplicaStatus(
    @JsonPropertyDescription("The pod's name, also before the pod exists.") @Nullable String name,
    @JsonPropertyDescription("The pod's uid once it has been seen.") @Nullable String uid,
    @JsonPropertyDescription("Creating, Pending, Running, Succeeded, Failed, Unknown or Deleted.")
        @SchemaFrom(type = ReplicaPhase.class)
        @Nullable String phase,
    @JsonPropertyDescription("The containers' states.") @Nullable List<ContainerState> containers,
    @JsonPropertyDescription(
            "Not before this time the pod is created: the delay of a restart (RFC 3339).")
        @Nullable String restartAt,
    @JsonPropertyDescription(
            "Of a replica that has failed because of a disruption, or was given up with its node: Disruption. Absent otherwise.")
        @Nullable String cause) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof ReplicaStatus that
            && Objects.equals(name, that.name)
            && Objects.equals(uid, that.uid)
            && Objects.equals(phase, that.phase)
            && Objects.equals(containers, that.containers)
            && Objects.equals(restartAt, that.restartAt)
            && Objects.equals(cause, that.cause));
  }
}
