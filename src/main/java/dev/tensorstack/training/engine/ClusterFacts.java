package dev.tensorstack.training.engine;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Something of the cluster that few jobs depend on, and that changes rarely: it is asked for when a
 * job is looked at instead of being watched. Nothing here waits; who asks before the first answer
 * is told when it is there.
 *
 * @param <T> what is asked for
 */
final class ClusterFacts<T> {

  private static final Logger LOG = Logger.getLogger(ClusterFacts.class);

  /** A look at a job after this learns what has changed since. */
  static final Duration VALID = Duration.ofSeconds(30);

  /** The same for a job that needs something that was not there, which may have come with it. */
  static final Duration VALID_WITHOUT_A_PART = Duration.ofSeconds(1);

  /** Rights change rarely. */
  static final Duration REFUSED_FOR = Duration.ofMinutes(5);

  private final Supplier<T> source;
  private final Words<T> words;
  private final Clock clock;
  private final Consumer<ResourceID> enqueue;
  private final Background background;

  // All that follows is guarded by this object.

  /** The jobs for which the next answer matters. */
  private final Set<ResourceID> asking = new HashSet<>();

  /** Those of them that were told nothing. */
  private final Set<ResourceID> waiting = new HashSet<>();

  private @Nullable T known;
  private boolean answered;
  private int failures;
  private String told = "";
  private Instant asked = Instant.MIN;
  private Duration pause = Duration.ZERO;
  private boolean asks;
  private boolean retryPlanned;

  /** Runs things on other threads. */
  interface Background {
    /**
     * Runs something later.
     *
     * @param delay 0 or more
     */
    void run(Runnable task, Duration delay);
  }

  /**
   * What is said in the log, and done without an answer.
   *
   * @param <T> what is asked for
   * @param forbidden what to say when the operator may not ask, and what to allow it
   * @param away what to say when there is no answer just now
   * @param withoutRight what holds when the operator may not ask; null when nothing does
   */
  record Words<T>(String forbidden, String away, @Nullable T withoutRight) {}

  /**
   * Facts of any source.
   *
   * @param source asks for them; throws KubernetesClientException when the API server refuses or is
   *     away
   * @param enqueue is told the jobs that asked before the first answer
   */
  ClusterFacts(
      Supplier<T> source,
      Words<T> words,
      Clock clock,
      Consumer<ResourceID> enqueue,
      Background background) {
    this.source = source;
    this.words = words;
    this.clock = clock;
    this.enqueue = enqueue;
    this.background = background;
  }

  /**
   * Threads that ask.
   *
   * @param name what they are called
   */
  static Background threads(String name) {
    ScheduledExecutorService threads = new ScheduledThreadPoolExecutor(1, new DaemonThreads(name));
    return (task, delay) -> threads.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * What is known; asks in the background when it is time.
   *
   * @param job who wants to know
   * @param suffices whether an answer has all that the job needs
   * @return null until there is an answer that may suffice: the job is told then
   */
  synchronized @Nullable T of(ResourceID job, Predicate<T> suffices) {
    boolean lacks = answered && known != null && !suffices.test(known);
    if (!asks && isOver(lacks ? VALID_WITHOUT_A_PART : pause)) {
      asks = true;
      background.run(this::ask, Duration.ZERO);
    }
    if (asks || !answered) {
      asking.add(job);
    }
    if (known == null || (asks && lacks)) {
      waiting.add(job);
      return null;
    }
    return known;
  }

  private boolean isOver(Duration valid) {
    Instant now = clock.instant();
    return asked.isAfter(now) || !now.isBefore(asked.plus(valid)); // after now: it was put back
  }

  private void ask() {
    T answer = null;
    RuntimeException problem = null;
    try {
      answer = source.get();
    } catch (RuntimeException refusal) {
      problem = refusal;
    }
    Set<ResourceID> toTell;
    synchronized (this) {
      T before = known;
      if (problem == null) {
        known = answer;
        answered = true;
        failures = 0;
        told = "";
        pause = VALID;
      } else if (isForbidden(problem)) {
        known = known == null ? words.withoutRight() : known;
        pause = REFUSED_FOR;
      } else {
        pause = RetryDelay.after(failures++);
      }
      asked = clock.instant();
      asks = false;
      toTell =
          known == null ? Set.of() : Set.copyOf(Objects.equals(before, known) ? waiting : asking);
      waiting.removeAll(toTell);
      if (answered) {
        asking.clear();
      } else if (!retryPlanned) {
        retryPlanned = true;
        background.run(this::askAgain, pause);
      }
      if (problem != null) {
        tell(problem);
      }
    }
    toTell.forEach(enqueue);
  }

  /** Nobody looks at a job that waits for a scheduler with a group of the wrong size. */
  private void askAgain() {
    synchronized (this) {
      retryPlanned = false;
      if (asks || answered) {
        return;
      }
      asks = true;
    }
    ask();
  }

  private static boolean isForbidden(RuntimeException problem) {
    return problem instanceof KubernetesClientException answer
        && answer.getCode() == HttpURLConnection.HTTP_FORBIDDEN;
  }

  /** Once for each problem. */
  private void tell(RuntimeException problem) {
    String message = String.valueOf(problem.getMessage());
    if (told.equals(message)) {
      return;
    }
    told = message;
    if (isForbidden(problem)) {
      LOG.info(words.forbidden());
    } else {
      LOG.warnf("%s: %s", words.away(), message);
    }
  }
}
