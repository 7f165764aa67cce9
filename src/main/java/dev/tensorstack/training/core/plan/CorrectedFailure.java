package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.policy.PodFailure;
import java.util.List;

/**
 * What was told of a pod that the job goes on without is told anew when the pod turns out to have
 * failed by itself before that: its kubelet may say so only when its deletion has been seen and
 * told of. The status records the end of the pod as what it was, and must not say two things.
 */
final class CorrectedFailure {

  private CorrectedFailure() {}

  /**
   * Corrects the last failure.
   *
   * @param failures the failures of the present pods
   * @return the same ledger when the failure was what was told, or is none of these
   */
  static Ledger of(CurrentState state, Ledger ledger, List<PodFailure> failures) {
    Ledger.Failure told = ledger.lastFailure();
    if (told == null || told.time() == null || !ledger.reported().contains(told.pod())) {
      return ledger;
    }
    for (PodFailure failure : failures) {
      if (failure.pod().equals(told.pod())
          && failure.cause() != told.cause()
          && state.isDated(failure)
          && failure.time().isBefore(told.time())) {
        return ledger.failed(failure.toLedger(), ledger.counts());
      }
    }
    return ledger;
  }
}
