package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Spans;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Jobs whose status tells nothing, or nothing any more. */
final class Unattended {

  /** An operator that runs looks at a new job within this time. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Unattended() {}

  /**
   * Explains a job that is being deleted, is somebody else's, or is new.
   *
   * @param seen what is known of the job
   * @param text is added to
   * @return false for any other job, of which nothing was said
   */
  static boolean tell(Situation seen, Sentences text) {
    Job job = seen.job();
    String manager = job.spec().foreignManager();
    Instant deleting = job.deleting();
    if (deleting != null) {
      deleting(seen, deleting, text);
    } else if (manager != null) {
      text.say(
          job.title()
              + " is left to "
              + manager
              + " (managedBy), so the operator of this cluster does nothing with it");
      text.say("What " + manager + " says of it: " + job.status().phase());
    } else if (!job.status().isNoticed()) {
      unnoticed(job, text);
    } else {
      return false;
    }
    return true;
  }

  private static void deleting(Situation seen, Instant since, Sentences text) {
    Job job = seen.job();
    text.say(job.title() + " is being deleted; that began " + text.since(since) + " ago");
    List<RankedPod> running = seen.running();
    if (!running.isEmpty()) {
      text.say(
          Sentences.count(running.size(), "pod")
              + (running.size() == 1 ? " is" : " are")
              + " still ending ("
              + PodTrouble.list(running.stream().map(RankedPod::name).toList())
              + "): each has the time of its terminationGracePeriodSeconds");
    }
    List<String> finalizers =
        job.object().items("metadata", "finalizers").stream().map(String::valueOf).toList();
    if (!finalizers.isEmpty()) {
      text.say(
          "It is gone once "
              + String.join(", ", finalizers)
              + (finalizers.size() == 1 ? " is" : " are")
              + " taken off its metadata.finalizers, by whoever put "
              + (finalizers.size() == 1 ? "it" : "them")
              + " there");
    }
  }

  private static void unnoticed(Job job, Sentences text) {
    Instant created = job.created();
    Duration age = created == null ? Duration.ZERO : Duration.between(created, text.now());
    text.say(
        job.title()
            + " was created "
            + Spans.inWords(age)
            + " ago, and no operator has looked at it yet");
    if (age.compareTo(PATIENCE) > 0) {
      text.say(
          "One does so within a second, so none seems to run for "
              + job.kind().plural()
              + " in namespace "
              + job.namespace()
              + ": ask your administrator, or see kubectl get pods -A -l"
              + " app.kubernetes.io/name=pytorchtrainingjob-operator");
    }
  }

  /**
   * Explains a job whose master's node is silent.
   *
   * @param job the job
   * @param text is added to
   */
  static void unknown(Job job, Sentences text) {
    String message = job.status().message();
    text.say(
        job.title()
            + "'s state is not known: the node of its master does not report"
            + (message == null ? "" : " (" + message + ")"));
    text.say("The pod is replaced if the node does not come back soon");
  }
}
