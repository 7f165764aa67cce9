package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.Elasticity;
import dev.tensorstack.training.core.policy.PodFailure;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An elastic job goes on without some of its workers. */
final class FailureTolerance {

  private final CurrentState state;

  FailureTolerance(CurrentState state) {
    this.state = state;
  }

  /**
   * Whether the job goes on without a replica.
   *
   * @param lost how many replicas it goes on without, this one included
   */
  boolean enoughRemain(PodFailure failure, int lost) {
    Elasticity elastic = state.spec().elastic();
    return elastic != null
        && !state.isMaster(failure.replica())
        && state.replicas().size() - lost >= elastic.minReplicas();
  }

  /**
   * Records the latest of the failures that the job survives, unless the status reports it already:
   * of a pod that is gone, or that no kubelet took, nobody knows since when, so that it would be
   * the latest at each look.
   */
  Ledger tolerate(Ledger ledger, List<PodFailure> survived) {
    Ledger.Failure told = ledger.lastFailure();
    Ledger.Failure latest = null;
    for (PodFailure failure : survived) {
      if (!ledger.reported().contains(failure.pod()) && isNews(failure, told)) {
        latest = failure.toLedger();
      }
    }
    Ledger known = ledger.tolerating(survived.stream().map(PodFailure::pod).toList());
    return latest == null ? known : known.failed(latest, ledger.counts());
  }

  private boolean isNews(PodFailure failure, Ledger.@Nullable Failure known) {
    Instant knownAt = known == null ? null : known.time();
    return known == null
        || knownAt == null
        || (!failure.pod().equals(known.pod())
            && (failure.time().equals(state.now())
                || failure.time().truncatedTo(ChronoUnit.SECONDS).isAfter(knownAt)));
  }
}
