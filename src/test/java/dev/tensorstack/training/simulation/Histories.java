package dev.tensorstack.training.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Many histories, each of a seed of its own. */
final class Histories {

  /** The seeds that a build runs: from 0 on, the first of them at each {@code ./mvnw test}. */
  static final long ALL = 100_000;

  static final long SHORT = 5_000;

  private static final int SEEDS_SHOWN = 10;

  private final Coverage coverage = new Coverage();

  /** The seeds that failed, by the invariant that did not hold. */
  private final Map<String, ConcurrentSkipListSet<Long>> failed = new ConcurrentHashMap<>();

  /**
   * Runs histories, and fails when one of them does.
   *
   * @param first the first seed
   * @param histories how many seeds
   * @param threads how many at a time
   */
  void run(long first, long histories, int threads) throws InterruptedException {
    Instant start = Instant.now();
    int failures =
        runAll(first, histories, threads, Integer.getInteger("simulation.failures", 500));
    System.out.printf(
        "seeds %d to %d in %d ms, failed: %d%n",
        first, first + histories - 1, Duration.between(start, Instant.now()).toMillis(), failures);
    System.out.println(coverage);
    failed.entrySet().stream()
        .sorted(Comparator.comparing(one -> -one.getValue().size()))
        .forEach(Histories::print);
    Set<Long> broken = new TreeSet<>();
    failed.values().forEach(broken::addAll);
    assertThat(broken)
        .as(() -> broken.stream().findFirst().map(Histories::messageOf).orElse(""))
        .isEmpty();
  }

  private static void print(Map.Entry<String, ConcurrentSkipListSet<Long>> one) {
    System.out.println(
        one.getValue().size()
            + " "
            + one.getKey()
            + ": "
            + one.getValue().stream()
                .limit(Integer.getInteger("simulation.shown", SEEDS_SHOWN))
                .map(String::valueOf)
                .collect(Collectors.joining(" ")));
  }

  private int runAll(long first, long histories, int count, int mostFailures)
      throws InterruptedException {
    AtomicLong next = new AtomicLong(first);
    AtomicInteger failures = new AtomicInteger();
    Thread[] threads =
        IntStream.range(0, count)
            .mapToObj(
                i ->
                    new Thread(
                        () -> {
                          for (long seed = next.getAndIncrement();
                              seed < first + histories && failures.get() < mostFailures;
                              seed = next.getAndIncrement()) {
                            if (!holds(seed)) {
                              failures.incrementAndGet();
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
    return failures.get();
  }

  private boolean holds(long seed) {
    try {
      History history = new History(seed, false);
      history.run();
      history.tell(coverage);
      return true;
    } catch (History.Failed broken) {
      String what =
          broken.getCause() instanceof Invariants.Broken invariant
              ? invariant.invariant
              : String.valueOf(broken.getCause());
      failed.computeIfAbsent(what, any -> new ConcurrentSkipListSet<>()).add(seed);
      return false;
    } catch (RuntimeException | Error unexpected) {
      // Else the thread would end here, and its histories would pass without having run.
      failed.computeIfAbsent(unexpected.toString(), any -> new ConcurrentSkipListSet<>()).add(seed);
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
