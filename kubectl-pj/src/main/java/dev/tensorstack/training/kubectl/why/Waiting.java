package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobEvent;
import dev.tensorstack.training.kubectl.job.JobStatus;
import dev.tensorstack.training.kubectl.job.Phase;
import dev.tensorstack.training.kubectl.job.PodFailure;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Spans;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Jobs that are about to run. */
final class Waiting {

  /** Reasons that are none: pods are on their way. */
  private static final List<String> PLAIN = List.of("NotFinished", "Resuming");

  private Waiting() {}

  /**
   * Explains a job that waits for its pods.
   *
   * @param seen what is known of the job
   * @param text is added to
   */
  static void tell(Situation seen, Sentences text) {
    Job job = seen.job();
    JobStatus status = job.status();
    String reason = status.reason();
    String special = reason == null || PLAIN.contains(reason) ? null : reason;
    String message = status.message();
    text.say(
        job.title()
            + (status.phase() == Phase.Resuming ? " has been resuming" : " has been pending")
            + span(job, text)
            + (special == null ? "" : " (" + special + ")")
            + ": "
            + (message == null
                ? status.running() + " of " + job.desired() + " pods run"
                : message));
    if ("Restarting".equals(reason)) {
      restart(job, text);
      PodFailure failure = status.lastFailure();
      if (failure != null) {
        RootCause.tell(failure, message == null ? "" : failure.pod() + message, text);
      }
    }
    if (special == null) {
      pods(seen, text);
    } else {
      schedulersWords(seen, special, text);
      text.say(Advice.of(special, job));
    }
    Running.deadline(job, text);
  }

  private static String span(Job job, Sentences text) {
    Instant since = job.status().condition("Running").time("lastTransitionTime");
    since = since == null ? job.created() : since;
    return since == null ? "" : " for " + text.since(since);
  }

  /**
   * Says when the job starts again.
   *
   * @param job a job that is being restarted
   * @param text is added to
   */
  static void restart(Job job, Sentences text) {
    Instant at = RestartTime.of(job);
    if (at != null) {
      text.say(
          at.isAfter(text.now())
              ? "It starts again in " + text.until(at) + ", at " + Spans.moment(at)
              : "It starts again now");
    }
  }

  /** The job's own message may be older than what the scheduler says now. */
  private static void schedulersWords(Situation seen, String reason, Sentences text) {
    PodTrouble trouble = PodTrouble.of(seen.current());
    if (reason.equals("Unschedulable")
        && trouble != null
        && trouble.kind() == PodTrouble.Kind.UNSCHEDULABLE
        && !String.valueOf(seen.job().status().message()).contains(trouble.words())) {
      text.say("The scheduler says of " + trouble.who() + ": " + trouble.words());
    }
  }

  /** What the pods say where the job itself says nothing. */
  private static void pods(Situation seen, Sentences text) {
    List<RankedPod> pods = seen.current();
    PodTrouble trouble = PodTrouble.of(pods);
    if (trouble != null) {
      text.say(trouble.who() + ": " + Advice.inWords(trouble, seen.job()));
      JobEvent warning = lastWarning(seen, event -> event.object().equals("Pod"));
      if (trouble.kind() == PodTrouble.Kind.STARTING && warning != null) {
        text.say("Its node says (" + warning.reason() + "): " + warning.message());
      }
    } else if (pods.isEmpty() && seen.podsKnown()) {
      JobEvent warning = lastWarning(seen, event -> true);
      text.say(
          warning == null
              ? "It has no pods yet"
              : "It has no pods; the last warning ("
                  + warning.reason()
                  + "): "
                  + warning.message());
    }
  }

  private static @Nullable JobEvent lastWarning(Situation seen, Predicate<JobEvent> which) {
    JobEvent last = null;
    for (JobEvent event : seen.events()) {
      last = event.warning() && which.test(event) ? event : last;
    }
    return last;
  }
}
