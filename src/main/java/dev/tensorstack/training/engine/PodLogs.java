package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.FailureText;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.PodFailure;
import dev.tensorstack.training.core.policy.TerminationMessage;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What torchrun's processes wrote last, of pods whose status does not say why they failed: a
 * kubelet tells the last 2,048 bytes of a log, and torchrun's own report, which comes last, takes
 * most of them. The end of the log is read until one pod says what went wrong. Nothing here waits;
 * who asks is told when there is an answer.
 */
final class PodLogs {

  private static final Logger LOG = Logger.getLogger(PodLogs.class);

  /** A traceback for each of eight processes, and torchrun's report of them, take half of it. */
  private static final int LINES = 1_000;

  private static final int LESS_LINES = 100;
  private static final int BYTES = 1 << 20;

  /** Of a failure of longer ago somebody has decided. */
  private static final Duration RECENT = Duration.ofMinutes(2);

  private static final int AT_ONCE = 8;
  private static final int OF_ONE_JOB = 16;

  private static final FailureText NOTHING =
      new FailureText(null, FailureText.Origin.UNKNOWN, null);

  private final Source source;
  private final Clock clock;
  private final Consumer<ResourceID> enqueue;
  private final Executor background;
  private final Set<String> forbidden = ConcurrentHashMap.newKeySet();

  /** Where logs come from. */
  interface Source {
    /**
     * The end of a log.
     *
     * @param lines how many lines, at most
     * @param bytes how many bytes of these, the first ones, at most
     * @throws KubernetesClientException when it cannot be had
     */
    String end(String namespace, String pod, String container, int lines, int bytes);
  }

  /** What was read of one job's pods; guarded by itself. */
  static final class Memory {
    private final Map<String, FailureText> words = new HashMap<>();
    private final Set<String> asked = new HashSet<>();
  }

  /**
   * What is known of a job's pods.
   *
   * @param words what their logs say, by uid
   * @param beingRead the uids of those whose logs will be read within moments
   */
  record Known(Map<String, FailureText> words, Set<String> beingRead) {
    static final Known NOTHING = new Known(Map.of(), Set.of());
  }

  /**
   * Logs of pods.
   *
   * @param enqueue is told the jobs of which more is known now
   */
  PodLogs(KubernetesClient client, Clock clock, Consumer<ResourceID> enqueue) {
    this(
        (namespace, pod, container, lines, bytes) ->
            client
                .pods()
                .inNamespace(namespace)
                .withName(pod)
                .inContainer(container)
                .limitBytes(bytes)
                .tailingLines(lines)
                .getLog(),
        clock,
        enqueue,
        DaemonThreads.upTo(AT_ONCE, "pod-logs"));
  }

  PodLogs(Source source, Clock clock, Consumer<ResourceID> enqueue, Executor background) {
    this.source = source;
    this.clock = clock;
    this.enqueue = enqueue;
    this.background = background;
  }

  /**
   * What is known of a job's pods; asks for what is not, in the background.
   *
   * @param pods its pods
   * @param memory what was read of them before
   */
  Known of(TrainingJob job, Collection<ObservedPod> pods, Memory memory) {
    if (job.spec().torchrun() == null) {
      return Known.NOTHING;
    }
    synchronized (memory) {
      Set<String> present = new HashSet<>();
      pods.forEach(pod -> present.add(pod.uid()));
      memory.words.keySet().retainAll(present);
      memory.asked.retainAll(present);
      Map<String, FailureText> words = Map.copyOf(memory.words);
      List<ObservedPod> open = job.ledger().outcome() == null ? open(job, pods, words) : List.of();
      Set<String> beingRead = new HashSet<>();
      for (ObservedPod pod : open) {
        beingRead.add(pod.uid());
        if (memory.asked.size() - words.size() < OF_ONE_JOB && memory.asked.add(pod.uid())) {
          background.execute(() -> read(job, pod, memory));
        }
      }
      return new Known(words, beingRead);
    }
  }

  /** The pods of which is to be known more: none when one says what went wrong. */
  private List<ObservedPod> open(
      TrainingJob job, Collection<ObservedPod> pods, Map<String, FailureText> words) {
    Instant longAgo = clock.instant().minus(RECENT);
    List<ObservedPod> open = new ArrayList<>();
    for (ObservedPod pod : pods) {
      if (pod.phase() != ObservedPod.Phase.FAILED
          || !pod.endedByItself()
          || PodFailure.isDisrupted(pod)
          || pod.attempt() < job.ledger().counts().attempt()
          || !endedAfter(pod, longAgo)) {
        continue;
      }
      ObservedContainer unexplained = PodFailure.unexplained(pod);
      FailureText read = words.get(pod.uid());
      boolean explained =
          read == null ? unexplained == null : read.origin() == FailureText.Origin.OWN;
      if (explained) {
        return List.of();
      }
      if (read == null && pod.lostSince() == null) {
        open.add(pod);
      }
    }
    // What has lost a peer says so; it is least likely to be what failed first.
    open.sort(Comparator.comparing(pod -> TerminationMessage.of(message(pod)).origin()));
    return open;
  }

  private static boolean endedAfter(ObservedPod pod, Instant moment) {
    return pod.containers().stream()
        .map(ObservedContainer::finishedAt)
        .anyMatch(end -> end != null && end.isAfter(moment));
  }

  private static @Nullable String message(ObservedPod pod) {
    ObservedContainer container = PodFailure.unexplained(pod);
    return container == null ? null : container.message();
  }

  private void read(TrainingJob job, ObservedPod pod, Memory memory) {
    FailureText words = NOTHING;
    try {
      words = TerminationMessage.of(end(job, pod));
    } catch (KubernetesClientException refusal) {
      if (refusal.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        if (forbidden.add(job.namespace())) {
          LOG.infof(
              "logs in namespace %s may not be read: jobs may name a pod that merely lost its peer",
              job.namespace());
        }
      } else {
        LOG.debugf("log of pod %s: %s", pod.name(), Refusals.message(refusal));
      }
    } finally {
      synchronized (memory) {
        memory.words.put(pod.uid(), words);
      }
      enqueue.accept(new ResourceID(job.name(), job.namespace()));
    }
  }

  private String end(TrainingJob job, ObservedPod pod) {
    String container = Objects.requireNonNull(PodFailure.unexplained(pod)).name();
    String end = source.end(job.namespace(), pod.name(), container, LINES, BYTES);
    // The bytes are counted from the first of the lines.
    return end.length() < BYTES / 2
        ? end
        : source.end(job.namespace(), pod.name(), container, LESS_LINES, BYTES);
  }
}
