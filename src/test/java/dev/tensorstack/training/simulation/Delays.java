package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.plan.PlannedAction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A pod that comes after a failure waits for its delay, and for no longer: counted restarts by one
 * row, disruptions that come fast by another, what is started again after success by its own.
 */
final class Delays {

  private final Map<String, Wait> waits = new HashMap<>();
  private final Map<ReplicaId, Integer> startedAgain = new HashMap<>();
  private final List<Wait> disruptions = new ArrayList<>();

  /** Two moments: the pod comes after the first; the status names none after the second. */
  private record Wait(Instant earliest, Instant latest, boolean disruption) {
    Wait and(Wait other) {
      return other == null
          ? this
          : new Wait(
              other.earliest.isBefore(earliest) ? other.earliest : earliest,
              other.latest.isAfter(latest) ? other.latest : latest,
              disruption || other.disruption);
    }
  }

  /** A status was stored. */
  void stored(JobLook look, Memory memory) {
    if (look.before.ended() || look.after.ended()) {
      return;
    }
    if (look.before.pausing() != look.after.pausing() || look.attempts() > 0) {
      startedAgain.clear();
    }
    Wait ofAll = null;
    if (look.trained()) {
      for (JobLook.Failure failure : look.failures(memory)) {
        if (look.attempts() > 0) {
          Wait wait = of(failure, look);
          ofAll = wait == null ? ofAll : wait.and(ofAll);
        } else if (look.replaced.contains(failure.id())) {
          put(failure.id(), look, of(failure, look));
        }
      }
      look.fates.forEach(
          (id, fate) -> {
            if (look.startsAgain(id, fate) && look.replaced.contains(id) && look.attempts() == 0) {
              again(id, fate, look);
            }
          });
      if (look.attempts() > 0) {
        for (ReplicaId id : look.after.replicas().keySet()) {
          put(id, look, ofAll);
        }
      }
      counted(look, memory);
    }
    check(look);
    if (look.before.debugging() != look.after.debugging()) {
      // What disrupted the pods of one mode delays none of the other's, nor when it comes back.
      disruptions.clear();
    }
  }

  /** One pod: in one of the kinds the pods of a replica have the same name, one after the other. */
  private static String key(Stated.Entry entry) {
    return key(entry.name(), entry.earlier());
  }

  private static String key(String name, int earlierPods) {
    return name + "/" + earlierPods;
  }

  /** A job that was paused goes on: none of its new pods waits for what was before. */
  void resumed() {
    waits.clear();
  }

  private void put(ReplicaId id, JobLook look, Wait wait) {
    Stated.Entry next = look.after.replicas().get(id);
    if (next != null && wait != null) {
      Stated.Entry was = look.entry(id);
      Wait old = was == null ? null : waits.get(key(was));
      // Those that wait already may go on to wait.
      boolean waited = old != null && was.uid() == null && old.latest.isAfter(wait.latest);
      waits.put(key(next), waited ? new Wait(wait.earliest, old.latest, false) : wait);
    }
  }

  private Wait of(JobLook.Failure failure, JobLook look) {
    Fate fate = failure.fate();
    if (fate.kind() == Fate.Kind.APPLICATION) {
      return look.backoffs() == 0
          ? null
          : new Wait(
              after(fate.from(), Contract.restartDelay(look.spentBefore() + 1), look),
              fate.until().plus(Contract.restartDelay(look.spent())),
              false);
    }
    if (look.disruptions() == 0) {
      return null;
    }
    int certainly = 1;
    int perhaps = look.disruptions();
    for (Wait earlier : disruptions) {
      certainly += within(earlier.earliest, look.now, Contract.CUT.negated()) ? 1 : 0;
      perhaps += within(earlier.latest, fate.from(), Contract.CUT) ? 1 : 0;
    }
    return new Wait(
        after(fate.from(), Contract.disruptionDelay(certainly), look),
        later(fate.until(), look.now).plus(Contract.disruptionDelay(perhaps)),
        true);
  }

  private static boolean within(Instant earlier, Instant now, Duration slack) {
    return !earlier.isBefore(now.minus(Contract.DISRUPTIONS_WITHIN).minus(slack));
  }

  /** The end of a delay; clocks go back at times, and who waits for nothing does not look. */
  private static Instant after(Instant failure, Duration delay, JobLook look) {
    if (delay.isZero()) {
      return Instant.MIN;
    }
    return (failure.isBefore(look.now) ? failure : look.now).plus(delay);
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  private void counted(JobLook look, Memory memory) {
    int left = look.disruptions();
    for (JobLook.Failure failure : look.failures(memory)) {
      boolean one =
          failure.fate().kind() == Fate.Kind.DISRUPTION && look.replaced.contains(failure.id());
      if (one && left > 0) {
        left--;
        disruptions.add(new Wait(failure.fate().from(), look.now, true));
      }
    }
  }

  private void again(ReplicaId id, Fate fate, JobLook look) {
    int times = startedAgain.merge(id, 1, Integer::sum);
    Instant from = fate.from() == null ? look.now : fate.from();
    int most = Math.max(times, look.entry(id).earlier() + 1);
    put(
        id,
        look,
        new Wait(
            after(from, Contract.restartDelay(times), look),
            later(from, look.now).plus(Contract.restartDelay(most)),
            false));
  }

  private void check(JobLook look) {
    if (look.after.debugging()) {
      return;
    }
    look.after
        .replicas()
        .forEach(
            (id, entry) -> {
              Stated.Entry was = look.entry(id);
              boolean known =
                  was != null
                      && key(was).equals(key(entry))
                      && entry.restartAt() != null
                      && entry.restartAt().equals(was.restartAt());
              if (entry.restartAt() != null && entry.restartAt().isAfter(look.now) && !known) {
                Wait wait = waits.get(key(entry));
                Invariants.require(
                    wait != null && !entry.restartAt().isAfter(wait.latest.plus(Contract.CUT)),
                    look.before.debugging()
                        ? "switching debug waits for nothing"
                        : wait != null && wait.disruption
                            ? "after a disruption nobody waits longer than its row of delays says"
                            : "a restart waits no longer than its delay",
                    id,
                    "until",
                    entry.restartAt(),
                    "not",
                    wait,
                    look);
              }
            });
  }

  /** The operator sends a creation. */
  void sent(PlannedAction.CreatePod create, JobLook look) {
    Wait wait = waits.get(key(create.name(), create.earlierPods()));
    if (wait == null || look.after.debugging()) {
      return;
    }
    Invariants.require(
        !look.now.plus(Contract.CUT).isBefore(wait.earliest),
        wait.disruption
            ? "after the third disruption within five minutes replacements wait"
            : "a restart waits for its delay",
        create,
        "at",
        look.now,
        "not before",
        wait.earliest,
        look);
  }
}
