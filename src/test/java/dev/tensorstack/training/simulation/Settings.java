package dev.tensorstack.training.simulation;

import dev.tensorstack.training.plan.PlanSettings;
import dev.tensorstack.training.policy.RestartDelay;
import java.time.Duration;

/** The operator's settings, as they are by default. */
final class Settings {

  static final Duration GRACE = Duration.ofSeconds(30);
  static final Duration AGENT_EXIT_GRACE = Duration.ofSeconds(30);
  private static final long DELAY_BASE = 10;
  private static final long DELAY_MAX = 300;
  static final PlanSettings PLAN =
      new PlanSettings(
          new RestartDelay(Duration.ofSeconds(DELAY_BASE), Duration.ofSeconds(DELAY_MAX)),
          GRACE,
          AGENT_EXIT_GRACE);

  private Settings() {}

  /** None, 10 s, 20 s, 40 s, … up to 5 min; written down once more, to compare with. */
  static Duration delay(int restart) {
    long seconds = restart <= 1 ? 0 : DELAY_BASE;
    for (int i = 2; i < restart && seconds < DELAY_MAX; i++) {
      seconds *= 2;
    }
    return Duration.ofSeconds(Math.min(seconds, DELAY_MAX));
  }
}
