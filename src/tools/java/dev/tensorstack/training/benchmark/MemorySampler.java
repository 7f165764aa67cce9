package dev.tensorstack.training.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Looks at the memory of a process some times a second, as long as there is one. */
final class MemorySampler implements AutoCloseable {

  private static final long PERIOD_MILLIS = 100;
  private static final double NANOS = 1e9;

  private final ProcessUsage process;
  private final long begin = System.nanoTime();
  private final List<Double> seconds = new ArrayList<>();
  private final List<Double> memory = new ArrayList<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "memory-sampler");
            thread.setDaemon(true);
            return thread;
          });

  /** Begins to look. */
  MemorySampler(ProcessUsage process) {
    this.process = process;
    var unused = timer.scheduleAtFixedRate(this::look, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    double now;
    try {
      now = process.memoryMiB();
    } catch (IllegalStateException ended) {
      if (!timer.isShutdown()) {
        System.err.println("no more looks at the memory: " + ended.getMessage());
        timer.shutdown();
      }
      return;
    }
    add((System.nanoTime() - begin) / NANOS, now);
  }

  private synchronized void add(double second, double value) {
    seconds.add(second);
    memory.add(value);
  }

  /** All values so far. */
  synchronized Measurements.Curve curve(String scenario, String client) {
    return new Measurements.Curve(
        scenario,
        "operator's resident memory (MiB)",
        client,
        List.copyOf(seconds),
        List.copyOf(memory));
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
