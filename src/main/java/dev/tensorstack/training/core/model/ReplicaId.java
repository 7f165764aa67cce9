package dev.tensorstack.training.core.model;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One replica of a job, whichever pod it runs in at present.
 *
 * @param type the replica type
 * @param index the index in the type, from 0
 */
public record ReplicaId(String type, int index) {

  /**
   * Reads what {@link #toString} has written.
   *
   * @param text for example {@code worker-1}, or null
   * @return the replica, or null when the text names none
   */
  public static @Nullable ReplicaId parse(@Nullable String text) {
    int dash = text == null ? -1 : text.lastIndexOf('-');
    if (text == null || dash < 1 || !text.substring(dash + 1).matches("\\d{1,9}")) {
      return null;
    }
    return new ReplicaId(text.substring(0, dash), Integer.parseInt(text.substring(dash + 1)));
  }

  @Override
  public String toString() {
    return type + "-" + index;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof ReplicaId that
            && Objects.equals(type, that.type)
            && index == that.index);
  }
}
