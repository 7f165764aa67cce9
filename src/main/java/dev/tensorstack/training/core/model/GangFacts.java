package dev.tensorstack.training.core.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the cluster says about a PodGroup that waits, beside the PodGroup itself.
 *
 * @param queues the queues of its scheduler by name; null when they are not known, or when the
 *     scheduler has none
 * @param events the newest events about the PodGroup, one for each type and reason, in no order;
 *     empty when there are none, or when that is not known
 * @param beingAsked whether the first answer is still to come: for a moment, what was told before
 *     the operator's start is the best that is known
 */
public record GangFacts(
    @Nullable Map<String, Queue> queues, List<Said> events, boolean beingAsked) {

  /** Nothing is known, and nothing will be. */
  public static final GangFacts NONE = new GangFacts(null, List.of(), false);

  /**
   * A queue.
   *
   * @param state its state in the scheduler's word; empty when it has none yet
   * @param capability the most that all gangs in it may have, quantities by resource as they are
   *     written; empty when it has no such limit
   */
  public record Queue(String state, Map<String, String> capability) {}

  /**
   * What an event says.
   *
   * @param type Normal or Warning
   * @param reason one word
   * @param message a sentence for people
   * @param time when that was said last
   */
  public record Said(String type, String reason, String message, Instant time) {}
}
