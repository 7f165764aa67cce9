package dev.tensorstack.training.engine;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.GangFacts;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What the cluster says of PodGroups that wait, beside themselves: the queues of their scheduler,
 * and the events about them. Neither is watched. Queues are listed, at most once in 30 seconds for
 * all jobs; the events of a PodGroup are asked for less and less often while it waits. Nothing here
 * waits; who asks is told when there is an answer.
 */
final class GangFactsSource {

  private static final Logger LOG = Logger.getLogger(GangFactsSource.class);

  private static final ClusterFacts.Words<Queues> WORDS =
      new ClusterFacts.Words<>(
          "queues of gang schedulers may not be listed: a job whose gang waits does not say what its"
              + " queue lacks. Allow the operator to list queues.scheduling.volcano.sh, as the chart"
              + " does with rbac.podGroups.volcano and rbac.nodes",
          "queues of gang schedulers cannot be listed just now",
          new Queues(null));

  /** Before that, a gang that fits has started. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(30);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

  /**
   * A scheduler that repeats itself all the time is slowed down to one event in five minutes, by
   * the client libraries of Kubernetes; what it does not repeat is over.
   */
  private static final Duration VALID = Duration.ofMinutes(6);

  private static final long PAGE = 100;
  private static final int LONGEST_MESSAGE = 400;

  private final Source source;
  private final GangQueues queues;
  private final Clock clock;
  private final Consumer<ResourceID> enqueue;
  private final ClusterFacts.Background background;
  private final Map<ObjectKind, ClusterFacts<Queues>> queueFacts = new ConcurrentHashMap<>();
  private final Map<ResourceID, Waiting> waiting = new ConcurrentHashMap<>();
  private final Set<ResourceID> looks = ConcurrentHashMap.newKeySet();

  /** Where events come from. */
  interface Source {
    /**
     * Events about an object.
     *
     * @throws KubernetesClientException when the API server refuses or is away
     */
    EventList about(String namespace, String uid);
  }

  /** By name; null when they may not be listed. */
  private record Queues(@Nullable Map<String, GangFacts.Queue> byName) {}

  /** What is known of a PodGroup; guarded by itself. */
  private static final class Waiting {
    private final String uid;
    private @Nullable List<GangFacts.Said> said;
    private boolean asking;
    private Instant next = Instant.MIN;
    private Duration pause = FIRST_PAUSE;

    /** Read without the lock as well. */
    private volatile Instant seen;

    private Waiting(String uid, Instant seen) {
      this.uid = uid;
      this.seen = seen;
    }
  }

  /**
   * The facts of a cluster.
   *
   * @param queues the queues, which all kinds of jobs share
   * @param enqueue is told the jobs of which more is known now, or may be asked now
   */
  GangFactsSource(
      KubernetesClient client, GangQueues queues, Clock clock, Consumer<ResourceID> enqueue) {
    this(
        (namespace, uid) ->
            client
                .v1()
                .events()
                .inNamespace(namespace)
                .list(
                    new ListOptionsBuilder()
                        .withFieldSelector("involvedObject.uid=" + uid)
                        .withLimit(PAGE)
                        .build()),
        queues,
        clock,
        enqueue,
        ClusterFacts.threads("gang-facts"));
  }

  GangFactsSource(
      Source source,
      GangQueues queues,
      Clock clock,
      Consumer<ResourceID> enqueue,
      ClusterFacts.Background background) {
    this.source = source;
    this.queues = queues;
    this.clock = clock;
    this.enqueue = enqueue;
    this.background = background;
  }

  /**
   * What is known; asks in the background when it is time.
   *
   * @param job who wants to know
   * @param podGroup its PodGroup; null when there is none
   * @return nothing for a group that does not wait, and as long as nothing is known
   */
  GangFacts of(
      ResourceID job, GangScheduler scheduler, @Nullable GenericKubernetesResource podGroup) {
    if (podGroup == null || !scheduler.asksForFacts(podGroup)) {
      waiting.remove(job);
      return GangFacts.NONE;
    }
    Duration toCome = untilAsked(podGroup);
    if (!toCome.isNegative()) {
      waiting.put(job, new Waiting(podGroup.getMetadata().getUid(), clock.instant()));
      later(job, toCome);
      return GangFacts.NONE;
    }
    ObjectKind kind = scheduler.queueKind();
    Queues known =
        kind == null
            ? null
            : queueFacts
                .computeIfAbsent(
                    kind,
                    any ->
                        new ClusterFacts<>(
                            () -> new Queues(queues.list(scheduler)),
                            WORDS,
                            clock,
                            enqueue,
                            background))
                .of(job, any -> true);
    List<GangFacts.Said> said = said(job, podGroup.getMetadata().getUid());
    // No watch tells of another queue.
    later(job, ClusterFacts.VALID);
    boolean beingAsked = said == null || (kind != null && known == null);
    return new GangFacts(
        known == null ? null : known.byName(),
        requireNonNullElse(said, List.<GangFacts.Said>of()),
        beingAsked);
  }

  /** How long the scheduler may still think about a group; negative when that is over. */
  private Duration untilAsked(GenericKubernetesResource podGroup) {
    Instant created = Instant.parse(podGroup.getMetadata().getCreationTimestamp());
    Duration toCome = Duration.between(clock.instant(), created.plus(PATIENCE));
    // The API server has a clock of its own.
    return toCome.compareTo(PATIENCE) > 0 ? PATIENCE : toCome;
  }

  /** What events say; null before the first answer. */
  private @Nullable List<GangFacts.Said> said(ResourceID job, String uid) {
    Instant now = clock.instant();
    Waiting group =
        waiting.compute(
            job,
            (any, before) ->
                before != null && before.uid.equals(uid) ? before : new Waiting(uid, now));
    synchronized (group) {
      group.seen = now;
      if (!group.asking && !now.isBefore(group.next)) {
        group.asking = true;
        background.run(() -> ask(job, group), Duration.ZERO);
      }
      return group.said;
    }
  }

  /** A job has one look to come at most, whatever it is for. */
  private void later(ResourceID job, Duration delay) {
    if (looks.add(job)) {
      background.run(
          () -> {
            looks.remove(job);
            if (waiting.containsKey(job)) {
              enqueue.accept(job);
            }
          },
          delay.plusMillis(1));
    }
  }

  private void ask(ResourceID job, Waiting group) {
    List<GangFacts.Said> said = null;
    try {
      said = read(source.about(job.getNamespace().orElse(""), group.uid));
    } catch (KubernetesClientException refusal) {
      if (refusal.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        LOG.debug("events may not be read: jobs do not say what their gang scheduler says there");
      } else {
        LOG.debugf("events about the PodGroup of %s: %s", job, Refusals.message(refusal));
      }
    }
    boolean news;
    synchronized (group) {
      List<GangFacts.Said> before = group.said;
      if (said != null || before == null) {
        group.said = requireNonNullElse(said, List.<GangFacts.Said>of());
      }
      news =
          before == null || !words(before).equals(words(requireNonNullElse(group.said, List.of())));
      group.asking = false;
      group.next = clock.instant().plus(group.pause);
      Duration doubled = group.pause.multipliedBy(2);
      group.pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }
    // Nobody looks at a job that was deleted.
    Instant longAgo = clock.instant().minus(LONGEST_PAUSE.multipliedBy(2));
    waiting.values().removeIf(other -> other.seen.isBefore(longAgo));
    // A job that is gone, or does not wait any more, is not looked at because of this.
    if (news && waiting.get(job) == group) {
      enqueue.accept(job);
    }
  }

  private static List<String> words(List<GangFacts.Said> said) {
    return said.stream()
        .map(one -> one.type() + " " + one.reason() + " " + one.message())
        .sorted()
        .toList();
  }

  private List<GangFacts.Said> read(EventList events) {
    Map<String, GangFacts.Said> latest = new HashMap<>();
    Instant notBefore = clock.instant().minus(VALID);
    for (Event event : events.getItems()) {
      Instant time = PodEventReader.time(event);
      String message = requireNonNullElse(event.getMessage(), "").strip();
      if (time == null || time.isBefore(notBefore) || message.isEmpty()) {
        continue;
      }
      GangFacts.Said said =
          new GangFacts.Said(
              requireNonNullElse(event.getType(), ""),
              requireNonNullElse(event.getReason(), ""),
              message.length() > LONGEST_MESSAGE
                  ? message.substring(0, LONGEST_MESSAGE - 1) + "…"
                  : message,
              time);
      latest.merge(
          said.type() + " " + said.reason(),
          said,
          (one, other) -> other.time().isAfter(one.time()) ? other : one);
    }
    return new ArrayList<>(latest.values());
  }
}
