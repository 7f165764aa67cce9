package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Deadlines, restarts and clean-up of a job. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RunPolicy(
    @JsonPropertyDescription(
            "Fail the job this many seconds (at least 1) after status.startTime; the count restarts at a resume. Default: no deadline.")
        @Nullable Long activeDeadlineSeconds,
    @JsonPropertyDescription(
            "How many restarts after failures the job may have before it fails; disruptions cost nothing. At least 0, default 3.")
        @Nullable Integer backoffLimit,
    @JsonPropertyDescription(
            "Only restarts of this many last seconds (at least 1) count against backoffLimit, which is then at most 100. Default: all of the job's life.")
        @Nullable Long backoffWindowSeconds,
    @JsonPropertyDescription(
            "Which pods to delete once the job has ended: All, Unfinished (default) or None.")
        @SchemaFrom(type = CleanUpPolicy.class)
        @Nullable String cleanUpPolicy,
    @JsonPropertyDescription(
            "Delete the job this many seconds (at least 0) after it ended. Default: never.")
        @Nullable Integer ttlSecondsAfterFinished,
    @JsonPropertyDescription(
            "What one failure restarts: Job (all pods together, a new attempt) or Replica (that pod). Default: Replica for an elastic job and a job of one pod, else Job. Cannot be changed.")
        @SchemaFrom(type = RestartScope.class)
        @Nullable String restartScope,
    @JsonPropertyDescription(
            "The exit codes, 1 to 255, that restartPolicy ExitCode restarts. Default 130, 137, 138, 143. Cannot be changed.")
        @Size(max = 255)
        @Nullable List<Integer> retryableExitCodes,
    @JsonPropertyDescription(
            "Pods are told where the training can report its progress; with limits in it, hangs are found. May be empty. Default: neither.")
        @Nullable Progress progress) {

  /** A policy that sets nothing. */
  public static final RunPolicy NONE =
      new RunPolicy(null, null, null, null, null, null, null, null);

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof RunPolicy that
            && Objects.equals(activeDeadlineSeconds, that.activeDeadlineSeconds)
            && Objects.equals(backoffLimit, that.backoffLimit)
            && Objects.equals(backoffWindowSeconds, that.backoffWindowSeconds)
            && Objects.equals(cleanUpPolicy, that.cleanUpPolicy)
            && Objects.equals(ttlSecondsAfterFinished, that.ttlSecondsAfterFinished)
            && Objects.equals(restartScope, that.restartScope)
            && Objects.equals(retryableExitCodes, that.retryableExitCodes)
            && Objects.equals(progress, that.progress));
  }
}
