package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.ReportGap;
import dev.tensorstack.training.core.pod.ProgressEndpoint;
import dev.tensorstack.training.core.pod.ProgressEndpointSource;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the trainings' reports could be heard. What could not be heard for a reason that is the
 * operator's is no hang: nobody listened, pods were not told where to report or trust another
 * authority, or reports were turned away. Safe for use by several threads.
 */
public final class ReportAvailability {

  /** Of addresses whose requests were turned away last. */
  private static final int KEPT = 10_000;

  /** A look every few seconds that comes later than this: the process stood still, or the clock. */
  private static final Duration STANDSTILL = Duration.ofSeconds(10);

  private final Clock clock;
  private final Leadership leadership;
  private final ProgressEndpointSource endpoint;
  private final BooleanSupplier listens;
  private final Map<String, Instant> missedFrom =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
          return size() > KEPT;
        }
      };

  private volatile @Nullable Instant missed;
  private volatile @Nullable Instant firstHeard;
  private @Nullable Instant lastLook;
  private @Nullable String fingerprint;
  private Instant fingerprintSince = Instant.MIN;

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

  /** A report may have been turned away, of anybody. */
  public void missed() {
    missed = clock.instant();
  }

  /**
   * A report may have been turned away that came from an address.
   *
   * @param address the IP address of a pod, or of the node whose network it uses
   */
  public void missed(String address) {
    synchronized (missedFrom) {
      missedFrom.put(address, clock.instant());
    }
  }

  /**
   * Looks whether reports can be heard. To be called every few seconds: what nobody has looked at
   * would be forgotten.
   *
   * @return since when all reports have been heard without a break; null when they are not heard
   */
  public synchronized @Nullable Instant heardSince() {
    Instant now = clock.instant();
    Instant before = lastLook;
    lastLook = now;
    if (!leadership.leads()) {
      return null;
    }
    ProgressEndpoint present = endpoint.get();
    if (present == null || !listens.getAsBoolean()) {
      missed = now;
      firstHeard = null;
      return null;
    }
    if (before != null && (now.isBefore(before) || now.isAfter(before.plus(STANDSTILL)))) {
      missed = now;
    }
    learn(present, now);
    Instant first = firstHeard == null ? now : firstHeard;
    firstHeard = first;
    Instant last = missed;
    return last == null || last.isBefore(first) ? first : last;
  }

  /** Pods that were told something else could not report until they are heard again. */
  private void learn(ProgressEndpoint present, Instant now) {
    String told = present.fingerprint();
    if (!told.equals(fingerprint)) {
      missed = fingerprint == null ? missed : now;
      fingerprint = told;
      fingerprintSince = now;
    }
  }

  /**
   * When reports of a job could not be heard last.
   *
   * @param pods the pods that are to report
   * @param lastReport when the job's present attempt has reported last; null when it has not: that
   *     it is heard says more than what its pods were told
   * @param since since when the caches know the job's kind: before, reports find no job
   * @return the time; null when it never was so
   */
  @Nullable ReportGap of(Collection<Pod> pods, @Nullable Instant lastReport, Instant since) {
    Instant now = clock.instant();
    ProgressEndpoint present = endpoint.get();
    if (present == null || !listens.getAsBoolean()) {
      missed = now;
      return new ReportGap(Instant.MIN, now);
    }
    if (!leadership.leads() || !(isHeard(present, lastReport, now) || areTold(pods, present))) {
      return new ReportGap(Instant.MIN, now);
    }
    ReportGap before = leadership.gap();
    Instant lastMissed = later(missed, missedFrom(pods));
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

  private synchronized boolean isHeard(
      ProgressEndpoint present, @Nullable Instant lastReport, Instant now) {
    learn(present, now);
    return lastReport != null && lastReport.isAfter(fingerprintSince);
  }

  /** All of them: which one reports is the training's own business. */
  private static boolean areTold(Collection<Pod> pods, ProgressEndpoint present) {
    String wanted = present.fingerprint();
    return pods.stream()
        .allMatch(
            pod -> {
              Map<String, String> labels = pod.getMetadata().getLabels();
              return labels != null && wanted.equals(labels.get(ProgressEndpoint.TOLD));
            });
  }

  private @Nullable Instant missedFrom(Collection<Pod> pods) {
    Instant last = null;
    synchronized (missedFrom) {
      if (missedFrom.isEmpty()) {
        return null;
      }
      for (Pod pod : pods) {
        if (pod.getStatus() != null) {
          last = later(last, missedFrom.get(String.valueOf(pod.getStatus().getPodIP())));
          last = later(last, missedFrom.get(String.valueOf(pod.getStatus().getHostIP())));
        }
      }
    }
    return last;
  }

  private static @Nullable Instant later(@Nullable Instant a, @Nullable Instant b) {
    return a == null || (b != null && b.isAfter(a)) ? b : a;
  }
}
