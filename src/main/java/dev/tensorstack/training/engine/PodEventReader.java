package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedPod;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Why pods do not start that have a node: which ConfigMap, Secret or volume their kubelet lacks
 * stands in events alone, the pod says no more than ContainerCreating. Events are not watched,
 * there are too many of them: those of a namespace are asked for while a job there has such a pod,
 * less and less often. Nothing here waits; who asks is told when there is an answer.
 */
final class PodEventReader {

  private static final Logger LOG = Logger.getLogger(PodEventReader.class);

  /** An image may take as long; before that nobody wonders. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

  /** Kubelets repeat themselves within two minutes; what they do not repeat is over. */
  private static final Duration VALID = Duration.ofMinutes(5);

  private static final Set<String> STARTING = Set.of("ContainerCreating", "PodInitializing");

  private static final Set<String> TOLD =
      Set.of("FailedMount", "FailedAttachVolume", "FailedMapVolume", "FailedCreatePodSandBox");

  /** Says that some volume is missing, and not which object; others say it. */
  private static final String VAGUE = "Unable to attach or mount volumes";

  private static final long PAGE = 500;
  private static final int PAGES = 10;
  private static final int LONGEST_MESSAGE = 400;

  private final Source source;
  private final Clock clock;
  private final Consumer<ResourceID> enqueue;
  private final ScheduledExecutorService background;
  private final Map<String, Place> places = new ConcurrentHashMap<>();
  private final Set<ResourceID> waiting = ConcurrentHashMap.newKeySet();

  /** Where events come from. */
  interface Source {
    /**
     * Warnings about the pods of a namespace.
     *
     * @param next which page, as the page before has said; null for the first
     * @throws KubernetesClientException when the API server refuses or is away
     */
    EventList warnings(String namespace, @Nullable String next);
  }

  /** What is known of a namespace; guarded by itself. */
  private static final class Place {
    private final Map<ResourceID, Stuck> stuck = new HashMap<>();
    private Map<String, String> words = Map.of();
    private boolean asking;
    private Duration pause = PATIENCE;
    private Instant asked = Instant.EPOCH;
  }

  /** The pods of a job by uid, and when it was looked at last. */
  private record Stuck(Set<String> uids, Instant seen) {}

  private record Told(String words, Instant time) {}

  /**
   * A reader of events about pods.
   *
   * @param enqueue is told the jobs of which more is known now, or may be asked now
   */
  PodEventReader(KubernetesClient client, Clock clock, Consumer<ResourceID> enqueue) {
    this(
        (namespace, next) ->
            client
                .v1()
                .events()
                .inNamespace(namespace)
                .list(
                    new ListOptionsBuilder()
                        .withFieldSelector("involvedObject.kind=Pod,type=Warning")
                        .withLimit(PAGE)
                        .withContinue(next)
                        .build()),
        clock,
        enqueue);
  }

  PodEventReader(Source source, Clock clock, Consumer<ResourceID> enqueue) {
    this.source = source;
    this.clock = clock;
    this.enqueue = enqueue;
    this.background = new ScheduledThreadPoolExecutor(1, new DaemonThreads("pod-events"));
  }

  /**
   * What is known of a job's pods.
   *
   * @return words by uid; empty when all is well, or nothing is known yet
   */
  Map<String, String> of(ResourceID job, Collection<ObservedPod> pods) {
    Instant now = clock.instant();
    Set<String> stuck = new HashSet<>();
    Instant next = null;
    for (ObservedPod pod : pods) {
      if (isStarting(pod)) {
        Instant moment = pod.createdAt().plus(PATIENCE);
        if (!now.isBefore(moment)) {
          stuck.add(pod.uid());
        } else if (next == null || moment.isBefore(next)) {
          next = moment;
        }
      }
    }
    String namespace = job.getNamespace().orElse("");
    if (stuck.isEmpty()) {
      forget(namespace, job);
      if (next != null) {
        later(job, Duration.between(now, next));
      }
      return Map.of();
    }
    return words(places.computeIfAbsent(namespace, any -> new Place()), job, stuck, now);
  }

  private Map<String, String> words(Place place, ResourceID job, Set<String> stuck, Instant now) {
    Map<String, String> known = new HashMap<>();
    synchronized (place) {
      if (place.stuck.put(job, new Stuck(stuck, now)) == null) {
        place.pause = PATIENCE;
      }
      for (String uid : stuck) {
        String words = place.words.get(uid);
        if (words != null) {
          known.put(uid, words);
        }
      }
      Instant next = place.asked.plus(place.pause);
      if (!place.asking && !now.isBefore(next)) {
        place.asking = true;
        background.execute(() -> ask(job.getNamespace().orElse(""), place));
      } else if (!place.asking) {
        later(job, Duration.between(now, next));
      }
    }
    return known;
  }

  private void forget(String namespace, ResourceID job) {
    Place place = places.get(namespace);
    if (place == null) {
      return;
    }
    synchronized (place) {
      place.stuck.remove(job);
      if (place.stuck.isEmpty() && !place.asking) {
        places.remove(namespace, place);
      }
    }
  }

  /** A job has one look to come, whatever else makes it be looked at. */
  private void later(ResourceID job, Duration delay) {
    if (waiting.add(job)) {
      background.schedule(
          () -> {
            waiting.remove(job);
            enqueue.accept(job);
          },
          Math.max(0, delay.toMillis()) + 1,
          TimeUnit.MILLISECONDS);
    }
  }

  /** Bound, and neither an image nor a container has got so far as to be told of. */
  private static boolean isStarting(ObservedPod pod) {
    if (!pod.live()
        || pod.node() == null
        || pod.lostSince() != null
        || pod.phase() != ObservedPod.Phase.PENDING
        || pod.containers().isEmpty()) {
      return false;
    }
    for (ObservedContainer container : pod.containers()) {
      if (container.state() != ObservedContainer.State.WAITING
          || !STARTING.contains(Objects.requireNonNullElse(container.reason(), ""))) {
        return false;
      }
    }
    return true;
  }

  private void ask(String namespace, Place place) {
    Set<String> uids = new HashSet<>();
    synchronized (place) {
      place.stuck.values().forEach(stuck -> uids.addAll(stuck.uids()));
    }
    Map<String, String> words = null;
    try {
      words = read(namespace, uids);
    } catch (KubernetesClientException refusal) {
      if (refusal.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        LOG.infof(
            "events in namespace %s may not be read: jobs do not say which ConfigMap or Secret of a"
                + " volume is missing",
            namespace);
      } else {
        LOG.debugf("events in namespace %s: %s", namespace, Refusals.message(refusal));
      }
    }
    answered(namespace, place, words);
  }

  private void answered(String namespace, Place place, @Nullable Map<String, String> words) {
    Set<ResourceID> told;
    synchronized (place) {
      boolean news = words != null && !words.equals(place.words);
      if (words != null) {
        place.words = words;
      }
      Duration doubled = place.pause.multipliedBy(2);
      place.pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
      place.asked = clock.instant();
      place.asking = false;
      // A job that was deleted is not looked at any more.
      Instant longAgo = place.asked.minus(LONGEST_PAUSE.multipliedBy(2));
      place.stuck.values().removeIf(stuck -> stuck.seen().isBefore(longAgo));
      told = Set.copyOf(place.stuck.keySet());
      if (told.isEmpty()) {
        places.remove(namespace, place);
      }
      if (!news) {
        told.forEach(job -> later(job, place.pause));
        return;
      }
    }
    told.forEach(enqueue);
  }

  private Map<String, String> read(String namespace, Set<String> uids) {
    Map<String, Told> latest = new HashMap<>();
    String next = null;
    for (int page = 0; page < PAGES && (page == 0 || (next != null && !next.isEmpty())); page++) {
      EventList events = source.warnings(namespace, next);
      for (Event event : events.getItems()) {
        String uid = event.getInvolvedObject() == null ? null : event.getInvolvedObject().getUid();
        if (uid != null && uids.contains(uid) && TOLD.contains(event.getReason())) {
          keep(latest, uid, event);
        }
      }
      next = events.getMetadata() == null ? null : events.getMetadata().getContinue();
    }
    Map<String, String> words = new HashMap<>();
    latest.forEach((uid, told) -> words.put(uid, told.words()));
    return words;
  }

  private void keep(Map<String, Told> latest, String uid, Event event) {
    Instant time = time(event);
    String message = Objects.requireNonNullElse(event.getMessage(), "").strip();
    if (time == null || time.isBefore(clock.instant().minus(VALID)) || message.isEmpty()) {
      return;
    }
    String words =
        event.getReason()
            + ", "
            + (message.length() > LONGEST_MESSAGE
                ? message.substring(0, LONGEST_MESSAGE - 1) + "…"
                : message);
    Told before = latest.get(uid);
    boolean vague = message.startsWith(VAGUE);
    if (before == null
        || (before.words().contains(VAGUE) && !vague)
        || (before.words().contains(VAGUE) == vague && before.time().isBefore(time))) {
      latest.put(uid, new Told(words, time));
    }
  }

  /** When an event happened last; null when it does not say. */
  static @Nullable Instant time(Event event) {
    String text = event.getLastTimestamp();
    if (text == null && event.getEventTime() != null) {
      text = event.getEventTime().getTime();
    }
    if (text == null) {
      text = event.getMetadata().getCreationTimestamp();
    }
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeException noTime) {
      return null;
    }
  }
}
