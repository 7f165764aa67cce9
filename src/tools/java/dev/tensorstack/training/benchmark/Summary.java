package dev.tensorstack.training.benchmark;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Median, least and greatest of some measurements.
 *
 * @param median the one in the middle, or the mean of the two in the middle
 * @param min the least
 * @param max the greatest
 */
record Summary(double median, double min, double max) {

  /** Sums up one number of each element. */
  static <T> Summary of(List<T> list, ToDoubleFunction<T> number) {
    double[] sorted = list.stream().mapToDouble(number).sorted().toArray();
    if (sorted.length == 0) {
      throw new IllegalArgumentException("nothing was measured");
    }
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Summary(median, sorted[0], sorted[sorted.length - 1]);
  }

  /** The three numbers as columns of a table. */
  String columns() {
    return String.format(Locale.ROOT, "%10.2f %10.2f %10.2f", median, min, max);
  }
}
