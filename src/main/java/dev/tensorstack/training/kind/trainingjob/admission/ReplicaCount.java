package dev.tensorstack.training.kind.trainingjob.admission;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How many pods a job's {@code replicaSpecs} ask for. */
final class ReplicaCount {

  private ReplicaCount() {}

  /**
   * Adds up the replicas of all types.
   *
   * @param specs the types, or null
   * @return the sum; null when there is no type, or a number that no job can have
   */
  static @Nullable Integer of(@Nullable List<ReplicaSpec> specs) {
    if (specs == null || specs.isEmpty()) {
      return null;
    }
    long sum = 0;
    for (ReplicaSpec spec : specs) {
      int replicas = spec == null ? 1 : requireNonNullElse(spec.replicas(), 1);
      if (replicas < 0) {
        return null;
      }
      sum += replicas;
    }
    return sum > Integer.MAX_VALUE ? null : (Integer) (int) sum;
  }
}
