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
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Whether a queue has made an entry for a job by itself, as Kueue does for the kinds that an
 * administrator has enabled: such a job is admitted and suspended by the queue, and gets no entry
 * from the operator. It is asked once before the operator makes one. Nothing here waits; who asks
 * is told when there is an answer.
 */
final class QueueMadeEntries {

  private static final Logger LOG = Logger.getLogger(QueueMadeEntries.class);

  /** The operator's entry follows a "no" at once; who has none after this asks again. */
  private static final Duration VALID = Duration.ofSeconds(30);

  /** What a queue has made stays, unless an administrator changes how it works. */
  private static final Duration FOUND_VALID = Duration.ofMinutes(5);

  private final Source source;
  private final Clock clock;
  private final Consumer<ResourceID> enqueue;
  private final ScheduledExecutorService background =
      new ScheduledThreadPoolExecutor(1, new DaemonThreads("queue-made-entries"));

  /** Where entries come from. */
  interface Source {
    /**
     * Whether there is an entry that the operator has not made.
     *
     * @param kind the kind of entry
     * @param labels what selects those of one job
     * @throws KubernetesClientException when the API server refuses or is away
     */
    boolean exists(ObjectKind kind, String namespace, Map<String, String> labels);
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
    this((kind, namespace, labels) -> exists(client, kind, namespace, labels), clock, enqueue);
  }

  QueueMadeEntries(Source source, Clock clock, Consumer<ResourceID> enqueue) {
    this.source = source;
    this.clock = clock;
    this.enqueue = enqueue;
  }

  private static boolean exists(
      KubernetesClient client, ObjectKind kind, String namespace, Map<String, String> labels) {
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
        .withLabels(labels)
        .list()
        .getItems()
        .stream()
        .anyMatch(entry -> !isOurs(entry));
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
   * @param labels what selects those of the job
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
        background.execute(() -> ask(job, kind, labels, memory));
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

  private static void tell(TrainingJob job, ObjectKind kind, RuntimeException problem) {
    LOG.warnf(
        "job %s/%s waits: whether its queue has made a %s for it cannot be found out just now: %s",
        job.namespace(), job.name(), kind, problem.getMessage());
  }

  private void ask(TrainingJob job, ObjectKind kind, Map<String, String> labels, Memory memory) {
    Boolean exists = null;
    boolean found = false;
    try {
      exists = source.exists(kind, job.namespace(), labels);
      found = exists;
    } catch (KubernetesClientException refusal) {
      exists = meaning(refusal);
      if (exists == null) {
        tell(job, kind, refusal);
      }
    } catch (RuntimeException problem) { // Else this job would never be asked for again.
      tell(job, kind, problem);
    }
    ResourceID id = new ResourceID(job.name(), job.namespace());
    Duration delay = Duration.ZERO;
    synchronized (memory) {
      memory.asking = false;
      if (exists == null) {
        delay = RetryDelay.after(memory.failures++);
      } else {
        memory.failures = 0;
        memory.answered = clock.instant();
        memory.valid = exists && found ? FOUND_VALID : VALID;
        memory.exists = job.uid().equals(memory.uid) ? exists : null;
      }
    }
    background.schedule(() -> enqueue.accept(id), delay.toMillis(), TimeUnit.MILLISECONDS);
  }
}
