package dev.tensorstack.training.core.observe;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is seen that matters to gangs whose scheduler does not look at them again by itself.
 *
 * @param last when the operator changed a PodGroup last for that reason, any job's, as the
 *     PodGroups themselves say; null when it never did
 * @param room when room may have come last: a pod of a job left its node, or a node was added or
 *     changed what it has to give; null when that was not seen since the operator's start
 */
public record GangWakes(@Nullable Instant last, @Nullable Instant room) {

  /** Nothing is known, as of a scheduler that looks by itself. */
  public static final GangWakes NONE = new GangWakes(null, null);
}
