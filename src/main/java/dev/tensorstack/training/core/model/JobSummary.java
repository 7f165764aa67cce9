package dev.tensorstack.training.core.model;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is said about a job in few words. It is stored with the ledger, and the next one is compared
 * with it: events, metrics and the pace of status writes follow from the difference.
 *
 * @param generation the generation of the spec that this speaks of
 * @param phase the phase
 * @param reason one word on the phase, {@code -} when there is none
 * @param message a sentence for people
 * @param initialized whether the Service and all pods have existed since the pods were last gone
 *     because of a pause
 * @param hasRun whether the job has been in phase Running
 * @param problem why a replica failed or could not be created, in one word, as long as that is not
 *     mended; null when all is well
 * @param replicas how many pods are wanted
 * @param counts how many replicas are in which phase
 */
public record JobSummary(
    long generation,
    JobPhase phase,
    String reason,
    String message,
    boolean initialized,
    boolean hasRun,
    @Nullable String problem,
    int replicas,
    ReplicaCounts counts) {

  /**
   * Whether all wanted replicas run or are done, and the job is in phase Running.
   *
   * @return false while any is missing
   */
  public boolean isWhole() {
    return phase == JobPhase.Running && counts.runningOrDone() >= replicas;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof JobSummary that
            && generation == that.generation
            && phase == that.phase
            && Objects.equals(reason, that.reason)
            && Objects.equals(message, that.message)
            && initialized == that.initialized
            && hasRun == that.hasRun
            && Objects.equals(problem, that.problem)
            && replicas == that.replicas
            && Objects.equals(counts, that.counts));
  }
}
