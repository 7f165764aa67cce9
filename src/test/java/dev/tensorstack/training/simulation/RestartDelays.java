package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.plan.PlannedAction;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** A counted restart waits for its delay, and for no longer. */
final class RestartDelays {

  /** Times in the status are cut to seconds. */
  private static final Duration CUT = Duration.ofSeconds(1);

  private final Map<ReplicaId, Instant> notBefore = new HashMap<>();

  void stored(JobVersion before, JobVersion after, Step step) {
    if (before.ledger().outcome() != null || step.plan().ledger().outcome() != null) {
      return;
    }
    Decision decided = step.wanted();
    if (decided.resumed()) {
      notBefore.clear();
    }
    decided
        .notBefore()
        .forEach((id, time) -> notBefore.merge(id, time, (a, b) -> a.isAfter(b) ? a : b));
    after
        .ledger()
        .slots()
        .forEach(
            (id, slot) ->
                Invariants.require(
                    slot.restartAt() == null
                        || !slot.restartAt().isAfter(notBefore.getOrDefault(id, Instant.MIN)),
                    "a restart waits no longer than its delay",
                    id,
                    "until",
                    slot.restartAt(),
                    "not",
                    notBefore.get(id)));
  }

  void sent(PlannedAction.CreatePod create, View view) {
    Instant earliest = notBefore.get(create.replica());
    Invariants.require(
        earliest == null || !view.now().plus(CUT).isBefore(earliest),
        "a counted restart waits for its delay",
        create,
        "at",
        view.now(),
        "not before",
        earliest);
  }
}
