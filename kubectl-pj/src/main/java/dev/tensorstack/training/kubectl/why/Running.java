package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobStatus;
import dev.tensorstack.training.kubectl.job.PodFailure;
import dev.tensorstack.training.kubectl.job.Problem;
import dev.tensorstack.training.kubectl.job.Spans;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Jobs that run. */
final class Running {

  private Running() {}

  /**
   * Explains a job that runs.
   *
   * @param seen what is known of the job
   * @param text is added to
   */
  static void tell(Situation seen, Sentences text) {
    Job job = seen.job();
    Problem problem = job.status().problem();
    if (problem == null) {
      undisturbed(seen, text);
    } else {
      Stuck.tell(job, problem, text);
    }
    restarts(job, text);
    if (problem == null && job.status().reason() == null && PodTrouble.of(seen.current()) == null) {
      text.say("There is nothing to wait for but its end");
    }
    deadline(job, text);
  }

  private static void undisturbed(Situation seen, Sentences text) {
    Job job = seen.job();
    JobStatus status = job.status();
    String reason = status.reason();
    String message = status.message();
    text.say(
        job.title()
            + " is running"
            + startedAgo(status, text)
            + ": "
            + (message == null
                ? status.running() + " of " + job.desired() + " pods run"
                : message));
    trouble(seen, reason, text);
    LastReport.tell(job, text);
  }

  private static void trouble(Situation seen, @Nullable String reason, Sentences text) {
    Job job = seen.job();
    PodTrouble trouble = PodTrouble.of(seen.current());
    if (reason == null && trouble != null && trouble.kind() != PodTrouble.Kind.STARTING) {
      text.say(trouble.who() + ": " + Advice.inWords(trouble, job));
    } else if ("Restarting".equals(reason)) {
      Waiting.restart(job, text);
    } else if (reason != null) {
      text.say(Advice.of(reason, job));
    }
  }

  private static void restarts(Job job, Sentences text) {
    if (job.status().restarts() == 0) {
      return;
    }
    text.say("It has been restarted: " + Restarts.of(job));
    PodFailure failure = job.status().lastFailure();
    if (failure != null) {
      text.say("The last time " + RootCause.inWords(failure, text));
    }
  }

  /**
   * When the job was started.
   *
   * @param status its status
   * @param text the paragraph that it is for
   * @return a part of a sentence, with a comma before it; empty when it is not known
   */
  static String startedAgo(JobStatus status, Sentences text) {
    Instant started = status.started();
    return started == null ? "" : ", started " + text.since(started) + " ago";
  }

  /**
   * Says when the job is ended at the latest.
   *
   * @param job a job that goes on
   * @param text is added to
   */
  static void deadline(Job job, Sentences text) {
    Instant deadline = job.deadline();
    if (deadline != null) {
      text.say(
          "It is ended at "
              + Spans.moment(deadline)
              + " (in "
              + text.until(deadline)
              + ") if it has not ended before (runPolicy.activeDeadlineSeconds)");
    }
  }
}
