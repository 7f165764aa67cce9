package dev.tensorstack.training.controlplane;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Tells a person what goes on while it takes minutes. */
final class Progress {
  private final PrintStream out;
  private final Duration interval;

  /** Prints to {@code out}; a running step is repeated every {@code interval}. */
  Progress(PrintStream out, Duration interval) {
    this.out = out;
    this.interval = interval;
  }

  /** Progress on standard error, every ten seconds. */
  static Progress onStandardError() {
    return new Progress(System.err, Duration.ofSeconds(10));
  }

  /** Prints one line. */
  void say(String line) {
    out.println("[control plane] " + line);
    out.flush();
  }

  /**
   * Announces a step, and repeats the line with the elapsed seconds until the step is closed.
   *
   * @param what the step
   * @param detail what to add to each repetition; may be the empty string
   */
  Step begin(String what, Supplier<String> detail) {
    say(what);
    return new Step(what, detail);
  }

  /** A step under way. */
  final class Step implements AutoCloseable {
    private final long began = System.nanoTime();
    private final ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "control-plane-progress");
              thread.setDaemon(true);
              return thread;
            });

    private Step(String what, Supplier<String> detail) {
      var unused =
          timer.scheduleAtFixedRate(
              () -> say(what + ": " + elapsedSeconds() + " s" + detail.get()),
              interval.toMillis(),
              interval.toMillis(),
              TimeUnit.MILLISECONDS);
    }

    /** Whole seconds since the step began. */
    long elapsedSeconds() {
      return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
    }

    @Override
    public void close() {
      timer.shutdownNow();
    }
  }
}
