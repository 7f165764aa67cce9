package dev.tensorstack.training.core.ledger;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The form in which a ledger is stored in the status of a job, of whatever kind. It belongs to the
 * operator: what it says for people stands elsewhere in the status. What is absent is zero, none or
 * unknown. Indexes are ranges such as {@code 0-511,513}; moments are RFC 3339, in whole seconds.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record StoredLedger(
    @JsonPropertyDescription("The version of this form: 1.") @Nullable Integer version,
    @JsonPropertyDescription("The number of the present attempt, from 0.")
        @Nullable Integer attempt,
    @JsonPropertyDescription("Restarts counted against the limit.") @Nullable Integer backoff,
    @JsonPropertyDescription("When the latest of those were decided on, the oldest first.")
        @Nullable List<String> counted,
    @JsonPropertyDescription("Restarts after disruptions.") @Nullable Integer disruptions,
    @JsonPropertyDescription("Restarts by the type of the replica that caused them.")
        @Nullable Map<String, Integer> restarts,
    @JsonPropertyDescription("PAUSING, PAUSED or RESUMED.") @Nullable String pause,
    @JsonPropertyDescription("What the present pods are for: Train, Resume or Debug.")
        @Nullable String mode,
    @JsonPropertyDescription(
            "STOPPING or WAITING, while the job's queue lets it have no pods any more.")
        @Nullable String hold,
    @JsonPropertyDescription("The replicas by type.") @Nullable Map<String, Replicas> replicas,
    @JsonPropertyDescription("The disruptions of the last minutes, the oldest first.")
        @Nullable List<Disruption> disrupted,
    @JsonPropertyDescription("When scaling last took away a replica that ran.")
        @Nullable String shrunkAt,
    @JsonPropertyDescription("Since when replicas wait to leave.")
        @Nullable String shrinkWaitingSince,
    @JsonPropertyDescription("When the first pods were created; again at a resume.")
        @Nullable String startTime,
    @JsonPropertyDescription("When the job ended.") @Nullable String completionTime,
    @JsonPropertyDescription("How the job ended.") @Nullable Outcome outcome,
    @JsonPropertyDescription("The failure that was decided on last.") @Nullable Failure lastFailure,
    @JsonPropertyDescription("How the job ends unless it succeeds within moments.")
        @Nullable Ending ending,
    @JsonPropertyDescription("What was said about the job last.") @Nullable Summary summary) {

  /** The version that is written. */
  public static final int VERSION = 1;

  /** The replicas of one type. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Replicas(
      @JsonPropertyDescription("Indexes of the replicas that shall exist.")
          @Nullable String present,
      @JsonPropertyDescription(
              "Indexes of replicas that scaling has taken away, but for those that are present.")
          @Nullable String removed,
      @JsonPropertyDescription(
              "How many pods any of them has had at most, when the numbers of all would be too long.")
          @Nullable Integer removedPods,
      @JsonPropertyDescription("The uids of the present pods, by index.")
          @Nullable Map<String, String> uids,
      @JsonPropertyDescription(
              "Indexes of replicas whose pod exists, or existed, in a job too large for all uids;"
                  + " without those that have ended.")
          @Nullable String created,
      @JsonPropertyDescription("Indexes by how many pods the replicas had before the present one.")
          @Nullable Map<String, String> earlierPods,
      @JsonPropertyDescription("Indexes by the moment before which their pod is not created.")
          @Nullable Map<String, String> restartAt,
      @JsonPropertyDescription(
              "Indexes by how many restarts of the present pod's containers by the kubelet are counted.")
          @Nullable Map<String, String> restarted,
      @JsonPropertyDescription("How present pods have ended.") @Nullable List<End> ended,
      @JsonPropertyDescription(
              "Indexes of other replicas of whose present pod it is known that it is lost or gone.")
          @Nullable String reported) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Replicas that
              && Objects.equals(present, that.present)
              && Objects.equals(removed, that.removed)
              && Objects.equals(removedPods, that.removedPods)
              && Objects.equals(uids, that.uids)
              && Objects.equals(created, that.created)
              && Objects.equals(earlierPods, that.earlierPods)
              && Objects.equals(restartAt, that.restartAt)
              && Objects.equals(restarted, that.restarted)
              && Objects.equals(ended, that.ended)
              && Objects.equals(reported, that.reported));
    }
  }

  /** How the present pods of some replicas have ended. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record End(
      @JsonPropertyDescription("The indexes.") @Nullable String indexes,
      @JsonPropertyDescription("Whether all containers ended with 0.") @Nullable Boolean succeeded,
      @JsonPropertyDescription("Whether a disruption was the cause.") @Nullable Boolean disruption,
      @JsonPropertyDescription("The exit code of the container that failed.")
          @Nullable Integer exitCode,
      @JsonPropertyDescription("One word such as Error or OOMKilled.") @Nullable String reason,
      @JsonPropertyDescription(
              "Whether the job goes on without them for good, because its budget was used up.")
          @Nullable Boolean tolerated) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof End that
              && Objects.equals(indexes, that.indexes)
              && Objects.equals(succeeded, that.succeeded)
              && Objects.equals(disruption, that.disruption)
              && Objects.equals(exitCode, that.exitCode)
              && Objects.equals(reason, that.reason)
              && Objects.equals(tolerated, that.tolerated));
    }
  }

  /** A disruption of not long ago. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Disruption(
      @JsonPropertyDescription("Type and index of the replica.") @Nullable String replica,
      @JsonPropertyDescription("When.") @Nullable String time) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Disruption that
              && Objects.equals(replica, that.replica)
              && Objects.equals(time, that.time));
    }
  }

  /** How the job ended. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Outcome(
      @JsonPropertyDescription("Well or badly.") @Nullable Boolean succeeded,
      @JsonPropertyDescription("One word.") @Nullable String reason,
      @JsonPropertyDescription("A sentence for people.") @Nullable String message) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Outcome that
              && Objects.equals(succeeded, that.succeeded)
              && Objects.equals(reason, that.reason)
              && Objects.equals(message, that.message));
    }
  }

  /** The end of a job that has failed unless it succeeds within moments. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Ending(
      @JsonPropertyDescription("How the job ends then.") @Nullable Outcome outcome,
      @JsonPropertyDescription("When that was decided.") @Nullable String since,
      @JsonPropertyDescription("Whether the failure points to another pod's.")
          @Nullable Boolean consequence) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Ending that
              && Objects.equals(outcome, that.outcome)
              && Objects.equals(since, that.since)
              && Objects.equals(consequence, that.consequence));
    }
  }

  /** A failure that was decided on. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Failure(
      @JsonPropertyDescription("Type and index of the replica.") @Nullable String replica,
      @JsonPropertyDescription("The pod's name.") @Nullable String pod,
      @JsonPropertyDescription("Application or Disruption.") @Nullable String cause,
      @JsonPropertyDescription("The exit code of the container that failed.")
          @Nullable Integer exitCode,
      @JsonPropertyDescription("The signal that ended it.") @Nullable Integer signal,
      @JsonPropertyDescription("One word such as Error or OOMKilled.") @Nullable String reason,
      @JsonPropertyDescription("The node.") @Nullable String node,
      @JsonPropertyDescription("The termination message or an explanation.")
          @Nullable String message,
      @JsonPropertyDescription("When.") @Nullable String time) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Failure that
              && Objects.equals(replica, that.replica)
              && Objects.equals(pod, that.pod)
              && Objects.equals(cause, that.cause)
              && Objects.equals(exitCode, that.exitCode)
              && Objects.equals(signal, that.signal)
              && Objects.equals(reason, that.reason)
              && Objects.equals(node, that.node)
              && Objects.equals(message, that.message)
              && Objects.equals(time, that.time));
    }
  }

  /** What was said about the job last. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Summary(
      @JsonPropertyDescription("The generation of the spec.") @Nullable Long generation,
      @JsonPropertyDescription("The phase.") @Nullable String phase,
      @JsonPropertyDescription("One word on the phase.") @Nullable String reason,
      @JsonPropertyDescription("A sentence for people.") @Nullable String message,
      @JsonPropertyDescription("Whether the Service and all pods have existed.")
          @Nullable Boolean initialized,
      @JsonPropertyDescription("Whether the job has run.") @Nullable Boolean hasRun,
      @JsonPropertyDescription("Why a replica failed or could not be created.")
          @Nullable String problem,
      @JsonPropertyDescription("How many pods are wanted.") @Nullable Integer replicas,
      @JsonPropertyDescription("The number of replicas in each phase.")
          @Nullable Map<String, Integer> counts) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Summary that
              && Objects.equals(generation, that.generation)
              && Objects.equals(phase, that.phase)
              && Objects.equals(reason, that.reason)
              && Objects.equals(message, that.message)
              && Objects.equals(initialized, that.initialized)
              && Objects.equals(hasRun, that.hasRun)
              && Objects.equals(problem, that.problem)
              && Objects.equals(replicas, that.replicas)
              && Objects.equals(counts, that.counts));
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof StoredLedger that
            && Objects.equals(version, that.version)
            && Objects.equals(attempt, that.attempt)
            && Objects.equals(backoff, that.backoff)
            && Objects.equals(counted, that.counted)
            && Objects.equals(disruptions, that.disruptions)
            && Objects.equals(restarts, that.restarts)
            && Objects.equals(pause, that.pause)
            && Objects.equals(mode, that.mode)
            && Objects.equals(hold, that.hold)
            && Objects.equals(replicas, that.replicas)
            && Objects.equals(disrupted, that.disrupted)
            && Objects.equals(shrunkAt, that.shrunkAt)
            && Objects.equals(shrinkWaitingSince, that.shrinkWaitingSince)
            && Objects.equals(startTime, that.startTime)
            && Objects.equals(completionTime, that.completionTime)
            && Objects.equals(outcome, that.outcome)
            && Objects.equals(lastFailure, that.lastFailure)
            && Objects.equals(ending, that.ending)
            && Objects.equals(summary, that.summary));
  }
}
