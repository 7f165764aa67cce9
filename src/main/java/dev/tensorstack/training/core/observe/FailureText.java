package dev.tensorstack.training.core.observe;

import java.time.LocalDateTime;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the end of a container from what it wrote last.
 *
 * @param summary one line for people: the exception, or a short message as it is; null when the
 *     text tells nothing
 * @param origin whose failure it was
 * @param failedAt when torchrun saw the first of its processes fail, in the local time of the
 *     container and in whole seconds; null when nobody says so
 */
public record FailureText(
    @Nullable String summary, Origin origin, @Nullable LocalDateTime failedAt) {

  /** Whose failure the end of a process was. */
  public enum Origin {
    /** Its own: the process says what went wrong, or nothing points to another one. */
    OWN,
    /** A process of torchrun failed, and what is left of its words does not say why. */
    UNKNOWN,
    /** Another one's: a peer was gone, or the process was told to stop. */
    CONSEQUENCE
  }
}
