package dev.tensorstack.training.benchmark;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an API server has used since its start, as its metrics tell; bytes and allocations are those
 * of Go's heap, and hardly depend on what else the machine does.
 *
 * @param bytes allocated, garbage included
 * @param allocations how many
 * @param cpuSeconds of user and system
 */
record ApiServerUsage(double bytes, double allocations, double cpuSeconds) {

  /**
   * Asks an API server.
   *
   * @param api the API server as somebody sees it who may read its metrics
   */
  static ApiServerUsage now(Api api) {
    return parse(api.get("/metrics").orThrow("the API server's metrics").body());
  }

  /**
   * Reads what an API server tells.
   *
   * @param metrics in Prometheus' text format
   * @throws IllegalStateException when one of the three is not in it
   */
  static ApiServerUsage parse(String metrics) {
    return new ApiServerUsage(
        value(metrics, "go_memstats_alloc_bytes_total"),
        value(metrics, "go_memstats_mallocs_total"),
        value(metrics, "process_cpu_seconds_total"));
  }

  private static double value(String metrics, String name) {
    Matcher line = Pattern.compile("(?m)^" + name + " (\\S+)$").matcher(metrics);
    if (!line.find()) {
      throw new IllegalStateException("the API server does not tell " + name);
    }
    return Double.parseDouble(line.group(1));
  }

  /** What was used since an earlier moment. */
  ApiServerUsage since(ApiServerUsage earlier) {
    return plus(earlier, -1);
  }

  /** The sum with another usage, so many times. */
  ApiServerUsage plus(ApiServerUsage other, double times) {
    return new ApiServerUsage(
        bytes + times * other.bytes,
        allocations + times * other.allocations,
        cpuSeconds + times * other.cpuSeconds);
  }

  /** A share of it. */
  ApiServerUsage dividedBy(double parts) {
    return new ApiServerUsage(bytes / parts, allocations / parts, cpuSeconds / parts);
  }
}
