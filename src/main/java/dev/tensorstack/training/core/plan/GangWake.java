package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.GangWakes;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Wakes gangs that wait where their scheduler does not look at them again by itself: the
 * coscheduling plugin refuses a gang for which there is no room, and asks to be called again when a
 * pod is added or a PodGroup changes, not when room comes. Any change of any PodGroup makes it look
 * at all gangs, and then their priority decides. So one gang that waits is touched for all
 * (docs/design/gang.md, The coscheduling plugin as it ran).
 */
public final class GangWake {

  /**
   * Between what makes room and the wake: the pods of a gang end one after the other, and a gang
   * that is woken too early stays behind one that needs less.
   */
  static final Duration SETTLE = Duration.ofSeconds(1);

  /** Between two wakes, however often room comes. */
  static final Duration AT_LEAST = Duration.ofSeconds(3);

  /**
   * For room that nobody has seen. By then the scheduler's pods have no backoff to wait for, which
   * is 10 seconds at most; one that has may be placed after one of a lower priority.
   */
  static final Duration PACE = Duration.ofSeconds(30);

  /** The gangs that wait shall not all write before one sees what another did. */
  static final Duration SPREAD = Duration.ofMillis(500);

  /** The same where nobody waits for the wake. */
  static final Duration WIDE_SPREAD = Duration.ofSeconds(5);

  private GangWake() {}

  /**
   * Whether pods of a job wait for a scheduler that has to be woken.
   *
   * @param scheduler the job's scheduler
   * @param pods its pods
   * @return true when one of them has no node
   */
  public static boolean isWaiting(GangScheduler scheduler, List<ObservedPod> pods) {
    return scheduler.hasToBeWoken() && pods.stream().anyMatch(GangWake::waits);
  }

  private static boolean waits(ObservedPod pod) {
    return pod.live() && !pod.gated() && pod.node() == null;
  }

  /** Adds a wake to a plan, or the moment at which to decide on it. */
  static Plan complete(Observation seen, Plan plan, Instant now) {
    ObjectKind kind = seen.dependents().podGroupKind();
    if (kind == null
        || plan.stage() != Plan.Stage.ACTIVE
        || !isWaiting(seen.job().spec().scheduler(), seen.pods())
        // The last pod of a gang makes the scheduler look, without anybody's help.
        || plan.actions().stream().anyMatch(PlannedAction.CreatePod.class::isInstance)) {
      return plan;
    }
    GenericKubernetesResource group = seen.dependents().find(kind, seen.job().names().podGroup());
    if (group == null || group.getMetadata().getDeletionTimestamp() != null) {
      return plan;
    }
    Instant due = due(seen, group, now);
    return now.isBefore(due)
        ? plan.notLaterThan(due)
        : plan.with(
                List.of(
                    new PlannedAction.WakeGang(
                        kind,
                        group.getMetadata().getName(),
                        group.getMetadata().getUid(),
                        now.truncatedTo(ChronoUnit.MILLIS))))
            // Should the write be lost.
            .notLaterThan(now.plus(PACE));
  }

  private static Instant due(Observation seen, GenericKubernetesResource group, Instant now) {
    GangWakes wakes = seen.dependents().gangWakes();
    // One that lies ahead was written under another clock.
    Instant last =
        wakes.last() == null || wakes.last().isAfter(now.plus(AT_LEAST)) ? null : wakes.last();
    // Until then the scheduler has looked: it does when the last pod comes.
    Instant looked = latest(created(group), last);
    for (ObservedPod pod : seen.pods()) {
      looked = waits(pod) ? latest(looked, pod.createdAt()) : looked;
    }
    String uid = group.getMetadata().getUid();
    Instant room = wakes.room();
    Instant slowly =
        Objects.requireNonNullElse(looked, now).plus(PACE).plus(share(uid, WIDE_SPREAD));
    if (room != null && (looked == null || room.isAfter(looked))) {
      Instant soon = room.plus(SETTLE);
      Instant allowed = last == null ? soon : last.plus(AT_LEAST);
      Instant due = (allowed.isAfter(soon) ? allowed : soon).plus(share(uid, SPREAD));
      // Where room comes all the time it never settles.
      return due.isBefore(slowly) ? due : slowly;
    }
    return slowly;
  }

  /** The same for the same group. */
  private static Duration share(String uid, Duration spread) {
    return Duration.ofMillis(Math.floorMod(uid.hashCode(), (int) spread.toMillis()));
  }

  private static @Nullable Instant created(GenericKubernetesResource group) {
    String text = group.getMetadata().getCreationTimestamp();
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeParseException notATime) {
      return null;
    }
  }

  private static @Nullable Instant latest(@Nullable Instant a, @Nullable Instant b) {
    return a == null || (b != null && b.isAfter(a)) ? b : a;
  }
}
