package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.ledger.Training;
import dev.tensorstack.training.core.model.JobPhase;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaCounts;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.naming.Conditions.Reasons;
import dev.tensorstack.training.core.naming.Events;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.WriteFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which events a report is worth (docs/reference/conditions.md, Events): the difference between
 * what was stored of a job and what is said about it now.
 */
public final class EventReport {

  private static final int NAMED = 3;

  /** Of more replicas it is not said which are new. */
  private static final int NAMES_ARE_COMPARED = 1_000;

  private static final Set<String> WORTH_AN_EVENT =
      Set.of(Events.UNSCHEDULABLE, Events.IMAGE_PULL_FAILED, Events.WAITING_FOR_GANG);

  private final Observation seen;
  private final Ledger ledgerBefore;
  private final @Nullable JobSummary before;
  private final JobReport report;
  private final Ledger ledger;
  private final JobSummary after;
  private final List<JobEvent> events = new ArrayList<>();

  private EventReport(Observation seen, JobReport report) {
    this.seen = seen;
    this.ledgerBefore = seen.job().ledger();
    this.before = seen.job().summary();
    this.report = report;
    this.ledger = report.ledger();
    this.after = report.summary();
  }

  /**
   * The events of a change.
   *
   * @param seen the job's world; the job has what was stored before
   * @param report what is to be stored
   * @return what to tell, in order; empty when nothing happened that a user wants to know
   */
  public static List<JobEvent> between(Observation seen, JobReport report) {
    EventReport found = new EventReport(seen, report);
    found.started();
    found.scaled();
    found.failed();
    found.hangs();
    found.restarted();
    found.refused();
    found.newReplicas();
    found.running();
    found.waiting();
    found.held();
    found.paused();
    found.ended();
    return found.events;
  }

  private void normal(String reason, String message) {
    events.add(new JobEvent(reason, false, ledger.counts().attempt(), message));
  }

  private void warning(String reason, String message) {
    events.add(new JobEvent(reason, true, ledger.counts().attempt(), message));
  }

  private void started() {
    if (ledger.startTime() != null && (before == null || ledgerBefore.startTime() == null)) {
      normal(
          Events.CREATED,
          "creating the Service and "
              + (after.replicas() == 1 ? "1 pod" : after.replicas() + " pods"));
    }
  }

  private void scaled() {
    if (before != null
        && ledgerBefore.startTime() != null
        && !hasEnded(ledger)
        && before.replicas() != after.replicas()) {
      normal(
          Events.SCALED,
          "from " + before.replicas() + " to " + after.replicas() + " nodes" + ofTheSpec());
    }
  }

  /** What somebody has edited in the rest of it is no other failure. */
  private boolean isSame(Ledger.Failure failure, Ledger.@Nullable Failure other) {
    return other != null
        && Objects.equals(failure.pod(), other.pod())
        && (!seen.job().spec().traits().reusesPodNames()
            || Objects.equals(failure.time(), other.time()))
        && Objects.equals(failure.exitCode(), other.exitCode())
        && Objects.equals(failure.reason(), other.reason())
        && Objects.equals(failure.message(), other.message());
  }

  private void failed() {
    Ledger.Failure failure = ledger.lastFailure();
    if (failure == null || isSame(failure, ledgerBefore.lastFailure())) {
      return;
    }
    int failedIn = (before == null ? ledger : ledgerBefore).counts().attempt();
    String hang = failure.reason();
    if (hang != null && (hang.equals(Events.NO_PROGRESS) || hang.equals(Events.NOT_A_NUMBER))) {
      events.add(
          new JobEvent(hang, true, failedIn, Objects.requireNonNullElse(failure.message(), "")));
      return;
    }
    events.add(
        new JobEvent(
            Events.REPLICA_FAILED,
            true,
            failedIn,
            "pod "
                + failure.pod()
                + " ("
                + failure.replica()
                + ") failed"
                + (failure.exitCode() == null ? "" : " with exit code " + failure.exitCode())
                + ": "
                + failure.reason()
                + (failure.message() == null ? "" : ", " + failure.message())));
  }

  /** Of a hang that starts the job anew, or ends it, {@link #failed} tells. */
  private void hangs() {
    Training.Problem hang = problem(ledger);
    Training.Problem known = problem(ledgerBefore);
    if (hang != null && (known == null || !known.reason().equals(hang.reason()))) {
      warning(hang.reason(), hang.message());
    }
  }

  private static Training.@Nullable Problem problem(Ledger of) {
    return of.training() == null ? null : of.training().problem();
  }

  private void restarted() {
    if (restarts(ledger) > restarts(ledgerBefore)) {
      normal(
          Events.RESTARTING,
          "attempt "
              + ledger.counts().attempt()
              + ", counted restarts "
              + ledger.counts().backoff()
              + ", disruptions "
              + ledger.counts().disruptions());
    }
  }

  private static int restarts(Ledger ledger) {
    return ledger.counts().restarts().values().stream().mapToInt(Integer::intValue).sum();
  }

  private void refused() {
    if (hasEnded(ledger)) {
      return;
    }
    WriteFailure autoscaler =
        seen.refused().get(ObjectWrite.of(ObjectKind.AUTOSCALER, seen.job().names().autoscaler()));
    if (autoscaler != null
        && after.message().contains(autoscaler.message())
        && !messageBefore().contains(autoscaler.message())) {
      warning(Events.CREATE_FAILED, autoscaler.describe());
    }
    if (tellsOfARefusal() && report.problem() != null && !messageBefore().equals(after.message())) {
      warning(Events.CREATE_FAILED, after.message());
    }
  }

  /** Whether a creation was refused about which somebody has to do something, and it is told. */
  private boolean tellsOfARefusal() {
    return seen.refused().byWrite().values().stream()
        .anyMatch(
            failure ->
                !failure.passes()
                    && failure.write().verb() == ObjectWrite.Verb.MAKE
                    && after.message().contains(failure.write() + ": "));
  }

  /**
   * Pods that came after those of the start: replacements, and what a job has grown by. They are
   * told when they exist: before that they may still wait, for the pod of before too. Those that
   * come together are told together.
   */
  private void newReplicas() {
    if (before == null
        || ledgerBefore.startTime() == null
        || ledger.startTime() == null
        || hasEnded(ledger)
        || after.reason().equals(Reasons.PAUSED)
        || ledgerBefore.slots().isEmpty()
        || !ledgerBefore.unlisted().isEmpty()
        || report.replicas().size() > NAMES_ARE_COMPARED
        || moreAreToCome()) {
      return;
    }
    boolean allHaveExisted = before.initialized();
    List<String> names =
        report.replicas().stream()
            .filter(replica -> isNew(replica, allHaveExisted))
            .map(ReplicaReport::pod)
            .toList();
    if (!names.isEmpty()) {
      normal(
          Events.NEW_REPLICA,
          "created "
              + (names.size() <= NAMED
                  ? String.join(", ", names)
                  : String.join(", ", names.subList(0, NAMED))
                      + " and "
                      + (names.size() - NAMED)
                      + " more"));
    }
  }

  /** Whether pods are missing that wait neither for a delay nor for the API server to take them. */
  private boolean moreAreToCome() {
    return report.replicas().stream()
            .anyMatch(replica -> replica.slot().uid() == null && replica.restartAt() == null)
        && report.replicas().stream()
            .noneMatch(replica -> seen.refused().get(ObjectWrite.pod(replica.pod())) != null);
  }

  /**
   * Whether its pod is seen for the first time and is none of the start.
   *
   * @param allHaveExisted whether those of the start were all there before
   */
  private boolean isNew(ReplicaReport replica, boolean allHaveExisted) {
    Ledger.Slot slot = replica.slot();
    Ledger.Slot old = slotBefore(replica.id());
    boolean known = old != null && old.earlierPods() == slot.earlierPods() && old.uid() != null;
    // Right after a resume, all pods have had earlier ones.
    boolean replacement = slot.earlierPods() > 0 && ledger.pause() == Ledger.Pause.NONE;
    return slot.uid() != null && !known && (allHaveExisted || replacement);
  }

  /** Null for a replica that scaling had taken away, too. */
  private Ledger.@Nullable Slot slotBefore(ReplicaId id) {
    return ledgerBefore.removed().contains(id) ? null : ledgerBefore.slots().get(id);
  }

  private void running() {
    JobSummary same =
        before != null && ledgerBefore.counts().attempt() == ledger.counts().attempt()
            ? before
            : null;
    boolean runs = after.phase() == JobPhase.Running;
    if (!runs && (same == null || !haveRun(same.counts())) && haveRun(after.counts())) {
      normal(Events.START, "the first pods run");
    }
    if (runs && (same == null || same.phase() != JobPhase.Running)) {
      normal(Events.RUNNING, after.counts().running() + "/" + after.replicas() + " pods run");
    }
  }

  private static boolean haveRun(ReplicaCounts counts) {
    return counts.running() + counts.succeeded() + counts.failed() > 0;
  }

  /** What keeps pods from running, and somebody may have to do something about. */
  private void waiting() {
    String reason = after.reason();
    if (hasEnded(ledger)) {
      return;
    }
    if (before != null && reason.equals(reasonOf(before))) {
      // A scheduler or a queue has only now said why.
      if (reason.equals(Reasons.WAITING_FOR_GANG) && isOtherCause(before.message())) {
        warning(reason, after.message());
      }
      if (reason.equals(Reasons.UNSCHEDULABLE) && isNewOfTheQueue(before.message())) {
        warning(reason, after.message());
      }
      return;
    }
    // Of pods and the Service it was told with their refusal; of a PodGroup here.
    if (reason.equals(Reasons.POD_REJECTED)
        && events.stream().noneMatch(event -> event.reason().equals(Events.CREATE_FAILED))) {
      warning(Events.CREATE_FAILED, after.message());
    }
    if (WORTH_AN_EVENT.contains(reason)) {
      warning(reason, after.message());
    }
    if (reason.equals(Reasons.WAITING_FOR_QUEUE) && ledger.hold() == null) {
      normal(Events.WAITING_FOR_QUEUE, after.message());
    }
  }

  /** Whether it is known only now what the gang's queue lacks, or it is something else. */
  private boolean isNewOfTheQueue(String before) {
    String hindrance = PendingReason.hindrance(seen);
    return hindrance != null && after.message().endsWith(hindrance) && !before.endsWith(hindrance);
  }

  /** That more pods wait for the same is no news: messages may begin with their names. */
  private boolean isOtherCause(String before) {
    String message = after.message();
    return !before.endsWith(message.substring(message.indexOf(": ") + 1));
  }

  /** A job that waits for its first turn has nothing to stop, which is told as waiting. */
  private void held() {
    if (hasEnded(ledger)) {
      return;
    }
    if (ledger.hold() != null && ledgerBefore.hold() == null) {
      events.add(new JobEvent(Events.EVICTED, false, turn(), after.message()));
    } else if (ledger.hold() == null
        && ledgerBefore.hold() != null
        && ledger.pause() != Ledger.Pause.PAUSING
        && ledger.pause() != Ledger.Pause.PAUSED) {
      events.add(
          new JobEvent(
              Events.ADMITTED, false, turn(), "admitted by its queue, the pods are created again"));
    }
  }

  /** Each turn in a queue makes other pods; the same attempt may have several. */
  private int turn() {
    return ledger.counts().attempt()
        + ledger.slots().values().stream().mapToInt(Ledger.Slot::earlierPods).sum();
  }

  /** Of a job that has ended badly, that it has failed. */
  private static String reasonOf(JobSummary summary) {
    return summary.phase() == JobPhase.Failed ? Reasons.FAILED : summary.reason();
  }

  private void paused() {
    boolean was = JobReport.pause(ledgerBefore) == Ledger.Pause.PAUSED;
    boolean is = JobReport.pause(ledger) == Ledger.Pause.PAUSED;
    if (is && !was) {
      boolean ran = ledger.startTime() != null;
      normal(
          Events.PAUSED,
          (ran ? "paused, its pods are gone" : "paused, no pod was created yet") + ofTheSpec());
    } else if (was && !is && !hasEnded(ledger)) {
      normal(Events.RESUMED, "resumed, its pods are created again" + ofTheSpec());
    }
  }

  private void ended() {
    if (hasEnded(ledgerBefore)) {
      return;
    }
    if (after.phase() == JobPhase.Succeeded) {
      normal(Events.SUCCEEDED, after.message());
    } else if (after.phase() == JobPhase.Failed) {
      boolean deadline = Reasons.DEADLINE_EXCEEDED.equals(after.reason());
      warning(deadline ? Events.DEADLINE_EXCEEDED : Events.FAILED, after.message());
    }
  }

  private static boolean hasEnded(Ledger ledger) {
    return ledger.completionTime() != null;
  }

  private String messageBefore() {
    return before == null ? "" : before.message();
  }

  /** The spec's generation tells a second pause in one attempt from a repeated report of one. */
  private String ofTheSpec() {
    return " (generation " + after.generation() + " of the spec)";
  }
}
