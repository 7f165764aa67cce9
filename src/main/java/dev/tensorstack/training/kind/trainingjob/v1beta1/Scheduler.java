package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Which scheduler places the pods; at most one member may be given. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Scheduler(
    @JsonPropertyDescription("The T9k scheduler.") @Nullable T9kScheduler t9kScheduler,
    @JsonPropertyDescription("The Volcano scheduler.") @Nullable VolcanoScheduler volcano,
    @JsonPropertyDescription("The coscheduling plugin of the scheduler plugins.")
        @Nullable CoschedulingScheduler coscheduling,
    @JsonPropertyDescription("The gang scheduling of Kubernetes itself (scheduling.k8s.io).")
        @Nullable KubernetesScheduler kubernetes) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Scheduler that
            && Objects.equals(t9kScheduler, that.t9kScheduler)
            && Objects.equals(volcano, that.volcano)
            && Objects.equals(coscheduling, that.coscheduling)
            && Objects.equals(kubernetes, that.kubernetes));
  }
}
