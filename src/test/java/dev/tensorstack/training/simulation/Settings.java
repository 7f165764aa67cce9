package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.plan.PlanSettings;
import dev.tensorstack.training.core.policy.DisruptionDelay;
import dev.tensorstack.training.core.policy.RestartDelay;
import java.time.Duration;

/** The operator's settings, as they are by default, but for what a history may choose. */
final class Settings {

  private static final Duration DELAY_BASE = Duration.ofSeconds(10);
  private static final Duration DELAY_MAX = Duration.ofMinutes(5);

  private Settings() {}

  /**
   * The settings.
   *
   * @param plainFailureGrace how long pods without torchrun may take after one has failed
   */
  static PlanSettings plan(Duration plainFailureGrace) {
    return new PlanSettings(
        new RestartDelay(DELAY_BASE, DELAY_MAX),
        Contract.NODE_LOSS_GRACE,
        Contract.AGENT_EXIT_GRACE,
        Contract.FAILURE_GRACE,
        plainFailureGrace,
        new DisruptionDelay(Duration.ofSeconds(30)));
  }
}
