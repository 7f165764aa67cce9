package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.model.PodPriorities;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The cluster's PriorityClasses, for the few jobs whose PodGroup depends on them. There are few and
 * their values never change, so they are listed when a job is looked at instead of being watched.
 * Nothing here waits; who asks before the first answer is told when it is there. An operator that
 * may not list them works without: all pods are then equally important, until it may.
 */
final class PriorityClasses {

  private static final Logger LOG = Logger.getLogger(PriorityClasses.class);

  /** A look at a job after this learns what has changed since. */
  static final Duration VALID = Duration.ofSeconds(30);

  /** The same for a job with a class that was not there, which may have come with it. */
  static final Duration VALID_WITHOUT_A_CLASS = Duration.ofSeconds(1);

  /** Rights change rarely. */
  static final Duration REFUSED_FOR = Duration.ofMinutes(5);

  private final Supplier<List<PriorityClass>> source;
  private final Clock clock;
  private final Consumer<ResourceID> enqueue;
  private final Background background;

  // All that follows is guarded by this object.

  /** The jobs for which the next answer matters. */
  private final Set<ResourceID> asking = new HashSet<>();

  /** Those of them that were told nothing. */
  private final Set<ResourceID> waiting = new HashSet<>();

  private @Nullable PodPriorities known;
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
   * The classes of a cluster.
   *
   * @param enqueue is told the jobs that asked before the first answer
   */
  PriorityClasses(KubernetesClient client, Clock clock, Consumer<ResourceID> enqueue) {
    this(
        () -> client.scheduling().v1().priorityClasses().list().getItems(),
        clock,
        enqueue,
        threads());
  }

  private static Background threads() {
    ScheduledExecutorService threads =
        new ScheduledThreadPoolExecutor(1, new DaemonThreads("priority-classes"));
    return (task, delay) -> threads.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * The classes of any source.
   *
   * @param source lists them; throws KubernetesClientException when the API server refuses or is
   *     away
   */
  PriorityClasses(
      Supplier<List<PriorityClass>> source,
      Clock clock,
      Consumer<ResourceID> enqueue,
      Background background) {
    this.source = source;
    this.clock = clock;
    this.enqueue = enqueue;
    this.background = background;
  }

  /**
   * What is known; asks in the background when it is time.
   *
   * @param job who wants to know
   * @param classes the classes that its pods name
   * @return null until there is an answer that may know these classes: the job is told then
   */
  synchronized @Nullable PodPriorities of(ResourceID job, Set<String> classes) {
    boolean lacks = answered && known != null && !known.values().keySet().containsAll(classes);
    if (!asks && isOver(lacks ? VALID_WITHOUT_A_CLASS : pause)) {
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
    PodPriorities answer = null;
    RuntimeException problem = null;
    try {
      answer = read(source.get());
    } catch (RuntimeException refusal) {
      problem = refusal;
    }
    Set<ResourceID> toTell;
    synchronized (this) {
      PodPriorities before = known;
      if (problem == null) {
        known = answer;
        answered = true;
        failures = 0;
        told = "";
        pause = VALID;
      } else if (isForbidden(problem)) {
        known = known == null ? PodPriorities.EQUAL : known;
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
      LOG.info(
          "PriorityClasses may not be listed: minResources of a PodGroup smaller than its job are"
              + " those of the Master first. Allow it to list priorityclasses.scheduling.k8s.io");
    } else {
      LOG.warnf(
          "PriorityClasses cannot be listed just now; PodGroups that are smaller than their jobs"
              + " stay as they are, new ones wait for the answer: %s",
          message);
    }
  }

  private static PodPriorities read(List<PriorityClass> classes) {
    Map<String, Integer> values =
        classes.stream()
            .filter(one -> one.getValue() != null)
            .collect(
                Collectors.toMap(
                    one -> one.getMetadata().getName(), PriorityClass::getValue, (a, b) -> a));
    // Of several, the lowest: as Kubernetes' admission plugin Priority chooses.
    int ofOthers =
        classes.stream()
            .filter(one -> Boolean.TRUE.equals(one.getGlobalDefault()) && one.getValue() != null)
            .mapToInt(PriorityClass::getValue)
            .min()
            .orElse(0);
    return new PodPriorities(values, ofOthers);
  }
}
