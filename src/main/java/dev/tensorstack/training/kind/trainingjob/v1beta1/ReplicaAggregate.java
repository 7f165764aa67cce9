package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import org.jspecify.annotations.Nullable;

/** The number of replicas in each state; all seven are written, zeros too. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ReplicaAggregate(
    @JsonPropertyDescription("No pod yet, or it has no node yet and nothing is known of it.")
        int creating,
    @JsonPropertyDescription("Has a node, containers not started.") int pending,
    @JsonPropertyDescription("Running.") int running,
    @JsonPropertyDescription("Ended well.") int succeeded,
    @JsonPropertyDescription("Ended badly.") int failed,
    @JsonPropertyDescription("The node does not report.") int unknown,
    @JsonPropertyDescription("Being deleted, or gone.") int deleted) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof ReplicaAggregate that
            && creating == that.creating
            && pending == that.pending
            && running == that.running
            && succeeded == that.succeeded
            && failed == that.failed
            && unknown == that.unknown
            && deleted == that.deleted);
  }
}
