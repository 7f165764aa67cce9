package dev.tensorstack.training.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Random histories; docs/design/simulation.md says how to run more of them and how to replay one.
 */
class SimulationTest {

  private static final int THREADS = 2;
  private static final int MOST_FAILURES = 10;

  @Test
  void everyInvariantHoldsInEveryHistory() throws InterruptedException {
    Long replayed = Long.getLong("simulation.seed");
    if (replayed != null) {
      new History(replayed, true).run();
      return;
    }
    long first = Long.getLong("simulation.first", 0);
    long histories = Long.getLong("simulation.histories", 100_000);
    Instant start = Instant.now();
    Queue<Long> failed = runAll(first, histories);
    Duration time = Duration.between(start, Instant.now());
    System.out.println(
        "seeds "
            + first
            + " to "
            + (first + histories - 1)
            + " in "
            + time.toMillis()
            + " ms, failed: "
            + failed.size());
    for (long seed : failed) {
      String what = messageOf(seed).lines().findFirst().orElse("");
      System.out.println(what.substring(0, Math.min(200, what.length())));
    }
    assertThat(failed).as(() -> failed.isEmpty() ? "" : messageOf(failed.peek())).isEmpty();
  }

  private static Queue<Long> runAll(long first, long histories) throws InterruptedException {
    AtomicLong next = new AtomicLong(first);
    Queue<Long> failed = new ConcurrentLinkedQueue<>();
    Thread[] threads =
        IntStream.range(0, THREADS)
            .mapToObj(
                i ->
                    new Thread(
                        () -> {
                          for (long seed = next.getAndIncrement();
                              seed < first + histories && failed.size() < MOST_FAILURES;
                              seed = next.getAndIncrement()) {
                            if (!holds(seed)) {
                              failed.add(seed);
                            }
                          }
                        },
                        "histories-" + i))
            .toArray(Thread[]::new);
    for (Thread thread : threads) {
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return failed;
  }

  private static boolean holds(long seed) {
    try {
      new History(seed, false).run();
      return true;
    } catch (History.Failed broken) {
      return false;
    }
  }

  /** Replays a history with a trace. */
  private static String messageOf(long seed) {
    try {
      new History(seed, true).run();
      return "seed " + seed + " fails only without a trace";
    } catch (History.Failed broken) {
      return broken.getMessage();
    }
  }
}
