package dev.tensorstack.training.kind.pytorchjob.v1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Clean-up, deadlines, restarts, suspension and scheduling of a job. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RunPolicy(
    @JsonPropertyDescription(
            "Which pods to delete, with their Services, once the job has ended: None (default), Running or All.")
        @Nullable String cleanPodPolicy,
    @JsonPropertyDescription(
            "Delete the job this many seconds (at least 0) after it ended. Default: never.")
        @Nullable Integer ttlSecondsAfterFinished,
    @JsonPropertyDescription(
            "Fail the job this many seconds (at least 1) after status.startTime. Default: no deadline.")
        @Nullable Long activeDeadlineSeconds,
    @JsonPropertyDescription(
            "How many restarts after failures the job may have before it fails; at least 0. Default: no limit.")
        @Nullable Integer backoffLimit,
    @JsonPropertyDescription(
            "Delete the pods and keep the job. Default false. Can be changed at any time.")
        @Default("false")
        @Nullable Boolean suspend,
    @JsonPropertyDescription(
            "Who works on this job: kubeflow.org/training-operator (default), or kueue.x-k8s.io/multikueue, which this operator does not touch. Cannot be changed.")
        @Nullable String managedBy,
    @JsonPropertyDescription("How the pods are placed all at once, where a gang scheduler is set.")
        @Nullable SchedulingPolicy schedulingPolicy) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof RunPolicy that
            && Objects.equals(cleanPodPolicy, that.cleanPodPolicy)
            && Objects.equals(ttlSecondsAfterFinished, that.ttlSecondsAfterFinished)
            && Objects.equals(activeDeadlineSeconds, that.activeDeadlineSeconds)
            && Objects.equals(backoffLimit, that.backoffLimit)
            && Objects.equals(suspend, that.suspend)
            && Objects.equals(managedBy, that.managedBy)
            && Objects.equals(schedulingPolicy, that.schedulingPolicy));
  }
}
