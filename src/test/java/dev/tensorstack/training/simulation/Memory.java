package dev.tensorstack.training.simulation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What was decided, and seen, before a look, as far as the stored statuses alone do not say it. */
final class Memory {

  /** Failed pods that a job goes on without; they stay failed whatever becomes of them. */
  final Set<String> tolerated = new HashSet<>();

  /**
   * The job ended at a look at which its user asked for a pause or for debug: the decision on the
   * failure waited for nothing.
   */
  boolean endedAtOnce;

  /** When counted restarts were decided on, to the second, as a status says times. */
  private final List<Instant> counted = new ArrayList<>();

  private final Map<String, Instant> seenFailed = new HashMap<>();

  List<Instant> counted() {
    return counted;
  }

  /** A new process has seen nothing yet. */
  void newOperator() {
    seenFailed.clear();
  }

  void planned(JobLook look) {
    for (JobLook.Failure failure : look.failures(this)) {
      if (failure.fate().certain()) {
        seenFailed.putIfAbsent(failure.fate().uid(), look.now);
      }
    }
  }

  Instant seenFailed(Fate fate) {
    return seenFailed.get(fate.uid());
  }

  /** A status was stored: failures that it leaves alone are tolerated from now on. */
  void stored(Look look) {
    counted.addAll(Collections.nCopies(look.backoffs(), SimulatedPod.second(look.now)));
    if (look.after.ended() && !look.before.ended()) {
      endedAtOnce = look.spec.pauseOn() || look.spec.debugOn();
    }
    if (!look.trains() || look.attempts() > 0 || look.after.ended()) {
      return;
    }
    for (Look.Failure failure : look.failures(this)) {
      Stated.Entry left = look.after.replicas().get(failure.id());
      Stated.Entry entry = look.entry(failure.id());
      boolean stays = left != null && left.earlier() == entry.earlier();
      boolean told =
          look.after.failure() != null && entry.name().equals(look.after.failure().pod());
      // Such a decision waits for nobody. It is said of what only the budget keeps from a restart,
      // also where lastFailure tells of another failure of the same second.
      boolean said =
          look.after.tolerated().contains(failure.id())
              && look.staysFailed(failure.id(), failure.fate());
      if (stays
          && failure.fate().certain()
          && !look.isMaster(failure.id())
          && (told || said || !look.waits(this))
          && Boolean.TRUE.equals(look.enoughRemain(this))) {
        tolerated.add(failure.fate().uid());
      }
    }
  }
}
