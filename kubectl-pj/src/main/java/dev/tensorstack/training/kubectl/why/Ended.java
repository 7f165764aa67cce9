package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobStatus;
import dev.tensorstack.training.kubectl.job.PodFailure;
import dev.tensorstack.training.kubectl.job.Spans;
import java.time.Duration;
import java.time.Instant;

/** Jobs that have ended. */
final class Ended {

  private Ended() {}

  /**
   * Explains a job that ended well.
   *
   * @param job the job
   * @param text is added to
   */
  static void succeeded(Job job, Sentences text) {
    text.say(
        job.title()
            + ended(job.status(), "succeeded", text)
            + (job.status().restarts() == 0 ? "" : "; restarts: " + Restarts.of(job)));
    removal(job, text);
  }

  /**
   * Explains a job that ended badly.
   *
   * @param job the job
   * @param text is added to
   */
  static void failed(Job job, Sentences text) {
    JobStatus status = job.status();
    String reason = status.reason();
    String message = status.message();
    text.say(
        job.title()
            + ended(status, "failed", text)
            + (reason == null ? "" : " (" + reason + ")")
            + (message == null ? "" : ": " + message));
    PodFailure failure = status.lastFailure();
    if (failure != null && !"InvalidSpec".equals(reason)) {
      RootCause.tell(failure, message == null ? "" : message, text);
    }
    if (status.restarts() > 0) {
      text.say("Before that it was restarted: " + Restarts.of(job));
    }
    text.say(
        switch (String.valueOf(reason)) {
          case "DeadlineExceeded" ->
              "Nothing happens next: create it again with a larger runPolicy.activeDeadlineSeconds";
          case "InvalidSpec" -> "Nothing happens next: correct the field and create it again";
          case "BackoffLimitExceeded" ->
              "Nothing happens next: correct the cause, or raise runPolicy.backoffLimit if restarts"
                  + " help, and create it again";
          default -> "Nothing happens next: correct the cause and create it again";
        });
    removal(job, text);
  }

  private static String ended(JobStatus status, String how, Sentences text) {
    Instant started = status.started();
    Instant completed = status.completed();
    if (completed == null) {
      return " has " + how;
    }
    return " "
        + how
        + " "
        + text.since(completed)
        + " ago"
        + (started == null
            ? ""
            : ", " + Spans.inWords(Duration.between(started, completed)) + " after its start");
  }

  private static void removal(Job job, Sentences text) {
    Instant removal = job.removal();
    if (removal != null) {
      text.say("It is deleted in " + text.until(removal) + " (runPolicy.ttlSecondsAfterFinished)");
    }
  }
}
