package dev.tensorstack.training.operator;

import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.apiproxy.Verdict;
import dev.tensorstack.training.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Rounds in which the operator is killed, for jobs of any kind. In round k each job stands at the
 * k-th write of what happens to it: at that write, and until the kill, no further write of the job
 * gets through; when all jobs stand there, the operator is killed with SIGKILL and another one is
 * started.
 */
final class KillRounds {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration QUIET = Duration.ofMillis(1500);

  private final ControlPlane controlPlane;
  private final Function<Path, OperatorProcess> start;
  private final int mostWrites;

  /**
   * Rounds of kills.
   *
   * @param start starts an operator that reaches the API server by a kubeconfig
   * @param mostWrites more than any job has
   */
  KillRounds(ControlPlane controlPlane, Function<Path, OperatorProcess> start, int mostWrites) {
    this.controlPlane = controlPlane;
    this.start = start;
    this.mostWrites = mostWrites;
  }

  /** One job of one round. */
  abstract static class Victim {
    final String name;
    private final int kill;
    private final boolean afterwards;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicReference<@Nullable ApiRequest> hit = new AtomicReference<>();

    /**
     * A job.
     *
     * @param kill at which of its writes the operator is killed
     * @param afterwards whether after that write, or before it
     */
    Victim(String name, int kill, boolean afterwards) {
      this.name = name;
      this.kill = kill;
      this.afterwards = afterwards;
    }

    /** Whether all is there that has to be before it happens. */
    abstract boolean isReady();

    /** Lets it happen. */
    abstract void begin();

    /** Whether it has happened, and all has been done about it. */
    abstract boolean isSettled();

    /** Whether its life has come to where it is checked; it may be driven on by this question. */
    abstract boolean isOver();

    /** Whether a request writes something of this job. */
    abstract boolean owns(ApiRequest request);

    /** Says what is not as it must be. */
    abstract void check(ApiProxy proxy);

    /** The names of the pods that were created, in the order of their creation. */
    final List<String> created(ApiProxy proxy) {
      return proxy
          .requests(
              request -> request.is("create", "pods") && request.code() == 201 && owns(request))
          .stream()
          .map(request -> Serialization.unmarshal(request.body(), Pod.class))
          .map(pod -> pod.getMetadata().getName())
          .toList();
    }

    private boolean isHeld() {
      return hit.get() != null;
    }

    private Verdict before(ApiRequest request, CountDownLatch killed) {
      if (!owns(request)) {
        return Verdict.pass();
      }
      int number = count.incrementAndGet();
      if (number == kill) {
        hit.set(request);
      }
      boolean passes = number < kill || (number == kill && afterwards);
      return passes ? Verdict.pass() : dropAfter(killed);
    }

    private Verdict after(ApiRequest request, CountDownLatch killed) {
      return afterwards && request == hit.get() ? dropAfter(killed) : Verdict.pass();
    }

    private static Verdict dropAfter(CountDownLatch killed) {
      ApiProxy.await(killed, LIMIT.toMillis());
      return Verdict.drop();
    }
  }

  /**
   * Goes on until no job has as many writes.
   *
   * @param victims makes the jobs of a round; it is given its number, from 1
   * @return in how many rounds the operator was killed
   */
  int run(IntFunction<? extends List<? extends Victim>> victims) {
    int reached = 0;
    try (ApiProxy proxy = ApiProxy.start(controlPlane.clientConfig()).keepBodies()) {
      OperatorProcess operator = start.apply(proxy.kubeconfig());
      List<Victim> present = List.copyOf(victims.apply(1));
      boolean more = true;
      for (int k = 1; more && k <= mostWrites; k++) {
        awaitAll("all jobs are ready", present, Victim::isReady);
        more = killedAt(present, proxy, operator);
        if (more) {
          reached = k;
          operator = start.apply(proxy.kubeconfig());
        }
        List<Victim> next = more ? List.copyOf(victims.apply(k + 1)) : List.of();
        awaitAll("all jobs have come through it", present, Victim::isOver);
        awaitQuiet(proxy, present);
        present.forEach(one -> one.check(proxy));
        present = next;
      }
      operator.close();
    }
    return reached;
  }

  /** Waits until something is so of all; each is asked each time: some are driven on by that. */
  static <V extends Victim> void awaitAll(String what, List<V> victims, Predicate<V> condition) {
    await(what)
        .atMost(LIMIT)
        .until(() -> victims.stream().filter(condition).count() == victims.size());
  }

  /** Lets it happen; false when no job has as many writes. */
  private static boolean killedAt(List<Victim> victims, ApiProxy proxy, OperatorProcess operator) {
    CountDownLatch killed = new CountDownLatch(1);
    try (ApiProxy.Hook first =
            proxy.beforeForwarding(request -> ask(victims, one -> one.before(request, killed)));
        ApiProxy.Hook second =
            proxy.beforeAnswering(request -> ask(victims, one -> one.after(request, killed)))) {
      victims.forEach(Victim::begin);
      await("all jobs stand at their write or are done")
          .during(QUIET)
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(100))
          .until(() -> victims.stream().allMatch(one -> one.isHeld() || one.isSettled()));
      List<Victim> held = victims.stream().filter(Victim::isHeld).toList();
      held.forEach(one -> System.out.println(one.name + ": killed at " + one.hit.get()));
      if (held.isEmpty()) {
        return false;
      }
      operator.kill();
      killed.countDown();
      return true;
    }
  }

  private static Verdict ask(List<Victim> victims, Function<Victim, Verdict> hook) {
    for (Victim one : victims) {
      Verdict verdict = hook.apply(one);
      if (verdict.kind() != Verdict.Kind.PASS) {
        return verdict;
      }
    }
    return Verdict.pass();
  }

  /** Waits until no more is written of some jobs. */
  static void awaitQuiet(ApiProxy proxy, List<? extends Victim> victims) {
    AtomicInteger before = new AtomicInteger(-1);
    await("no more writes")
        .during(QUIET)
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(250))
        .until(
            () -> {
              int now =
                  proxy.requests(one -> victims.stream().anyMatch(job -> job.owns(one))).size();
              return before.getAndSet(now) == now;
            });
  }
}
