package dev.tensorstack.training.monitoring;

import java.util.List;
import java.util.Map;

/**
 * What Prometheus knows about one set of labels.
 *
 * @param labels its labels; the name is {@code __name__}
 * @param points its values in the order of time; one for a question about now
 */
public record Series(Map<String, String> labels, List<Point> points) {

  /**
   * A value.
   *
   * @param time in seconds since 1970
   * @param value may be NaN or infinite
   */
  record Point(double time, double value) {}

  /** Whether there is a value that is a number. */
  boolean hasData() {
    return points.stream().anyMatch(point -> !Double.isNaN(point.value()));
  }

  /** The last value that is a number; NaN when there is none. */
  double last() {
    double last = Double.NaN;
    for (Point point : points) {
      if (!Double.isNaN(point.value())) {
        last = point.value();
      }
    }
    return last;
  }
}
