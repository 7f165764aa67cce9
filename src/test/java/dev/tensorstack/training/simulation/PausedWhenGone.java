package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;
import java.time.Instant;

/** A job is Paused when none of its pods runs any more, as far as the operator can see. */
final class PausedWhenGone {

  private PausedWhenGone() {}

  static void check(JobVersion before, JobVersion after, View view) {
    boolean paused =
        after.ledger().pause() == Ledger.Pause.PAUSED
            && before.ledger().pause() != Ledger.Pause.PAUSED;
    if (!paused) {
      return;
    }
    for (PodVersion pod : view.pods().values()) {
      String node = pod.pod().node();
      Instant lost = node == null ? null : view.lostNodes().get(node);
      Invariants.require(
          pod.pod().ended() || (lost != null && !view.now().isBefore(lost.plus(Settings.GRACE))),
          "a job is paused when its pods are gone",
          pod);
    }
  }
}
