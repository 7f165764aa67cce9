package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobKind;

/** Jobs that do not train because somebody wants it so. */
final class Held {

  private Held() {}

  /**
   * Explains a paused job.
   *
   * @param seen what is known of the job
   * @param text is added to
   */
  static void paused(Situation seen, Sentences text) {
    Job job = seen.job();
    if (!job.spec().isPauseWanted()) {
      text.say(
          job.title() + " is paused and about to be resumed: its pods come back within moments");
      return;
    }
    int ending = seen.running().size();
    text.say(
        job.title()
            + " is paused"
            + (ending == 0
                ? "; none of its pods runs"
                : "; "
                    + Sentences.count(ending, "pod")
                    + (ending == 1 ? " is" : " are")
                    + " still ending"));
    if (job.kind() == JobKind.PYTORCH_JOB && job.kueue() != null) {
      text.say(
          "It waits in the queue "
              + job.kueue()
              + ": Kueue resumes it when its turn has come (kubectl get"
              + " workloads.kueue.x-k8s.io)");
      return;
    }
    text.say("It stays so until somebody resumes it: kubectl pj resume " + job.reference());
  }

  /**
   * Explains a job whose pods are being ended for a pause.
   *
   * @param seen what is known of the job
   * @param text is added to
   */
  static void pausing(Situation seen, Sentences text) {
    text.say(
        seen.job().title()
            + " is being paused: "
            + Sentences.count(seen.running().size(), "pod")
            + " still to end, within terminationGracePeriodSeconds");
  }

  /**
   * Explains a job in debug mode.
   *
   * @param seen what is known of the job
   * @param text is added to
   */
  static void debugging(Situation seen, Sentences text) {
    Job job = seen.job();
    text.say(
        job.title()
            + " is in debug mode: nothing trains; its pods run the debug command and wait for you, "
            + job.status().running()
            + " of "
            + job.desired()
            + " run");
    PodTrouble trouble = PodTrouble.of(seen.current());
    if (trouble != null) {
      text.say(trouble.who() + ": " + Advice.inWords(trouble, job));
    }
    text.say(
        "Look around with kubectl pj exec "
            + job.reference()
            + " --rank 0 -- sh, and train with kubectl pj debug "
            + job.reference()
            + " off");
  }
}
