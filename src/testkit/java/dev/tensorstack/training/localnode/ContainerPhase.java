package dev.tensorstack.training.localnode;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a container is doing. */
sealed interface ContainerPhase {
  /**
   * Not started, or not again yet.
   *
   * @param reason why, in one word
   * @param message why, in a sentence; null for nothing to add
   */
  record Waiting(String reason, @Nullable String message) implements ContainerPhase {}

  /**
   * Running.
   *
   * @param startedAt since when
   */
  record Running(Instant startedAt) implements ContainerPhase {}

  /**
   * Ended.
   *
   * @param exitCode 0 to 255, 128 + n after signal n
   * @param reason {@code Completed}, {@code Error}, {@code OOMKilled}, …
   * @param message its last words; null for none
   * @param startedAt when it had started; null if it never did
   * @param finishedAt when it ended; null if that is not known
   */
  record Terminated(
      int exitCode,
      String reason,
      @Nullable String message,
      @Nullable Instant startedAt,
      @Nullable Instant finishedAt)
      implements ContainerPhase {}
}
