package dev.tensorstack.training.core.ledger;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How far the training is, as the status of a job of any kind shows it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record StoredTraining(
    @JsonPropertyDescription("How much is done, in percent.") @Nullable Integer progress,
    @JsonPropertyDescription("How many seconds are left, as the training itself estimates.")
        @Nullable Long estimatedRemainingSeconds,
    @JsonPropertyDescription("What else the last report said.") @Nullable List<Metric> metrics,
    @JsonPropertyDescription(
            "The step that was reported last: the metric current_step, global_step or step.")
        @Nullable String step,
    @JsonPropertyDescription("The attempt of the last report; absent for the first.")
        @Nullable Integer attempt,
    @JsonPropertyDescription("When the last report came (RFC 3339).") @Nullable String updatedAt,
    @JsonPropertyDescription("When a report last told another step than the one before (RFC 3339).")
        @Nullable String stepAt,
    @JsonPropertyDescription("How many reports in a row have told a loss that is no number.")
        @Nullable Integer notANumber,
    @JsonPropertyDescription("A hang that was found; absent while the training goes on.")
        @Nullable Problem problem) {

  /** A measured value. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Metric(
      @JsonPropertyDescription("What was measured.") @Nullable String name,
      @JsonPropertyDescription("A number as text.") @Nullable String value) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Metric that
              && Objects.equals(name, that.name)
              && Objects.equals(value, that.value));
    }
  }

  /** A hang. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Problem(
      @JsonPropertyDescription("NoProgress or NotANumber.") @Nullable String reason,
      @JsonPropertyDescription("What was expected, and what was reported last.")
          @Nullable String message,
      @JsonPropertyDescription("When it was found (RFC 3339).") @Nullable String since) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Problem that
              && Objects.equals(reason, that.reason)
              && Objects.equals(message, that.message)
              && Objects.equals(since, that.since));
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof StoredTraining that
            && Objects.equals(progress, that.progress)
            && Objects.equals(estimatedRemainingSeconds, that.estimatedRemainingSeconds)
            && Objects.equals(metrics, that.metrics)
            && Objects.equals(step, that.step)
            && Objects.equals(attempt, that.attempt)
            && Objects.equals(updatedAt, that.updatedAt)
            && Objects.equals(stepAt, that.stepAt)
            && Objects.equals(notANumber, that.notANumber)
            && Objects.equals(problem, that.problem));
  }
}
