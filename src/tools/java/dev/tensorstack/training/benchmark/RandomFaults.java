package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.apiproxy.Verdict;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Everything that can happen between an operator and its API server, at random: requests and
 * answers that are late, lost, refused or cut short, and watches that break off. One request of
 * seven is hit.
 */
final class RandomFaults implements AutoCloseable {

  private static final int THOUSAND = 1_000;
  private static final int LONGEST_DELAY_MILLIS = 1_500;
  private static final int HANG_MILLIS = 12_000;
  private static final int MOST_BYTES = 20_000;
  private static final int MOST_BYTES_OF_A_WATCH = 300_000;
  private static final long CUT_PERIOD_MILLIS = 2_000;
  private static final Set<String> MAY_CONFLICT = Set.of("create", "update", "patch");

  private final Random random;
  private final ApiProxy proxy;
  private final Map<String, Integer> counts = new TreeMap<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private final ApiProxy.Hook before;
  private final ApiProxy.Hook after;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "faults");
            thread.setDaemon(true);
            return thread;
          });

  /** Begins to spoil what goes through a proxy. */
  RandomFaults(ApiProxy proxy, long seed) {
    this.proxy = proxy;
    this.random = new Random(seed);
    before = proxy.beforeForwarding(this::before);
    after = proxy.beforeAnswering(this::after);
    var unused =
        timer.scheduleAtFixedRate(
            this::cut, CUT_PERIOD_MILLIS, CUT_PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** How often each fault has happened. */
  synchronized Map<String, Integer> counts() {
    return new TreeMap<>(counts);
  }

  private synchronized int next(int bound) {
    return random.nextInt(bound);
  }

  private synchronized void count(String fault) {
    counts.merge(fault, 1, Integer::sum);
  }

  private void cut() {
    count("connection cut");
    proxy.cutOneConnection(random);
  }

  private Verdict before(ApiRequest request) {
    int dice = next(THOUSAND);
    if (dice < 30) {
      return late("request late");
    }
    if (dice < 45) {
      count("request lost");
      return Verdict.drop();
    }
    if (dice < 60) {
      return answer("429 before", 429, "TooManyRequests");
    }
    if (dice < 75) {
      return answer("500 before", 500, "InternalError");
    }
    if (dice < 85 && MAY_CONFLICT.contains(request.verb())) {
      return answer("409 before", 409, "Conflict");
    }
    if (dice >= 85 && dice < 90) {
      return answer("504 before", 504, "Timeout");
    }
    if (dice >= 90 && dice < 92) {
      count("request hangs");
      boolean unused = ApiProxy.await(over, HANG_MILLIS);
      return Verdict.drop();
    }
    return Verdict.pass();
  }

  private Verdict after(ApiRequest request) {
    int dice = next(THOUSAND);
    if (request.verb().equals("watch")) {
      if (dice < 300) {
        count("watch cut short");
        return Verdict.truncate(next(MOST_BYTES_OF_A_WATCH));
      }
      return Verdict.pass();
    }
    if (dice < 15) {
      count("answer lost");
      return Verdict.drop();
    }
    if (dice < 30) {
      count("answer cut short");
      return Verdict.truncate(next(MOST_BYTES));
    }
    if (dice < 40) {
      return answer("504 after", 504, "Timeout");
    }
    if (dice < 50) {
      return answer("500 after", 500, "InternalError");
    }
    return dice < 70 ? late("answer late") : Verdict.pass();
  }

  private Verdict late(String fault) {
    count(fault);
    boolean unused = ApiProxy.await(over, next(LONGEST_DELAY_MILLIS));
    return Verdict.pass();
  }

  private Verdict answer(String fault, int code, String reason) {
    count(fault);
    return Verdict.answer(code, reason);
  }

  /** From now on everything passes. */
  @Override
  public void close() {
    before.close();
    after.close();
    over.countDown();
    timer.shutdownNow();
  }
}
