package dev.tensorstack.training.benchmark;

/**
 * What one status write has cost in one round.
 *
 * @param usage the API server's, without what it uses at rest
 * @param seconds from the request to the answer, the mean
 */
record StatusWriteCost(ApiServerUsage usage, double seconds) {

  private static final double KIB = 1024;
  private static final double MILLIS = 1_000;

  double kib() {
    return usage.bytes() / KIB;
  }

  double allocations() {
    return usage.allocations();
  }

  double cpuMillis() {
    return usage.cpuSeconds() * MILLIS;
  }

  double millis() {
    return seconds * MILLIS;
  }
}
