package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;

/** Why a job is as it is, and what happens next, in one paragraph: a pure function. */
public final class Explanation {

  private Explanation() {}

  /**
   * The paragraph.
   *
   * @param seen what is known of the job
   * @return sentences in one line; the log of a failed pod is not part of it
   */
  public static String of(Situation seen) {
    Sentences text = new Sentences(seen.now());
    if (!Unattended.tell(seen, text)) {
      attended(seen, text);
    }
    return text.text();
  }

  private static void attended(Situation seen, Sentences text) {
    Job job = seen.job();
    switch (job.status().phase()) {
      case Succeeded -> Ended.succeeded(job, text);
      case Failed -> Ended.failed(job, text);
      case Paused -> Held.paused(seen, text);
      default -> goingOn(seen, text);
    }
    if (!job.status().phase().isEnd() && !job.isUpToDate()) {
      text.say("The latest change of its spec has not been looked at by the operator yet");
    }
    if (!seen.podsKnown()) {
      text.say("You may not list its pods, so that this is only what the job itself says");
    }
  }

  private static void goingOn(Situation seen, Sentences text) {
    Job job = seen.job();
    if (job.spec().isPauseWanted()) {
      Held.pausing(seen, text);
    } else if (job.spec().isDebugWanted()) {
      Held.debugging(seen, text);
    } else {
      switch (job.status().phase()) {
        case Unknown -> Unattended.unknown(job, text);
        case Running -> Running.tell(seen, text);
        default -> Waiting.tell(seen, text);
      }
    }
  }
}
