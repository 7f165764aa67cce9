package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.policy.PodFailure;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A failure that starts all pods anew is decided before its replica is scaled away
 * (docs/concepts.md, Elastic jobs): it would be forgotten otherwise, and the other agents would
 * stay in a rendezvous that is closed. One that asks for a replacement only, or that the job goes
 * on without, goes with its replica.
 */
final class FailureBeforeShrink {

  private FailureBeforeShrink() {}

  /**
   * Keeps replicas whose failure is to be decided.
   *
   * @param ledger the ledger as stored
   * @param wanted the replicas that the job shall have otherwise
   * @return the same layout when no such replica would go
   */
  static ReplicaLayout hold(
      Observation seen, Ledger ledger, ReplicaLayout wanted, PlanSettings settings, Instant now) {
    boolean runs =
        ledger.outcome() == null
            && ledger.pause() != Ledger.Pause.PAUSING
            && ledger.pause() != Ledger.Pause.PAUSED
            && ledger.hold() == null
            && ledger.mode() != RunModeKind.DEBUG;
    if (seen.job().spec().elastic() == null || !runs) {
      return wanted;
    }
    Set<ReplicaId> going = new HashSet<>(ledger.slots().keySet());
    going.removeAll(ledger.removed());
    going.removeIf(wanted::contains);
    if (going.isEmpty()) {
      return wanted;
    }
    ReplicaLayout all = DesiredReplicas.keeping(seen, ledger, wanted, going);
    CurrentState state =
        new CurrentState(
            seen.job().spec(),
            all,
            CurrentReplicas.of(seen, ledger, all).all(),
            seen.notes(),
            settings,
            now);
    FailureBudget budget = new FailureBudget(state);
    Set<ReplicaId> failed =
        CurrentFailures.of(state, ledger).stream()
            .filter(failure -> going.contains(failure.replica()))
            .filter(failure -> !state.isTolerated(failure))
            .filter(failure -> !budget.isTerminal(failure, ledger.counts()))
            .filter(failure -> FailureScope.startsAllAnew(state, failure))
            .map(PodFailure::replica)
            .collect(Collectors.toSet());
    return failed.isEmpty() ? wanted : DesiredReplicas.keeping(seen, ledger, wanted, failed);
  }
}
