package dev.tensorstack.training.status;

import dev.tensorstack.training.api.v1beta1.JobCondition;
import dev.tensorstack.training.api.v1beta1.JobPhase;
import dev.tensorstack.training.api.v1beta1.LastFailure;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.api.v1beta1.ReplicaAggregate;
import dev.tensorstack.training.api.v1beta1.ReplicaStatus;
import dev.tensorstack.training.api.v1beta1.TaskStatus;
import dev.tensorstack.training.naming.Conditions;
import dev.tensorstack.training.naming.Conditions.Reasons;
import dev.tensorstack.training.naming.Events;
import dev.tensorstack.training.naming.ObjectKind;
import dev.tensorstack.training.observation.ObjectWrite;
import dev.tensorstack.training.observation.Observation;
import dev.tensorstack.training.observation.WriteFailure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which events a change of the status is worth (docs/reference/conditions.md, Events). */
public final class EventReport {

  private static final int NAMED = 3;

  private static final Set<String> WORTH_AN_EVENT =
      Set.of(Events.UNSCHEDULABLE, Events.IMAGE_PULL_FAILED, Events.WAITING_FOR_GANG);

  private EventReport() {}

  /**
   * The events of a change.
   *
   * @param seen the job's world; its status is the one before
   * @param after the status to be written
   * @return what to tell, in order; empty when nothing happened that a user wants to know
   */
  public static List<JobEvent> between(Observation seen, PyTorchTrainingJobStatus after) {
    PyTorchTrainingJobStatus before = seen.job().status();
    List<JobEvent> events = new ArrayList<>();
    int attempt = Objects.requireNonNullElse(after.attempt(), 0);
    started(before, after, attempt, events);
    scaled(before, after, attempt, events);
    failures(seen, before, after, attempt, events);
    newReplicas(before, after, attempt, events);
    running(before, after, attempt, events);
    waiting(before, after, attempt, events);
    paused(before, after, attempt, events);
    ended(before, after, attempt, events);
    return events;
  }

  private static void started(
      @Nullable PyTorchTrainingJobStatus before,
      PyTorchTrainingJobStatus after,
      int attempt,
      List<JobEvent> events) {
    if (after.startTime() != null && (before == null || before.startTime() == null)) {
      events.add(
          new JobEvent(
              Events.CREATED,
              false,
              attempt,
              "creating the Service and " + after.replicas() + " pods"));
    }
  }

  private static void scaled(
      @Nullable PyTorchTrainingJobStatus before,
      PyTorchTrainingJobStatus after,
      int attempt,
      List<JobEvent> events) {
    if (before == null
        || before.startTime() == null
        || before.replicas() == null
        || after.completionTime() != null
        || before.replicas().equals(after.replicas())) {
      return;
    }
    events.add(
        new JobEvent(
            Events.SCALED,
            false,
            attempt,
            "from " + before.replicas() + " to " + after.replicas() + " nodes" + of(after)));
  }

  /**
   * Pods that come after those of the start: replacements, and what a job has grown by. One that
   * has to wait is told when it exists.
   */
  private static void newReplicas(
      @Nullable PyTorchTrainingJobStatus before,
      PyTorchTrainingJobStatus after,
      int attempt,
      List<JobEvent> events) {
    if (before == null
        || before.startTime() == null
        || after.startTime() == null
        || after.completionTime() != null
        || !createsPods(after)
        || leavesOutReplicas(before)
        || leavesOutReplicas(after)) {
      // Of a status that leaves out replicas most are not named: those that appear need not be new.
      return;
    }
    Map<String, Boolean> known = waitingByPod(before);
    boolean anyWaits = waitingByPod(after).containsValue(true);
    List<String> names = new ArrayList<>();
    waitingByPod(after)
        .forEach(
            (name, waits) -> {
              boolean waited = known.getOrDefault(name, false);
              if (!waits && (waited ? !anyWaits : !known.containsKey(name))) {
                names.add(name);
              }
            });
    if (known.isEmpty() || names.isEmpty()) {
      return;
    }
    events.add(
        new JobEvent(
            Events.NEW_REPLICA,
            false,
            attempt,
            "creating "
                + (names.size() <= NAMED
                    ? String.join(", ", names)
                    : String.join(", ", names.subList(0, NAMED))
                        + " and "
                        + (names.size() - NAMED)
                        + " more")));
  }

  private static boolean leavesOutReplicas(PyTorchTrainingJobStatus status) {
    return Objects.requireNonNullElse(status.tasks(), List.<TaskStatus>of()).stream()
        .anyMatch(task -> task.omittedReplicas() != null && task.omittedReplicas() > 0);
  }

  /** Neither a job that pauses nor one whose PodGroup is missing does. */
  private static boolean createsPods(PyTorchTrainingJobStatus status) {
    String reason = reason(status);
    return !reason.equals(Reasons.PAUSED) && !reason.equals(Reasons.WAITING_FOR_GANG);
  }

  /** Whether a delay holds back the creation of each pod, by its name. */
  private static Map<String, Boolean> waitingByPod(PyTorchTrainingJobStatus status) {
    Map<String, Boolean> waiting = new LinkedHashMap<>();
    for (TaskStatus task : Objects.requireNonNullElse(status.tasks(), List.<TaskStatus>of())) {
      for (ReplicaStatus replica :
          Objects.requireNonNullElse(task.replicas(), List.<ReplicaStatus>of())) {
        if (replica.name() != null) {
          waiting.put(replica.name(), replica.restartAt() != null);
        }
      }
    }
    return waiting;
  }

  /** What somebody has edited in the rest of it is no other failure. */
  private static boolean isSame(LastFailure failure, @Nullable LastFailure before) {
    return before != null
        && Objects.equals(failure.pod(), before.pod())
        && Objects.equals(failure.exitCode(), before.exitCode())
        && Objects.equals(failure.reason(), before.reason())
        && Objects.equals(failure.message(), before.message());
  }

  private static void failures(
      Observation seen,
      @Nullable PyTorchTrainingJobStatus before,
      PyTorchTrainingJobStatus after,
      int attempt,
      List<JobEvent> events) {
    LastFailure failure = after.lastFailure();
    if (failure != null && (before == null || !isSame(failure, before.lastFailure()))) {
      int failedIn = before == null ? attempt : Objects.requireNonNullElse(before.attempt(), 0);
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
    if (restarts(after) > restarts(before)) {
      events.add(
          new JobEvent(
              Events.RESTARTING,
              false,
              attempt,
              "attempt "
                  + attempt
                  + ", counted restarts "
                  + after.backoffCount()
                  + ", disruptions "
                  + after.disruptionCount()));
    }
    WriteFailure autoscaler = refusedAutoscaler(seen);
    if (autoscaler != null
        && after.completionTime() == null
        && message(after).contains(autoscaler.message())
        && !message(before).contains(autoscaler.message())) {
      events.add(new JobEvent(Events.CREATE_FAILED, true, attempt, autoscaler.describe()));
    }
    if (tellsOfARefusal(seen, after)
        && after.completionTime() == null
        && isTrue(after, Conditions.REPLICA_FAILURE)
        && !Objects.equals(message(before), message(after))) {
      events.add(new JobEvent(Events.CREATE_FAILED, true, attempt, message(after)));
    }
  }

  private static @Nullable WriteFailure refusedAutoscaler(Observation seen) {
    return seen.refused()
        .get(ObjectWrite.of(ObjectKind.AUTOSCALER, seen.job().names().autoscaler()));
  }

  /** Whether a status says that a creation was refused about which somebody has to do something. */
  private static boolean tellsOfARefusal(Observation seen, PyTorchTrainingJobStatus status) {
    return seen.refused().byWrite().values().stream()
        .anyMatch(
            failure ->
                !failure.passes()
                    && failure.write().verb() == ObjectWrite.Verb.MAKE
                    && message(status).contains(failure.write() + ": "));
  }

  private static void running(
      @Nullable PyTorchTrainingJobStatus before,
      PyTorchTrainingJobStatus after,
      int attempt,
      List<JobEvent> events) {
    PyTorchTrainingJobStatus same =
        before != null && Objects.equals(before.attempt(), after.attempt()) ? before : null;
    boolean ranBefore = same != null && hasRun(same.aggregate());
    if (!ranBefore && hasRun(after.aggregate())) {
      events.add(new JobEvent(Events.START, false, attempt, "the first pods run"));
    }
    if (isTrue(after, Conditions.RUNNING) && !isTrue(same, Conditions.RUNNING)) {
      events.add(
          new JobEvent(
              Events.RUNNING,
              false,
              attempt,
              after.columns() == null ? "the job runs" : after.columns().running() + " pods run"));
    }
  }

  /** What keeps pods from running, and somebody may have to do something about. */
  private static void waiting(
      @Nullable PyTorchTrainingJobStatus before,
      PyTorchTrainingJobStatus after,
      int attempt,
      List<JobEvent> events) {
    String reason = reason(after);
    // Of pods and the Service it was told with their refusal; of a PodGroup here.
    if (reason.equals(Reasons.POD_REJECTED)
        && after.completionTime() == null
        && !reason.equals(reason(before))
        && events.stream().noneMatch(event -> event.reason().equals(Events.CREATE_FAILED))) {
      events.add(new JobEvent(Events.CREATE_FAILED, true, attempt, message(after)));
    }
    if (WORTH_AN_EVENT.contains(reason)
        && after.completionTime() == null
        && !reason.equals(reason(before))) {
      events.add(new JobEvent(reason, true, attempt, message(after)));
    }
  }

  private static String reason(@Nullable PyTorchTrainingJobStatus status) {
    JobCondition condition = condition(status, Conditions.RUNNING);
    return condition == null || condition.reason() == null ? Reasons.NONE : condition.reason();
  }

  private static void paused(
      @Nullable PyTorchTrainingJobStatus before,
      PyTorchTrainingJobStatus after,
      int attempt,
      List<JobEvent> events) {
    boolean was = isTrue(before, Conditions.PAUSED);
    boolean is = isTrue(after, Conditions.PAUSED);
    if (is && !was) {
      events.add(
          new JobEvent(Events.PAUSED, false, attempt, "paused, its pods are gone" + of(after)));
    } else if (was && !is && after.completionTime() == null) {
      events.add(
          new JobEvent(
              Events.RESUMED, false, attempt, "resumed, its pods are created again" + of(after)));
    }
  }

  private static void ended(
      @Nullable PyTorchTrainingJobStatus before,
      PyTorchTrainingJobStatus after,
      int attempt,
      List<JobEvent> events) {
    if (before != null && before.completionTime() != null) {
      return;
    }
    if (JobPhase.Succeeded.name().equals(after.phase())) {
      events.add(new JobEvent(Events.SUCCEEDED, false, attempt, message(after)));
    } else if (JobPhase.Failed.name().equals(after.phase())) {
      boolean deadline =
          after.columns() != null && Reasons.DEADLINE_EXCEEDED.equals(after.columns().reason());
      events.add(
          new JobEvent(
              deadline ? Events.DEADLINE_EXCEEDED : Events.FAILED, true, attempt, message(after)));
    }
  }

  /** The spec's generation tells a second pause in one attempt from a repeated report of one. */
  private static String of(PyTorchTrainingJobStatus status) {
    return " (generation " + status.observedGeneration() + " of the spec)";
  }

  private static int restarts(@Nullable PyTorchTrainingJobStatus status) {
    return status == null || status.tasks() == null
        ? 0
        : status.tasks().stream()
            .mapToInt(task -> Objects.requireNonNullElse(task.restartCount(), 0))
            .sum();
  }

  private static boolean hasRun(@Nullable ReplicaAggregate aggregate) {
    return aggregate != null
        && aggregate.running() + aggregate.succeeded() + aggregate.failed() > 0;
  }

  private static boolean isTrue(@Nullable PyTorchTrainingJobStatus status, String type) {
    JobCondition condition = condition(status, type);
    return condition != null && "True".equals(condition.status());
  }

  /** The message of the Running condition, which says how the job is. */
  private static String message(@Nullable PyTorchTrainingJobStatus status) {
    JobCondition condition = condition(status, Conditions.RUNNING);
    return condition == null || condition.message() == null ? "" : condition.message();
  }

  private static @Nullable JobCondition condition(
      @Nullable PyTorchTrainingJobStatus status, String type) {
    if (status == null || status.conditions() == null) {
      return null;
    }
    return status.conditions().stream()
        .filter(condition -> type.equals(condition.type()))
        .findFirst()
        .orElse(null);
  }
}
