package dev.tensorstack.training.simulation;

import java.time.Instant;

/**
 * The start time is that of the first look. It is absent while a job is suspended since its
 * creation, kept while it is suspended later, and set anew when it is resumed.
 */
final class PyTorchJobStartTime {

  private PyTorchJobStartTime() {}

  static void check(PyTorchJobLook look) {
    Instant before = look.before.start();
    Instant after = look.after.start();
    if (look.before.ended() || (look.after.ended() && look.before.pausing())) {
      return;
    }
    boolean resumes = look.before.pausing() && !look.after.pausing() && !look.after.ended();
    if (before != null && !resumes) {
      Invariants.require(before.equals(after), "the start time stays", look);
      return;
    }
    if (look.after.pausing()) {
      Invariants.require(
          after == null, "a job that is suspended since its creation has no start time", look);
      return;
    }
    Invariants.require(
        after != null
            && (resumes
                ? after.equals(SimulatedPod.second(look.now))
                : !after.isAfter(look.now) && !after.isBefore(first(look))),
        "the start time is that of the first look, and of a resume",
        look);
  }

  /** This look, or the creation of a pod for an operator that was killed before it said so. */
  private static Instant first(PyTorchJobLook look) {
    Instant first = SimulatedPod.second(look.now);
    for (PodVersion version : look.view.pods().values()) {
      Instant created = version.pod().createdAt();
      first = created.isBefore(first) ? created : first;
    }
    return first;
  }
}
