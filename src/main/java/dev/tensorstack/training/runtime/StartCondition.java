package dev.tensorstack.training.runtime;

import org.jspecify.annotations.Nullable;

/** What must be so before the jobs of a kind are worked on. */
interface StartCondition {

  /**
   * Looks whether it is so.
   *
   * @return what is not so, with the remedy; null when it is so, or when that cannot be known, for
   *     example because a right is missing
   */
  @Nullable String obstacle();

  /**
   * Whether it is looked at again while jobs are worked on, which end to be when it is not so any
   * more.
   *
   * @return false when the start alone depends on it
   */
  default boolean lasts() {
    return false;
  }
}
