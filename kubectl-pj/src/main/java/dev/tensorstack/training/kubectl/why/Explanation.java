package dev.tensorstack.training.kubectl.why;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobEvent;
import dev.tensorstack.training.kubectl.job.JobKind;
import dev.tensorstack.training.kubectl.job.Phase;
import dev.tensorstack.training.kubectl.job.PodFailure;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Spans;
import dev.tensorstack.training.kubectl.job.Training;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Why a job is as it is, and what happens next, in one paragraph: a pure function. */
public final class Explanation {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Situation seen;
  private final Job job;
  private final List<RankedPod> pods;
  private final Instant now;
  private final List<String> sentences = new ArrayList<>();

  private Explanation(Situation seen) {
    this.seen = seen;
    this.job = seen.job();
    this.pods = seen.pods().stream().filter(RankedPod::current).toList();
    this.now = seen.now();
  }

  /**
   * The paragraph.
   *
   * @param seen what is known of the job
   * @return sentences in one line; the log of a failed pod is not part of it
   */
  public static String of(Situation seen) {
    Explanation explanation = new Explanation(seen);
    explanation.explain();
    return String.join(" ", explanation.sentences);
  }

  private void explain() {
    if (job.deleting() != null) {
      deleting(job.deleting());
      return;
    }
    String manager = job.foreignManager();
    if (manager != null) {
      say(
          job.title()
              + " is left to "
              + manager
              + " (managedBy), so the operator of this cluster does nothing with it");
      say("What " + manager + " says of it: " + job.phase());
      return;
    }
    if (!job.isNoticed()) {
      unnoticed();
      return;
    }
    switch (job.phase()) {
      case Succeeded -> succeeded();
      case Failed -> failed();
      case Paused -> paused();
      default -> goingOn();
    }
    if (!job.phase().isEnd() && !job.isUpToDate()) {
      say("The latest change of its spec has not been looked at by the operator yet");
    }
    if (!seen.podsKnown()) {
      say("You may not list its pods, so that this is only what the job itself says");
    }
  }

  // ------------------------------------------------------------------ the ways a job can be

  private void deleting(Instant since) {
    say(job.title() + " is being deleted; that began " + since(since) + " ago");
    List<RankedPod> running = seen.pods().stream().filter(pod -> !pod.hasEnded()).toList();
    if (!running.isEmpty()) {
      say(
          count(running.size(), "pod")
              + (running.size() == 1 ? " is" : " are")
              + " still ending ("
              + PodTrouble.list(running.stream().map(RankedPod::name).toList())
              + "): each has the time of its terminationGracePeriodSeconds");
    }
    List<String> finalizers =
        job.object().items("metadata", "finalizers").stream().map(String::valueOf).toList();
    if (!finalizers.isEmpty()) {
      say(
          "It is gone once "
              + String.join(", ", finalizers)
              + (finalizers.size() == 1 ? " is" : " are")
              + " taken off its metadata.finalizers, by whoever put "
              + (finalizers.size() == 1 ? "it" : "them")
              + " there");
    }
  }

  private void unnoticed() {
    Instant created = job.created();
    Duration age = created == null ? Duration.ZERO : Duration.between(created, now);
    say(
        job.title()
            + " was created "
            + Spans.inWords(age)
            + " ago, and no operator has looked at it yet");
    if (age.compareTo(PATIENCE) > 0) {
      say(
          "One does so within a second, so none seems to run for "
              + job.kind().plural()
              + " in namespace "
              + job.namespace()
              + ": ask your administrator, or see kubectl get pods -A -l"
              + " app.kubernetes.io/name=pytorchtrainingjob-operator");
    }
  }

  private void succeeded() {
    say(
        job.title()
            + (job.completed() == null
                ? " has succeeded"
                : " succeeded " + since(job.completed()) + " ago")
            + took()
            + restartsInAll());
    removal();
  }

  private void failed() {
    String message = job.message();
    say(
        job.title()
            + (job.completed() == null
                ? " has failed"
                : " failed " + since(job.completed()) + " ago")
            + took()
            + (job.reason() == null ? "" : " (" + job.reason() + ")")
            + (message == null ? "" : ": " + message));
    PodFailure failure = job.lastFailure();
    if (failure != null && !"InvalidSpec".equals(job.reason())) {
      rootCause(failure, message == null ? "" : message);
    }
    if (job.countedRestarts() + job.disruptions() > 0) {
      say("Before that it was restarted: " + restarts());
    }
    say(
        switch (String.valueOf(job.reason())) {
          case "DeadlineExceeded" ->
              "Nothing happens next: create it again with a larger runPolicy.activeDeadlineSeconds";
          case "InvalidSpec" -> "Nothing happens next: correct the field and create it again";
          case "BackoffLimitExceeded" ->
              "Nothing happens next: correct the cause, or raise runPolicy.backoffLimit if restarts"
                  + " help, and create it again";
          default -> "Nothing happens next: correct the cause and create it again";
        });
    removal();
  }

  /** Says what the message has not said. */
  private void rootCause(PodFailure failure, String said) {
    if (failure.pod() != null && !said.contains(failure.pod())) {
      say(
          "The last failure: "
              + failure.inWords()
              + (failure.time() == null ? "" : ", " + since(failure.time()) + " ago"));
    }
    String words = failure.message();
    if (words != null && !said.contains(words)) {
      say("Its last words: " + words);
    }
    hint(failure);
  }

  private void hint(PodFailure failure) {
    if ("OOMKilled".equals(failure.reason())) {
      say("It used more memory than its limit: raise resources.limits.memory, or use less");
    } else if (failure.isDisruption()) {
      say("That was a disruption from outside, not a fault of the training");
    }
  }

  private void paused() {
    long ending = seen.pods().stream().filter(pod -> !pod.hasEnded()).count();
    if (!job.isPauseWanted()) {
      say(job.title() + " is paused and about to be resumed: its pods come back within moments");
      return;
    }
    say(
        job.title()
            + " is paused"
            + (ending == 0
                ? "; none of its pods runs"
                : "; " + count(ending, "pod") + (ending == 1 ? " is" : " are") + " still ending"));
    if (job.kind() == JobKind.PYTORCH_JOB && job.queue() != null && hasKueueLabel()) {
      say(
          "It waits in the queue "
              + job.queue()
              + ": Kueue resumes it when its turn has come (kubectl get"
              + " workloads.kueue.x-k8s.io)");
      return;
    }
    say("It stays so until somebody resumes it: kubectl pj resume " + reference());
  }

  private boolean hasKueueLabel() {
    return job.object().at("metadata", "labels").text("kueue.x-k8s.io/queue-name") != null;
  }

  private void goingOn() {
    if (job.isPauseWanted()) {
      say(
          job.title()
              + " is being paused: "
              + count(seen.pods().stream().filter(pod -> !pod.hasEnded()).count(), "pod")
              + " still to end, within "
              + "terminationGracePeriodSeconds");
      return;
    }
    if (job.isDebugWanted()) {
      debugging();
      return;
    }
    String reason = job.reason();
    if (job.phase() == Phase.Unknown) {
      say(
          job.title()
              + "'s state is not known: the node of its master does not report"
              + (job.message() == null ? "" : " (" + job.message() + ")"));
      say("The pod is replaced if the node does not come back soon");
      return;
    }
    if (job.phase() == Phase.Running) {
      running(reason);
    } else {
      pending(reason);
    }
    deadline();
  }

  private void debugging() {
    say(
        job.title()
            + " is in debug mode: nothing trains; its pods run "
            + "the debug command and wait for you, "
            + job.running()
            + " of "
            + job.desired()
            + " run");
    PodTrouble trouble = PodTrouble.of(pods);
    if (trouble != null) {
      say(trouble.who() + ": " + describe(trouble));
    }
    say(
        "Look around with kubectl pj exec "
            + reference()
            + " --rank 0 -- sh, and train with kubectl pj debug "
            + reference()
            + " off");
  }

  private void running(@Nullable String reason) {
    Instant started = job.started();
    say(
        job.title()
            + " is running"
            + (started == null ? "" : ", started " + since(started) + " ago")
            + ": "
            + (job.message() == null
                ? job.running() + " of " + job.desired() + " pods run"
                : job.message()));
    PodTrouble trouble = PodTrouble.of(pods);
    if (reason == null && trouble != null && trouble.kind() != PodTrouble.Kind.STARTING) {
      say(trouble.who() + ": " + describe(trouble));
    } else if ("Restarting".equals(reason)) {
      restart();
    } else if (reason != null) {
      advise(reason);
    }
    training();
    PodFailure failure = job.lastFailure();
    if (job.countedRestarts() + job.disruptions() > 0) {
      say("It has been restarted: " + restarts());
      if (failure != null) {
        say(
            "The last time "
                + failure.inWords()
                + (failure.time() == null ? "" : ", " + since(failure.time()) + " ago"));
      }
    }
    if (reason == null && trouble == null) {
      say("There is nothing to wait for but its end");
    }
  }

  private void pending(@Nullable String reason) {
    String message = job.message();
    PodTrouble trouble = PodTrouble.of(pods);
    boolean plain = reason == null || List.of("NotFinished", "Resuming").contains(reason);
    say(
        job.title()
            + (job.phase() == Phase.Resuming ? " has been resuming" : " has been pending")
            + waitingSince()
            + (plain ? "" : " (" + reason + ")")
            + ": "
            + (message == null ? job.running() + " of " + job.desired() + " pods run" : message));
    if ("Restarting".equals(reason)) {
      restart();
      PodFailure failure = job.lastFailure();
      if (failure != null) {
        rootCause(failure, message == null ? "" : "" + failure.pod() + message);
      }
    }
    if (plain && trouble != null) {
      say(trouble.who() + ": " + describe(trouble));
      startEvents(trouble);
    } else if (plain && pods.isEmpty() && seen.podsKnown()) {
      lastWarning();
    } else if (reason != null && !plain) {
      schedulersWords(reason, message, trouble);
      advise(reason);
    }
  }

  private String waitingSince() {
    Instant since = job.condition("Running").time("lastTransitionTime");
    since = since == null ? job.created() : since;
    return since == null ? "" : " for " + since(since);
  }

  /** The job's own message may be older than what the scheduler says now. */
  private void schedulersWords(
      String reason, @Nullable String message, @Nullable PodTrouble trouble) {
    if (reason.equals("Unschedulable")
        && trouble != null
        && trouble.kind() == PodTrouble.Kind.UNSCHEDULABLE
        && (message == null || !message.contains(trouble.words()))) {
      say("The scheduler says of " + trouble.who() + ": " + trouble.words());
    }
  }

  // ------------------------------------------------------------------ parts of sentences

  private String describe(PodTrouble trouble) {
    return switch (trouble.kind()) {
      case IMAGE -> trouble.words() + ". " + advice("ImagePullFailed");
      case UNSCHEDULABLE -> trouble.words() + ". " + advice("Unschedulable");
      case GATED -> "held back by scheduling gates, which whoever set them takes away";
      case CRASH_LOOP, START -> trouble.words();
      case STARTING -> "on " + trouble.first().node() + ", and being started there";
    };
  }

  private void startEvents(PodTrouble trouble) {
    if (trouble.kind() != PodTrouble.Kind.STARTING) {
      return;
    }
    for (int i = seen.events().size() - 1; i >= 0; i--) {
      JobEvent event = seen.events().get(i);
      if (event.object().equals("Pod") && event.warning()) {
        say("Its node says (" + event.reason() + "): " + event.message());
        return;
      }
    }
  }

  private void lastWarning() {
    for (int i = seen.events().size() - 1; i >= 0; i--) {
      JobEvent event = seen.events().get(i);
      if (event.warning()) {
        say("It has no pods; the last warning (" + event.reason() + "): " + event.message());
        return;
      }
    }
    say("It has no pods yet");
  }

  private void restart() {
    Instant at = RestartTime.of(job);
    if (at == null) {
      return;
    }
    if (at.isAfter(now)) {
      say(
          "It starts again in "
              + Spans.inWords(Duration.between(now, at))
              + ", at "
              + Spans.moment(at));
    } else {
      say("It starts again now");
    }
  }

  private void advise(String reason) {
    String advice = advice(reason);
    if (!advice.isEmpty()) {
      say(advice);
    }
  }

  private String advice(String reason) {
    return switch (reason) {
      case "Unschedulable" ->
          "The scheduler tries again by itself whenever something changes: free or add nodes, or ask"
              + " for less";
      case "ImagePullFailed" ->
          "The kubelet goes on trying, at most five minutes apart: correct the registry or the pull"
              + " secret, or create the job again with the right image";
      case "QuotaExceeded" ->
          "The operator goes on trying: raise the quota, or end something else in namespace "
              + job.namespace();
      case "PodRejected" -> "It is tried again until the cluster allows it";
      case "WaitingForQueue" ->
          "Nothing is wrong: it starts when"
              + (job.queue() == null ? " its queue" : " the queue " + job.queue())
              + " admits it (kubectl get workloads.kueue.x-k8s.io -n "
              + job.namespace()
              + ")";
      case "WaitingForGang" ->
          "It starts when its scheduler can place all of its pods at once"
              + (job.queue() == null ? "" : " (queue " + job.queue() + ")");
      case "ReplicaFailed" -> "The operator is finding out whose failure it was";
      default -> "";
    };
  }

  private void training() {
    Training training = job.training();
    if (training == null) {
      return;
    }
    List<String> parts = new ArrayList<>();
    if (training.progress() != null) {
      parts.add(training.progress() + " % done");
    }
    if (training.remaining() != null) {
      parts.add("about " + Spans.inWords(training.remaining()) + " left");
    }
    training.metrics().forEach((name, value) -> parts.add(name + " " + value));
    if (!parts.isEmpty()) {
      say(
          "Its last report"
              + (training.updatedAt() == null ? "" : ", " + since(training.updatedAt()) + " ago")
              + ": "
              + String.join(", ", parts));
    }
  }

  private void deadline() {
    Instant deadline = job.deadline();
    if (deadline != null) {
      say(
          "It is ended at "
              + Spans.moment(deadline)
              + " (in "
              + Spans.inWords(Duration.between(now, deadline))
              + ") if it has not ended before (runPolicy.activeDeadlineSeconds)");
    }
  }

  private void removal() {
    Instant removal = job.removal();
    if (removal != null) {
      say(
          "It is deleted in "
              + Spans.inWords(Duration.between(now, removal))
              + " (runPolicy.ttlSecondsAfterFinished)");
    }
  }

  private String took() {
    return job.started() == null || job.completed() == null
        ? ""
        : ", "
            + Spans.inWords(Duration.between(job.started(), job.completed()))
            + " after its start";
  }

  private String restartsInAll() {
    return job.countedRestarts() + job.disruptions() == 0 ? "" : "; restarts: " + restarts();
  }

  private String restarts() {
    List<String> parts = new ArrayList<>();
    if (job.countedRestarts() > 0) {
      Integer limit = job.backoffLimit();
      parts.add(
          count(job.countedRestarts(), "failure")
              + " (backoffLimit "
              + (limit == null ? "none" : job.restartsThatCount() + " of " + limit + " used")
              + ")");
    }
    if (job.disruptions() > 0) {
      parts.add(count(job.disruptions(), "disruption") + ", which cost nothing");
    }
    return String.join(" and ", parts);
  }

  private String reference() {
    return job.kind() == JobKind.TRAINING_JOB ? job.name() : job.kind().word() + "/" + job.name();
  }

  private String since(Instant moment) {
    return Spans.inWords(Duration.between(moment, now));
  }

  private static String count(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }

  private void say(String sentence) {
    String text = sentence.strip().replaceAll("\\s+", " ");
    String end = text.endsWith(".") || text.endsWith("!") || text.endsWith("?") ? "" : ".";
    sentences.add(text + end);
  }
}
