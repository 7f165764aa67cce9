package dev.tensorstack.training.simulation;

import java.time.Instant;

/** A job is Paused when none of its pods runs any more, as far as the operator can see. */
final class PausedWhenGone {

  private PausedWhenGone() {}

  static void check(Look look) {
    if (!look.after.phase().equals("Paused") || look.before.phase().equals("Paused")) {
      return;
    }
    View view = look.view;
    for (PodVersion pod : view.pods().values()) {
      String node = pod.pod().node();
      Instant lost = node == null ? null : view.lostNodes().get(node);
      Invariants.require(
          pod.pod().ended()
              || (lost != null
                  && (lost.equals(Instant.EPOCH)
                      || !view.now().isBefore(Contract.givenUpAt(lost, pod.pod().createdAt())))),
          lost == null ? "a job is paused when its pods are gone" : LostGrace.NAME,
          pod);
    }
  }
}
