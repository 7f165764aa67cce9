package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.PodNotes.Creations;
import dev.tensorstack.training.core.policy.DisruptionDelay;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * How often pods of a name were created. A pod that is deleted as soon as it appears is gone before
 * any status has listed it, and is created again under the same name without being counted; that
 * must not go on as fast as the API server answers.
 */
final class PodCreations {

  private static final Duration BETWEEN_SWEEPS = Duration.ofMinutes(1);

  private final Map<String, Instant> once = new HashMap<>();
  private final Map<String, Creations> repeated = new HashMap<>();
  private Instant swept = Instant.EPOCH;

  /** A pod was created. */
  synchronized void created(String name, Instant now) {
    sweep(now);
    if (once.put(name, now) != null) {
      Creations before = repeated.get(name);
      repeated.put(name, new Creations(before == null ? 2 : before.times() + 1, now));
    }
  }

  /**
   * What was created more than once.
   *
   * @return by name; without what is longer ago than disruptions are remembered
   */
  synchronized Map<String, Creations> repeated(Instant now) {
    if (repeated.isEmpty()) {
      return Map.of();
    }
    sweep(now);
    return Map.copyOf(repeated);
  }

  /** Rarely: a job may have thousands of pods. */
  private void sweep(Instant now) {
    if (now.isBefore(swept.plus(BETWEEN_SWEEPS)) && !swept.isAfter(now)) {
      return;
    }
    swept = now;
    once.values().removeIf(time -> isForgotten(time, now));
    repeated.values().removeIf(one -> isForgotten(one.last(), now));
  }

  /** Also when the clock was put back since. */
  private static boolean isForgotten(Instant time, Instant now) {
    return !time.isAfter(now.minus(DisruptionDelay.WINDOW)) || time.isAfter(now);
  }
}
