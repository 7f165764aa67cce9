package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.core.observe.TensorboardTrouble;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Why a TensorBoard does not get ready: its Deployment says so after ten minutes, and never why;
 * its pod, which belongs to a ReplicaSet and is not watched, says it at once. It is asked for while
 * the Deployment has no ready pod, less and less often. Nothing here waits; who asks is told when
 * there is an answer.
 */
final class TensorboardPods {

  private static final Logger LOG = Logger.getLogger(TensorboardPods.class);

  /** So long it may take to start before anybody wonders. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  /** What was told may be over for so long, at most, until the Deployment is ready. */
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

  private final Source source;
  private final Clock clock;
  private final Consumer<ResourceID> enqueue;
  private final ScheduledExecutorService background;

  /** Where pods come from. */
  interface Source {
    /**
     * The pods of one TensorBoard.
     *
     * @param instance what the pods of a job's TensorBoard have as label
     * @throws KubernetesClientException when the API server refuses or is away
     */
    List<Pod> pods(String namespace, String instance);
  }

  /** What is known of one job's TensorBoard; guarded by itself. */
  static final class Memory {
    private @Nullable String deployment;
    private @Nullable TensorboardTrouble trouble;
    private Duration pause = PATIENCE;
    private Instant next = Instant.MIN;
    private boolean asking;
    private boolean lookPlanned;
  }

  /**
   * The pods of TensorBoards.
   *
   * @param enqueue is told the jobs of which more is known now, or may be asked now
   */
  TensorboardPods(KubernetesClient client, Clock clock, Consumer<ResourceID> enqueue) {
    this(
        (namespace, instance) ->
            client
                .pods()
                .inNamespace(namespace)
                .withLabel(Labels.APPLICATION, Labels.TENSORBOARD)
                .withLabel(Labels.INSTANCE, instance)
                .list()
                .getItems(),
        clock,
        enqueue);
  }

  TensorboardPods(Source source, Clock clock, Consumer<ResourceID> enqueue) {
    this.source = source;
    this.clock = clock;
    this.enqueue = enqueue;
    this.background = new ScheduledThreadPoolExecutor(1, new DaemonThreads("tensorboard-pods"));
  }

  /**
   * What is known of a job's TensorBoard; asks for its pods in the background when it is time.
   *
   * @param deployment its Deployment, null when there is none
   * @param memory what was known before
   * @return null when it is ready or wants no pod, or when nothing is known yet
   */
  @Nullable TensorboardTrouble of(
      TrainingJob job, @Nullable GenericKubernetesResource deployment, Memory memory) {
    Instant now = clock.instant();
    ResourceID id = new ResourceID(job.name(), job.namespace());
    synchronized (memory) {
      String waiting = deployment == null || !isWaiting(deployment) ? null : version(deployment);
      if (!Objects.equals(waiting, memory.deployment)) {
        memory.deployment = waiting;
        memory.trouble = null;
        memory.pause = PATIENCE;
        memory.next = deployment == null ? now : createdAt(deployment, now).plus(PATIENCE);
      }
      if (waiting == null) {
        return null;
      }
      if (memory.asking) {
        return memory.trouble;
      }
      if (memory.next.isAfter(now.plus(LONGEST_PAUSE))) {
        memory.next = now.plus(LONGEST_PAUSE); // The clock was put back.
      }
      if (now.isBefore(memory.next)) {
        lookAgain(id, memory, Duration.between(now, memory.next));
      } else {
        memory.asking = true;
        memory.next = now.plus(memory.pause);
        Duration doubled = memory.pause.multipliedBy(2);
        memory.pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
        background.execute(() -> ask(id, job.names().instance(), waiting, memory));
      }
      return memory.trouble;
    }
  }

  /** Wants a pod and has none that is ready. */
  private static boolean isWaiting(GenericKubernetesResource deployment) {
    return deployment.getMetadata().getDeletionTimestamp() == null
        && number(deployment, "spec", "replicas", 1) > 0
        && number(deployment, "status", "readyReplicas", 0) == 0;
  }

  private static long number(
      GenericKubernetesResource object, String block, String field, long otherwise) {
    return object.get(block, field) instanceof Number number ? number.longValue() : otherwise;
  }

  /** Another spec means another pod. */
  private static String version(GenericKubernetesResource deployment) {
    ObjectMeta metadata = deployment.getMetadata();
    return metadata.getUid() + " " + metadata.getGeneration();
  }

  private static Instant createdAt(GenericKubernetesResource deployment, Instant now) {
    String text = deployment.getMetadata().getCreationTimestamp();
    try {
      return text == null ? now : Instant.parse(text);
    } catch (DateTimeException noTime) {
      return now;
    }
  }

  /** A job has one look to come, whatever else makes it be looked at. */
  private void lookAgain(ResourceID job, Memory memory, Duration delay) {
    if (memory.lookPlanned) {
      return;
    }
    memory.lookPlanned = true;
    background.schedule(
        () -> {
          synchronized (memory) {
            memory.lookPlanned = false;
          }
          enqueue.accept(job);
        },
        delay.toMillis() + 1,
        TimeUnit.MILLISECONDS);
  }

  private void ask(ResourceID job, String instance, String deployment, Memory memory) {
    String namespace = job.getNamespace().orElse("");
    TensorboardTrouble found = null;
    boolean answered = false;
    try {
      found = TensorboardTrouble.of(source.pods(namespace, instance));
      answered = true;
    } catch (KubernetesClientException refusal) {
      LOG.debugf(
          "job %s/%s: pods of its TensorBoard: %s",
          namespace, job.getName(), Refusals.message(refusal));
    } catch (RuntimeException unexpected) { // Else this TensorBoard would never be asked for again.
      LOG.warnf(
          unexpected,
          "job %s/%s: pods of its TensorBoard cannot be read; they are asked for again",
          namespace,
          job.getName());
    }
    synchronized (memory) {
      memory.asking = false;
      boolean stillAsked = deployment.equals(memory.deployment);
      if (!stillAsked || !answered || Objects.equals(found, memory.trouble)) {
        lookAgain(job, memory, Duration.between(clock.instant(), memory.next));
        return;
      }
      memory.trouble = found;
    }
    enqueue.accept(job);
  }
}
