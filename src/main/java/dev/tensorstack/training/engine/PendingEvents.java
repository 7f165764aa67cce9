package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.report.JobEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The events of one job that the API server could not take. Large clusters store events apart, and
 * that store may be away by itself: it must not hold up what is decided about jobs.
 */
final class PendingEvents {

  /** A store that is away is asked again after so long; each try may last until it times out. */
  static final Duration BETWEEN_TRIES = Duration.ofSeconds(5);

  /** The events of more attempts than anybody will read. */
  private static final int MOST = 50;

  private record Key(String reason, int attempt) {}

  private final Map<Key, JobEvent> pending = new LinkedHashMap<>();
  private Instant retryAt = Instant.MIN;

  /**
   * Adds events to those that are pending.
   *
   * @param news events in their order; one of a reason and attempt takes the place of an earlier
   * @param now the present time
   * @return all that are to be written now; empty while it is not yet time to try again
   */
  synchronized List<JobEvent> with(List<JobEvent> news, Instant now) {
    if (pending.isEmpty()) {
      return news;
    }
    news.forEach(this::keep);
    if (now.isBefore(retryAt) && !retryAt.isAfter(now.plus(BETWEEN_TRIES))) {
      return List.of();
    }
    return new ArrayList<>(pending.values());
  }

  private void keep(JobEvent event) {
    Key key = new Key(event.reason(), event.attempt());
    if (pending.size() >= MOST && !pending.containsKey(key)) {
      pending.remove(pending.keySet().iterator().next());
    }
    pending.put(key, event);
  }

  /** The API server has taken all. */
  synchronized void written() {
    pending.clear();
  }

  /**
   * The API server has not taken all.
   *
   * @param events what was to be written; what it has taken all the same is recognised next time
   * @param now the present time
   */
  synchronized void refused(List<JobEvent> events, Instant now) {
    events.forEach(this::keep);
    retryAt = now.plus(BETWEEN_TRIES);
  }

  /**
   * When to look again because of them.
   *
   * @return zero when none is pending
   */
  synchronized Duration untilNextTry(Instant now) {
    if (pending.isEmpty()) {
      return Duration.ZERO;
    }
    Duration wait = Duration.between(now, retryAt);
    return wait.isNegative() || wait.compareTo(BETWEEN_TRIES) > 0 ? BETWEEN_TRIES : wait;
  }
}
