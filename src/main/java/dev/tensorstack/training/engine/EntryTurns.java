package dev.tensorstack.training.engine;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * In which order jobs get their first entry in a queue. A queue takes the oldest entry first, the
 * API server says which is the oldest, to the second, and jobs are worked on at the same time: on a
 * busy machine a job would get its entry before one that came seconds earlier. So it waits for
 * those that came before, for a short time: one that cannot get an entry holds up nobody.
 */
final class EntryTurns {

  /** How long a job waits for one that came before it. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** What is not heard of any more is forgotten. */
  private static final Duration KNOWN_FOR = Duration.ofMinutes(1);

  private final Clock clock;
  private final Consumer<ResourceID> enqueue;

  /** By queue; guarded by this object. */
  private final Map<String, Map<ResourceID, Entrant>> entrants = new HashMap<>();

  /** A job that is to get an entry; made when, and first seen when. */
  private static final class Entrant {
    private final ResourceID job;
    private final Instant created;
    private final Instant seen;
    private boolean waits;

    Entrant(ResourceID job, Instant created, Instant seen) {
      this.job = job;
      this.created = created;
      this.seen = seen;
    }

    /** Whether others wait for it; not for one that was created long ago, and is resumed. */
    boolean holdsUp(Instant now) {
      return now.isBefore(seen.plus(PATIENCE))
          && now.isBefore(created.plus(PATIENCE.multipliedBy(2)));
    }
  }

  /**
   * Nobody has come yet.
   *
   * @param enqueue is told the jobs whose turn has come
   */
  EntryTurns(Clock clock, Consumer<ResourceID> enqueue) {
    this.clock = clock;
    this.enqueue = enqueue;
  }

  /**
   * Whether a job that has no entry may get one now. Otherwise it is told when it may, unless that
   * is only because others have taken too long: it has to ask again itself.
   *
   * @param queue the queue, with its namespace
   * @param created when the job was created
   */
  synchronized boolean isTurn(String queue, ResourceID job, Instant created) {
    Instant now = clock.instant();
    Map<ResourceID, Entrant> others = entrants.computeIfAbsent(queue, any -> new HashMap<>());
    others.values().removeIf(one -> !now.isBefore(one.seen.plus(KNOWN_FOR)));
    Instant second = created.truncatedTo(ChronoUnit.SECONDS);
    Entrant entrant =
        others.compute(
            job,
            (id, known) ->
                known != null && known.created.equals(second)
                    ? known
                    : new Entrant(id, second, now));
    entrant.waits = earliest(others, now).isBefore(second);
    return !entrant.waits;
  }

  /** When the first of those was created for whom others wait; after all when there is none. */
  private static Instant earliest(Map<ResourceID, Entrant> entrants, Instant now) {
    return entrants.values().stream()
        .filter(one -> one.holdsUp(now))
        .map(one -> one.created)
        .min(Comparator.naturalOrder())
        .orElse(Instant.MAX);
  }

  /**
   * A job has an entry, or needs none.
   *
   * @param queue the queue, with its namespace
   */
  void entered(String queue, ResourceID job) {
    next(queue, job).forEach(enqueue);
  }

  private synchronized List<ResourceID> next(String queue, ResourceID job) {
    Map<ResourceID, Entrant> others = entrants.get(queue);
    if (others == null || others.remove(job) == null) {
      return List.of();
    }
    if (others.isEmpty()) {
      entrants.remove(queue);
      return List.of();
    }
    Instant earliest = earliest(others, clock.instant());
    List<ResourceID> next = new ArrayList<>();
    for (Entrant one : others.values()) {
      if (one.waits && !earliest.isBefore(one.created)) {
        one.waits = false;
        next.add(one.job);
      }
    }
    return next;
  }
}
