package dev.tensorstack.training.observation;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One replica of a job, whichever pod it runs in at present.
 *
 * @param type the replica type
 * @param index the index in the type, from 0
 */
public record ReplicaId(String type, int index) {
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
