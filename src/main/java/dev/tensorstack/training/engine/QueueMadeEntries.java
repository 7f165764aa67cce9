package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Whether a queue has made an entry for a job by itself, as Kueue does for the kinds that an
 * administrator has enabled: such a job is admitted and suspended by the queue, and gets no entry
 * from the operator. It is asked once before the operator makes one, for many jobs at a time.
 * Nothing here waits; who asks is told when there is an answer.
 */
final class QueueMadeEntries {

  private static final Logger LOG = Logger.getLogger(QueueMadeEntries.class);

  /** The operator's entry follows a "no" at once; who has none after this asks again. */
  private static final Duration VALID = Duration.ofSeconds(30);

  /** What a queue has made stays, unless an administrator changes how it works. */
  private static final Duration FOUND_VALID = Duration.ofMinutes(5);

  /** The uids of so many jobs fit into the address of a request. */
  private static final int JOBS_OF_A_REQUEST = 50;

  private final Source source;
  private final Clock clock;
  private final Consumer<ResourceID> enqueue;
  private final ScheduledExecutorService background =
      new ScheduledThreadPoolExecutor(1, new DaemonThreads("queue-made-entries"));

  private final Queue<Question> questions = new ConcurrentLinkedQueue<>();

  /** Where entries come from. */
  interface Source {
    /**
     * The jobs for which there is an entry that the operator has not made.
     *
     * @param kind the kind of entry
     * @param label the label by which entries name their job
     * @param jobs values of that label, at least one
     * @return those of the values
     * @throws KubernetesClientException when the API server refuses or is away
     */
    Set<String> made(ObjectKind kind, String namespace, String label, Set<String> jobs);
  }

  /** A job that waits for its answer; jobs that differ in nothing but the value share a request. */
  private record Question(
      TrainingJob job, ObjectKind kind, String label, String value, Memory memory) {

    boolean sharesRequest(Question other) {
      return kind.equals(other.kind)
          && job.namespace().equals(other.job.namespace())
          && label.equals(other.label);
    }
  }

  /** What is known of one job; guarded by itself. */
  static final class Memory {
    private @Nullable String uid;
    private @Nullable Boolean exists;
    private Instant answered = Instant.MIN;
    private Duration valid = VALID;
    private int failures;
    private boolean asking;
  }

  /**
   * The entries that queues have made.
   *
   * @param enqueue is told the jobs of which more is known now, or may be asked now
   */
  QueueMadeEntries(KubernetesClient client, Clock clock, Consumer<ResourceID> enqueue) {
    this(
        (kind, namespace, label, jobs) -> made(client, kind, namespace, label, jobs),
        clock,
        enqueue);
  }

  QueueMadeEntries(Source source, Clock clock, Consumer<ResourceID> enqueue) {
    this.source = source;
    this.clock = clock;
    this.enqueue = enqueue;
  }

  private static Set<String> made(
      KubernetesClient client, ObjectKind kind, String namespace, String label, Set<String> jobs) {
    ResourceDefinitionContext context =
        new ResourceDefinitionContext.Builder()
            .withGroup(kind.group())
            .withVersion(kind.version())
            .withKind(kind.kind())
            .withPlural(kind.plural())
            .withNamespaced(true)
            .build();
    return client
        .genericKubernetesResources(context)
        .inNamespace(namespace)
        .withLabelIn(label, jobs.toArray(new String[0]))
        .list()
        .getItems()
        .stream()
        .filter(entry -> !isOurs(entry))
        .map(entry -> entry.getMetadata().getLabels().get(label))
        .collect(Collectors.toSet());
  }

  private static boolean isOurs(GenericKubernetesResource entry) {
    Map<String, String> annotations = entry.getMetadata().getAnnotations();
    return annotations != null && annotations.containsKey(Labels.APPLIED);
  }

  /**
   * Whether there is an entry that the operator has not made; asks in the background when that is
   * not known.
   *
   * @param job the job
   * @param kind the kind of entry
   * @param labels the label by which entries name the job, as the only one
   * @param memory what was known before
   * @return null while that is not known: the job is told then
   */
  @Nullable Boolean exist(
      TrainingJob job, ObjectKind kind, Map<String, String> labels, Memory memory) {
    synchronized (memory) {
      if (!job.uid().equals(memory.uid)) {
        memory.uid = job.uid();
        memory.exists = null;
      }
      Instant now = clock.instant();
      boolean isOver =
          memory.answered.isAfter(now) || !now.isBefore(memory.answered.plus(memory.valid));
      if (memory.exists != null && !isOver) {
        return memory.exists;
      }
      if (!memory.asking) {
        memory.asking = true;
        labels.forEach(
            (label, value) -> questions.add(new Question(job, kind, label, value, memory)));
        background.execute(this::ask);
      }
      // A job that its queue has started goes on meanwhile.
      return Boolean.TRUE.equals(memory.exists) ? memory.exists : null;
    }
  }

  /**
   * A job has an entry of the operator's, or needs none for now: what was known may change before
   * it needs one.
   *
   * @param memory what was known before
   */
  static void forget(Memory memory) {
    synchronized (memory) {
      memory.exists = null;
    }
  }

  /** Who may not list entries may not make them either: then a job is its queue's own matter. */
  private static @Nullable Boolean meaning(KubernetesClientException refusal) {
    return switch (refusal.getCode()) {
      case HttpURLConnection.HTTP_FORBIDDEN -> true;
      case HttpURLConnection.HTTP_NOT_FOUND -> false;
      default -> null;
    };
  }

  private static void tell(List<Question> asked, RuntimeException problem) {
    Question first = asked.get(0);
    LOG.warnf(
        "job %s/%s waits%s: whether its queue has made a %s for it cannot be found out just now: %s",
        first.job.namespace(),
        first.job.name(),
        asked.size() == 1 ? "" : ", and " + (asked.size() - 1) + " others of its namespace do",
        first.kind,
        problem.getMessage());
  }

  /** Asks for the job that has waited longest, and for others with it. */
  private void ask() {
    List<Question> asked = new ArrayList<>();
    for (Question question : questions) {
      if (asked.isEmpty() || question.sharesRequest(asked.get(0))) {
        asked.add(question);
      }
      if (asked.size() == JOBS_OF_A_REQUEST) {
        break;
      }
    }
    if (asked.isEmpty()) {
      return; // It was asked for with others.
    }
    questions.removeAll(asked);
    Question first = asked.get(0);
    Set<String> jobs = asked.stream().map(Question::value).collect(Collectors.toSet());
    Set<String> made = Set.of();
    Boolean otherwise = null;
    try {
      made = source.made(first.kind, first.job.namespace(), first.label, jobs);
      otherwise = false;
    } catch (KubernetesClientException refusal) {
      otherwise = meaning(refusal);
      if (otherwise == null) {
        tell(asked, refusal);
      }
    } catch (RuntimeException problem) { // Else these jobs would never be asked for again.
      tell(asked, problem);
    }
    for (Question question : asked) {
      boolean found = made.contains(question.value);
      answer(question, found ? Boolean.TRUE : otherwise, found);
    }
  }

  private void answer(Question question, @Nullable Boolean exists, boolean found) {
    Memory memory = question.memory;
    TrainingJob job = question.job;
    Duration delay = Duration.ZERO;
    synchronized (memory) {
      memory.asking = false;
      if (exists == null) {
        delay = RetryDelay.after(memory.failures++);
      } else {
        memory.failures = 0;
        memory.answered = clock.instant();
        memory.valid = found ? FOUND_VALID : VALID;
        memory.exists = job.uid().equals(memory.uid) ? exists : null;
      }
    }
    ResourceID id = new ResourceID(job.name(), job.namespace());
    background.schedule(() -> enqueue.accept(id), delay.toMillis(), TimeUnit.MILLISECONDS);
  }
}
