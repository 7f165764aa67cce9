package dev.tensorstack.training.plan;

import dev.tensorstack.training.policy.RestartDelay;
import java.time.Duration;

/**
 * What an administrator can set about planning (docs/settings.md).
 *
 * @param restartDelay the delay between counted restarts
 * @param agentExitGrace how long other torchrun agents may take after the master succeeded
 */
public record PlanSettings(RestartDelay restartDelay, Duration agentExitGrace) {}
