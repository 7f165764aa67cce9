package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.policy.DisruptionDelay;
import dev.tensorstack.training.core.policy.RestartDelay;
import java.time.Duration;

/**
 * What an administrator can set about planning (docs/reference/configuration.md).
 *
 * @param restartDelay the delay between counted restarts
 * @param nodeLossGrace how long a lost node may take to come back before its pods are given up
 * @param agentExitGrace how long other torchrun agents may take after the master succeeded
 * @param failureGrace how long other torchrun agents may take after one has failed
 * @param plainFailureGrace how long pods without torchrun may take after one has failed
 * @param disruptionDelay the delay of replacements after several disruptions
 */
public record PlanSettings(
    RestartDelay restartDelay,
    Duration nodeLossGrace,
    Duration agentExitGrace,
    Duration failureGrace,
    Duration plainFailureGrace,
    DisruptionDelay disruptionDelay) {

  /**
   * How long the other pods may take to end by themselves after one has failed.
   *
   * @param torchrun whether torchrun runs in them
   * @return the time, from the failure
   */
  public Duration failureGrace(boolean torchrun) {
    return torchrun ? failureGrace : plainFailureGrace;
  }
}
