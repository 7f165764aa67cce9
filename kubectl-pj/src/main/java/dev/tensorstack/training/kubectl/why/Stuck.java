package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobKind;
import dev.tensorstack.training.kubectl.job.Problem;

/** Jobs whose pods run and whose training does not get anywhere. */
final class Stuck {

  private Stuck() {}

  /**
   * Explains what was found.
   *
   * @param job the job
   * @param problem what was found
   * @param text is added to
   */
  static void tell(Job job, Problem problem, Sentences text) {
    String message = problem.message();
    text.say(
        job.title()
            + " is running"
            + Running.startedAgo(job.status(), text)
            + ", "
            + finding(problem.reason())
            + " ("
            + problem.reason()
            + (problem.since() == null ? "" : ", for " + text.since(problem.since()))
            + ")"
            + (message == null ? "" : ": " + message));
    LastReport.tellStuck(job, text);
    if (Problem.NOT_A_NUMBER.equals(problem.reason())) {
      text.say("Where it goes on from a checkpoint, that has to be one from before it");
    }
    if (job.isRestartedWhenStuck()) {
      Integer limit = job.spec().backoffLimit();
      text.say(
          "Its pods are ended and started again (onFailure: Restart), which costs one of its restarts"
              + (limit == null
                  ? ""
                  : " (backoffLimit "
                      + job.status().restartsThatCount()
                      + " of "
                      + limit
                      + " used)"));
    } else {
      leftAlone(job, problem.reason(), text);
    }
  }

  private static String finding(String reason) {
    return switch (reason) {
      case Problem.NO_PROGRESS -> "but its training seems to hang";
      case Problem.NOT_A_NUMBER -> "but its training computes what is no number";
      default -> "but something was found wrong with its training";
    };
  }

  private static void leftAlone(Job job, String reason, Sentences text) {
    text.say(
        "Nothing happens next by itself ("
            + (job.kind() == JobKind.TRAINING_JOB
                ? "runPolicy.progress"
                : "the annotation batch.tensorstack.dev/progress")
            + ", onFailure: Report): the pods run on until somebody ends them, or the training"
            + " recovers");
    if (Problem.NO_PROGRESS.equals(reason)) {
      text.say(
          job.desired() > 1
              ? "One rank that waits makes all others wait: compare them with kubectl pj logs "
                  + job.reference()
                  + " --all-ranks --tail 3, and look into one with kubectl pj exec "
                  + job.reference()
                  + " --rank 0 -- sh"
              : "Look into it with kubectl pj exec " + job.reference() + " -- sh");
    }
    text.say(
        "To start it again: kubectl pj pause "
            + job.reference()
            + ", then kubectl pj resume "
            + job.reference());
  }
}
