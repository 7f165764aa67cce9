package dev.tensorstack.training.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** The numbers that the contract gives, written down once more to compare with. */
final class Contract {

  /** Times in the API are cut to seconds. */
  static final Duration CUT = Duration.ofSeconds(1);

  /** How far clocks go back. */
  static final Duration CLOCK = Duration.ofSeconds(2);

  static final Duration NODE_LOSS_GRACE = Duration.ofSeconds(30);
  static final Duration RING_GRACE = Duration.ofSeconds(30);

  /** However often the ring changes, a node that is not wanted leaves after this time. */
  static final Duration LONGEST_RING_WAIT = Duration.ofMinutes(2);

  static final Duration AGENT_EXIT_GRACE = Duration.ofSeconds(30);
  static final Duration EXIT_GRACE = Duration.ofSeconds(5);
  static final Duration FAILURE_GRACE = Duration.ofSeconds(10);

  /** Of pods without torchrun: the contract's, and what is shipped (docs/decisions.md). */
  static final List<Duration> PLAIN_FAILURE_GRACES = List.of(Duration.ZERO, Duration.ofSeconds(3));

  static final Duration DISRUPTIONS_WITHIN = Duration.ofMinutes(5);
  static final Set<Integer> RETRYABLE = Set.of(130, 137, 138, 143);
  static final int KEPT_PODS = 10;

  private static final int FREE_DISRUPTIONS = 3;
  private static final long LONGEST_DISRUPTION_DELAY = 30;
  private static final long FIRST_DELAY = 10;
  private static final long LONGEST_DELAY = 300;

  private Contract() {}

  /** Before the k-th counted restart: none, then 10 s, 20 s, 40 s, … up to 5 min. */
  static Duration restartDelay(int restart) {
    long seconds = restart <= 1 ? 0 : FIRST_DELAY;
    for (int i = 2; i < restart && seconds < LONGEST_DELAY; i++) {
      seconds *= 2;
    }
    return Duration.ofSeconds(Math.min(seconds, LONGEST_DELAY));
  }

  /** None for the first three within five minutes, then 1 s, 2 s, 4 s, … up to 30 s. */
  static Duration disruptionDelay(int disruption) {
    long seconds = disruption <= FREE_DISRUPTIONS ? 0 : 1;
    for (int i = FREE_DISRUPTIONS + 1; i < disruption && seconds < LONGEST_DISRUPTION_DELAY; i++) {
      seconds *= 2;
    }
    return Duration.ofSeconds(Math.min(seconds, LONGEST_DISRUPTION_DELAY));
  }

  /**
   * When nothing is expected any more of a pod that has not ended. What lands on a node that is
   * lost already has its grace from its creation on.
   */
  static Instant givenUpAt(Instant lostSince, Instant createdAt) {
    return (lostSince.isAfter(createdAt) ? lostSince : createdAt).plus(NODE_LOSS_GRACE);
  }
}
