package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.model.RestartScope;
import dev.tensorstack.training.core.policy.ClosedRendezvous;
import dev.tensorstack.training.core.policy.PodFailure;

/** What one failure restarts: the failed pod, or all pods. */
final class FailureScope {

  private FailureScope() {}

  /**
   * Whether all pods start anew because of a failure: it is the master's in a kind whose pods
   * depend on it, the job's restart scope says so, or the rendezvous cannot be joined any more.
   */
  static boolean startsAllAnew(CurrentState state, PodFailure failure) {
    return (state.spec().traits().masterRestartsAll() && state.isMaster(failure.replica()))
        || state.spec().runPolicy().restartScope() == RestartScope.JOB
        || ClosedRendezvous.isLeftBy(state.spec(), failure, state.podOf(failure));
  }
}
