package dev.tensorstack.training.runtime;

import dev.tensorstack.training.core.naming.Metric;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.engine.Leadership;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What keeps kinds from being worked on: told in the log and by an event when it changes, shown by
 * a metric and by the readiness probe's answer.
 */
public final class KindStates {

  private static final Logger LOG = Logger.getLogger(KindStates.class);

  /** The reason of the event. */
  static final String REASON = "KindNotWorkedOn";

  private final OperatorEvents events;
  private final Leadership leadership;
  private final Map<String, String> obstacles = new ConcurrentHashMap<>();
  private final Set<String> shown = ConcurrentHashMap.newKeySet();

  /**
   * No kind has an obstacle.
   *
   * @param events where a new obstacle is told
   * @param leadership says whether this process works on jobs
   */
  KindStates(OperatorEvents events, Leadership leadership) {
    this.events = events;
    this.leadership = leadership;
  }

  /**
   * Shows a kind as a metric.
   *
   * @param registry where it is shown
   * @param kind the kind's name
   */
  void register(MeterRegistry registry, String kind) {
    shown.add(kind);
    Gauge.builder(Metric.KIND_WAITS.meter(), this, states -> states.waits(kind) ? 1.0 : 0.0)
        .description(Metric.KIND_WAITS.description())
        .tag(Metric.KIND_LABEL, kind)
        .strongReference(true)
        .register(registry);
  }

  /**
   * Only the leader says it, as it alone asks again: what another one was told at its start may be
   * over for long. Where all kinds wait there is no election yet.
   */
  private boolean waits(String kind) {
    return obstacles.containsKey(kind)
        && (leadership.leads() || obstacles.keySet().containsAll(shown));
  }

  /**
   * Takes down how it stands with a kind.
   *
   * @param kind the kind of the jobs
   * @param obstacle why they cannot be worked on, with the remedy; null when they can
   * @return whether they can
   */
  boolean tell(ObjectKind kind, @Nullable String obstacle) {
    String before =
        obstacle == null ? obstacles.remove(kind.kind()) : obstacles.put(kind.kind(), obstacle);
    if (obstacle != null && !Objects.equals(before, obstacle)) {
      String message = "%s: its jobs are not worked on: %s".formatted(kind, obstacle);
      LOG.warn(message);
      events.warn(REASON, message);
    }
    return obstacle == null;
  }

  /**
   * The kinds that are not worked on, as the metric says it.
   *
   * @return why, by the kind's name; empty where another replica knows better
   */
  Map<String, String> obstacles() {
    Map<String, String> told = new HashMap<>(obstacles);
    told.keySet().removeIf(kind -> !waits(kind));
    return told;
  }
}
