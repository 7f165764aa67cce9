package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.observe.ObservedPod;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/**
 * A job is suspended when, and as long as, its user asks for it; it costs nothing, and at the
 * resume all pods are new. One that has ended is not.
 */
final class PyTorchJobSuspension {

  /**
   * Pods that were given up when the suspension was over and the status with that was stored. When
   * their nodes come back afterwards, they stop there, and the job need not wait for them.
   */
  private final Set<String> givenUp = new HashSet<>();

  /** A status was stored. */
  void stored(PyTorchJobLook look) {
    if (!look.after.pausing()) {
      givenUp.clear();
      return;
    }
    Set<String> lost = new HashSet<>();
    for (PodVersion version : look.view.pods().values()) {
      if (PyTorchJobPlaces.isGivenUp(version.pod(), look.view)) {
        lost.add(version.pod().uid());
      } else if (!version.pod().ended()) {
        // Something runs, so that the suspension goes on.
        return;
      }
    }
    givenUp.addAll(lost);
  }

  void check(PyTorchJobLook look) {
    // What is about to end is not suspended any more.
    if (look.before.ended() || look.after.ended() || look.endingBefore != null) {
      return;
    }
    if (!look.before.pausing()) {
      Invariants.require(
          look.after.pausing() == look.spec.suspended(),
          "a job is suspended when its user asks for it",
          look);
      return;
    }
    Invariants.require(look.free() && look.attempts() == 0, "a suspended job counts nothing", look);
    if (look.after.pausing()) {
      Invariants.require(look.replaced.isEmpty(), "a suspension replaces nothing", look);
      return;
    }
    Invariants.require(!look.spec.suspended(), "a job is resumed when its user asks for it", look);
    look.before
        .replicas()
        .forEach(
            (id, entry) ->
                Invariants.require(
                    entry.uid() == null
                        || look.replaced.contains(id)
                        || !look.after.replicas().containsKey(id),
                    "at the resume all pods are new",
                    id,
                    look));
    Instant suspended =
        Instant.parse(
            PyTorchJobWords.condition(look.statusBefore, "Suspended").lastTransitionTime());
    for (PodVersion version : look.view.pods().values()) {
      ObservedPod pod = version.pod();
      // One that came later was sent for by an operator that was killed, and goes as well.
      Invariants.require(
          !pod.createdAt().isBefore(suspended)
              || pod.ended()
              || givenUp.contains(pod.uid())
              || PyTorchJobPlaces.isGivenUp(pod, look.view),
          "a job goes on when none of its pods runs any more",
          pod,
          look);
    }
  }
}
