package dev.tensorstack.training.benchmark;

import java.util.Collection;
import java.util.List;

/** Percentiles of moments, told in seconds. */
final class Percentile {

  private static final double NANOS = 1e9;
  private static final double HUNDRED = 100;

  private Percentile() {}

  /** The value that so many of a hundred do not exceed; nanoseconds in, seconds out. */
  static double seconds(Collection<Long> nanos, int percent) {
    List<Long> sorted = nanos.stream().sorted().toList();
    if (sorted.isEmpty()) {
      throw new IllegalArgumentException("nothing was measured");
    }
    int index = (int) Math.ceil(percent / HUNDRED * sorted.size()) - 1;
    return sorted.get(Math.max(0, index)) / NANOS;
  }

  /** A span in seconds. */
  static double seconds(long nanos) {
    return nanos / NANOS;
  }
}
