package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.ReportGap;
import dev.tensorstack.training.core.pod.ProgressEndpoint;
import dev.tensorstack.training.core.pod.ProgressEndpointSource;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the trainings' reports could be heard. What could not be heard for a reason that is the
 * operator's is no hang: nobody listened, pods were not told where to report or trust another
 * authority, or reports were turned away. Safe for use by several threads.
 */
public final class ReportAvailability {

  private final Clock clock;
  private final Leadership leadership;
  private final ProgressEndpointSource endpoint;
  private final BooleanSupplier listens;
  private volatile @Nullable Instant missed;
  private volatile @Nullable Instant firstHeard;

  /**
   * Hears all from now on.
   *
   * @param clock the time
   * @param leadership says since when this process works on jobs, and how long nobody did before
   * @param endpoint says where trainings report
   * @param listens whether this process listens there
   */
  public ReportAvailability(
      Clock clock,
      Leadership leadership,
      ProgressEndpointSource endpoint,
      BooleanSupplier listens) {
    this.listens = listens;
    this.clock = clock;
    this.leadership = leadership;
    this.endpoint = endpoint;
  }

  /** A report may have been turned away that somebody was entitled to send. */
  public void missed() {
    missed = clock.instant();
  }

  /**
   * Looks whether reports can be heard. To be called every few seconds: what nobody has looked at
   * would be forgotten.
   *
   * @return since when all reports have been heard without a break; null when they are not heard
   */
  public @Nullable Instant heardSince() {
    Instant now = clock.instant();
    if (!leadership.leads()) {
      return null;
    }
    if (endpoint.get() == null || !listens.getAsBoolean()) {
      missed = now;
      firstHeard = null;
      return null;
    }
    Instant first = firstHeard == null ? now : firstHeard;
    firstHeard = first;
    Instant last = missed;
    return last == null || last.isBefore(first) ? first : last;
  }

  /**
   * When reports of a job could not be heard last.
   *
   * @param pods the pods that are to report
   * @param since since when the caches know the job's kind: before, reports find no job
   * @return the time; null when it never was so
   */
  @Nullable ReportGap of(Collection<Pod> pods, Instant since) {
    Instant now = clock.instant();
    ProgressEndpoint present = endpoint.get();
    if (present == null || !listens.getAsBoolean()) {
      missed = now;
      return new ReportGap(Instant.MIN, now);
    }
    if (!leadership.leads() || !areTold(pods, present)) {
      return new ReportGap(Instant.MIN, now);
    }
    ReportGap before = leadership.gap();
    Instant lastMissed = missed;
    if (lastMissed != null) {
      return new ReportGap(Instant.MIN, lastMissed.isAfter(since) ? lastMissed : since);
    }
    return before == null
        ? null
        : new ReportGap(
            before.from(),
            before.until().isAfter(since) ? before.until() : since,
            before.heardSince());
  }

  /** All of them: which one reports is the training's own business. */
  private static boolean areTold(Collection<Pod> pods, ProgressEndpoint present) {
    return pods.stream()
        .allMatch(
            pod -> {
              Map<String, String> labels = pod.getMetadata().getLabels();
              return labels != null
                  && present.fingerprint().equals(labels.get(ProgressEndpoint.TOLD));
            });
  }
}
