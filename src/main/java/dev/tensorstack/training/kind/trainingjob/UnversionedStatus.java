package dev.tensorstack.training.kind.trainingjob;

import dev.tensorstack.training.core.ledger.IndexRanges;
import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.JobPhase;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaCounts;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.ReplicaPhase;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.naming.Conditions;
import dev.tensorstack.training.core.naming.JobNaming;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ContainerState;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.LastFailure;
import dev.tensorstack.training.kind.trainingjob.v1beta1.OmittedReplicas;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RecentDisruption;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaAggregate;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TaskStatus;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads ledger and summary from a status that a version has written which had no form of its own
 * for them. What somebody has edited into nonsense is read as absent: the pods still say what
 * exists.
 */
final class UnversionedStatus {

  private static final Set<String> FAILED_OR_GONE =
      Set.of(ReplicaPhase.Failed.name(), ReplicaPhase.Deleted.name());

  /** What {@code cause} says of a replica that failed because of a disruption. */
  private static final String DISRUPTION = "Disruption";

  /** The exit codes of SIGKILL and SIGTERM. */
  private static final Set<Integer> STOPPED = Set.of(137, 143);

  private UnversionedStatus() {}

  /**
   * Reads the ledger.
   *
   * @param status the status
   * @param names the names of the job
   * @return the ledger
   */
  static Ledger ledger(PyTorchTrainingJobStatus status, JobNaming names) {
    Map<String, Integer> restartCounts = new LinkedHashMap<>();
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    Set<ReplicaId> removed = new HashSet<>();
    Map<String, Integer> unlisted = new LinkedHashMap<>();
    Set<String> reported = new HashSet<>();
    for (TaskStatus task : orEmpty(status.tasks())) {
      if (task.type() == null) {
        continue;
      }
      if (task.restartCount() != null && task.restartCount() > 0) {
        restartCounts.put(task.type(), task.restartCount());
      }
      if (task.omitted() != null) {
        addOmitted(slots, reported, names, task.type(), task.omitted());
      } else if (task.omittedReplicas() != null && task.omittedReplicas() > 0) {
        unlisted.put(task.type(), task.omittedReplicas() + orEmpty(task.replicas()).size());
      }
      addRemoved(slots, removed, task);
      for (ReplicaStatus replica : orEmpty(task.replicas())) {
        addSlot(slots, names, task.type(), replica, status.lastFailure());
        if (replica.name() != null
            && ((replica.phase() != null && FAILED_OR_GONE.contains(replica.phase()))
                || replica.cause() != null)) {
          reported.add(replica.name());
        }
      }
    }
    return new Ledger(
        new Ledger.Counts(
            Objects.requireNonNullElse(status.attempt(), 0),
            Objects.requireNonNullElse(status.backoffCount(), 0),
            List.of(),
            Objects.requireNonNullElse(status.disruptionCount(), 0),
            restartCounts),
        pause(orEmpty(status.conditions())),
        null,
        RunModeKind.ofWord(status.runMode()),
        slots,
        removed,
        disrupted(orEmpty(status.recentDisruptions())),
        instant(status.lastShrinkTime()),
        instant(status.shrinkWaitingSince()),
        unlisted,
        reported,
        instant(status.startTime()),
        instant(status.completionTime()),
        outcome(orEmpty(status.conditions())),
        failure(status.lastFailure()),
        null,
        null);
  }

  /**
   * Reads the summary.
   *
   * @param status the status
   * @return the summary; null when the status has no phase
   */
  static @Nullable JobSummary summary(PyTorchTrainingJobStatus status) {
    if (status.phase() == null) {
      return null;
    }
    JobPhase phase = JobPhase.of(status.phase()).orElse(JobPhase.Unknown);
    List<JobCondition> conditions = orEmpty(status.conditions());
    JobCondition running = condition(conditions, Conditions.RUNNING);
    JobCondition problem = condition(conditions, Conditions.REPLICA_FAILURE);
    JobCondition initialized = condition(conditions, Conditions.INITIALIZED);
    ReplicaAggregate counts = status.aggregate();
    String reason =
        status.columns() != null && status.columns().reason() != null
            ? status.columns().reason()
            : running == null ? null : running.reason();
    return new JobSummary(
        Objects.requireNonNullElse(status.observedGeneration(), 0L),
        phase,
        Objects.requireNonNullElse(reason, Conditions.Reasons.NONE),
        running == null ? "" : Objects.requireNonNullElse(running.message(), ""),
        isTrue(initialized),
        phase == JobPhase.Running || hasStoppedRunning(running, initialized),
        isTrue(problem) && problem != null ? problem.reason() : null,
        Objects.requireNonNullElse(status.replicas(), 0),
        counts == null
            ? ReplicaCounts.NONE
            : new ReplicaCounts(
                counts.creating(),
                counts.pending(),
                counts.running(),
                counts.succeeded(),
                counts.failed(),
                counts.unknown(),
                counts.deleted()));
  }

  /** A job that never ran has not been Running since before it was initialized. */
  private static boolean hasStoppedRunning(
      @Nullable JobCondition running, @Nullable JobCondition initialized) {
    Instant notRunning = running == null ? null : instant(running.lastTransitionTime());
    Instant begun = initialized == null ? null : instant(initialized.lastTransitionTime());
    return notRunning != null && begun != null && notRunning.isAfter(begun);
  }

  private static boolean isTrue(@Nullable JobCondition condition) {
    return condition != null && "True".equals(condition.status());
  }

  private static @Nullable JobCondition condition(List<JobCondition> conditions, String type) {
    return conditions.stream()
        .filter(condition -> type.equals(condition.type()))
        .findFirst()
        .orElse(null);
  }

  private static Ledger.@Nullable Failure failure(@Nullable LastFailure last) {
    return last == null
        ? null
        : new Ledger.Failure(
            last.replica(),
            last.pod(),
            cause(last.cause()),
            last.exitCode(),
            last.signal(),
            last.reason(),
            last.node(),
            last.message(),
            instant(last.time()));
  }

  private static @Nullable FailureCause cause(@Nullable String word) {
    for (FailureCause cause : FailureCause.values()) {
      if (cause.name().equals(word)) {
        return cause;
      }
    }
    return null;
  }

  private static void addRemoved(
      Map<ReplicaId, Ledger.Slot> slots, Set<ReplicaId> removed, TaskStatus task) {
    Map<String, Integer> listed =
        Objects.requireNonNullElse(task.removedReplicas(), Map.<String, Integer>of());
    listed.forEach(
        (index, pods) -> {
          if (task.type() != null && index.matches("\\d{1,9}") && pods != null && pods >= 0) {
            ReplicaId id = new ReplicaId(task.type(), Integer.parseInt(index));
            removed.add(id);
            slots.put(id, new Ledger.Slot(pods, null, null));
          }
        });
  }

  private static void addSlot(
      Map<ReplicaId, Ledger.Slot> slots,
      JobNaming names,
      String type,
      ReplicaStatus replica,
      @Nullable LastFailure last) {
    String name = replica.name();
    String prefix = names.instance() + "-" + type + "-";
    if (name == null || !name.startsWith(prefix)) {
      return;
    }
    String rest = name.substring(prefix.length());
    int suffix = rest.indexOf("-r");
    try {
      int index = Integer.parseInt(suffix < 0 ? rest : rest.substring(0, suffix));
      int earlierPods = suffix < 0 ? 0 : Integer.parseInt(rest.substring(suffix + 2));
      slots.put(
          new ReplicaId(type, index),
          new Ledger.Slot(
              earlierPods, replica.uid(), instant(replica.restartAt()), end(replica, last), 0));
    } catch (NumberFormatException notOneOfOurNames) {
      // A status that somebody edited: the pods themselves still say what exists.
      return;
    }
  }

  /** How a listed replica's pod ended; null when it had not. */
  private static Ledger.@Nullable RecordedEnd end(
      ReplicaStatus replica, @Nullable LastFailure last) {
    if (ReplicaPhase.Succeeded.name().equals(replica.phase())) {
      return Ledger.RecordedEnd.SUCCEEDED;
    }
    if (!ReplicaPhase.Failed.name().equals(replica.phase())) {
      return null;
    }
    boolean disruption = DISRUPTION.equals(replica.cause());
    ContainerState culprit = culprit(replica, last);
    return culprit == null
        ? new Ledger.RecordedEnd(false, disruption, null, null)
        : new Ledger.RecordedEnd(false, disruption, culprit.exitCode(), culprit.reason());
  }

  /**
   * The container that the pod failed of. The list does not say which ended first, so what was
   * decided on tells; else one that was told to stop, as sidecars are, comes after the others.
   */
  private static @Nullable ContainerState culprit(
      ReplicaStatus replica, @Nullable LastFailure last) {
    Integer decided =
        last != null && Objects.equals(last.pod(), replica.name()) ? last.exitCode() : null;
    return orEmpty(replica.containers()).stream()
        .filter(container -> container.exitCode() != null && container.exitCode() != 0)
        .min(
            Comparator.comparing(
                    (ContainerState container) -> !Objects.equals(container.exitCode(), decided))
                .thenComparing(UnversionedStatus::wasStopped))
        .orElse(null);
  }

  private static boolean wasStopped(ContainerState container) {
    return container.exitCode() != null && STOPPED.contains(container.exitCode());
  }

  private static void addOmitted(
      Map<ReplicaId, Ledger.Slot> slots,
      Set<String> reported,
      JobNaming names,
      String type,
      OmittedReplicas omitted) {
    Map<Integer, Integer> earlierPods = new HashMap<>();
    Objects.requireNonNullElse(omitted.earlierPods(), Map.<String, String>of())
        .forEach(
            (count, indexes) -> {
              if (count.matches("\\d{1,9}")) {
                IndexRanges.parse(indexes)
                    .forEach(index -> earlierPods.put(index, Integer.valueOf(count)));
              }
            });
    Instant restartAt = instant(omitted.restartAt());
    for (int index : IndexRanges.parse(omitted.creating())) {
      int pods = earlierPods.getOrDefault(index, 0);
      slots.put(new ReplicaId(type, index), new Ledger.Slot(pods, null, restartAt));
    }
    addOmitted(slots, type, omitted.created(), earlierPods, null);
    addOmitted(slots, type, omitted.succeeded(), earlierPods, Ledger.RecordedEnd.SUCCEEDED);
    addOmitted(
        slots,
        type,
        omitted.failed(),
        earlierPods,
        new Ledger.RecordedEnd(false, false, null, null));
    for (int index : IndexRanges.parse(omitted.failed())) {
      reported.add(names.pod(type, index, earlierPods.getOrDefault(index, 0)));
    }
  }

  private static void addOmitted(
      Map<ReplicaId, Ledger.Slot> slots,
      String type,
      @Nullable String indexes,
      Map<Integer, Integer> earlierPods,
      Ledger.@Nullable RecordedEnd end) {
    for (int index : IndexRanges.parse(indexes)) {
      slots.put(
          new ReplicaId(type, index),
          new Ledger.Slot(
              earlierPods.getOrDefault(index, 0), Ledger.Slot.NOT_LISTED, null, end, 0));
    }
  }

  private static List<Ledger.RecentDisruption> disrupted(List<RecentDisruption> listed) {
    List<Ledger.RecentDisruption> disrupted = new ArrayList<>();
    for (RecentDisruption one : listed) {
      ReplicaId replica = one == null ? null : ReplicaId.parse(one.replica());
      Instant time = one == null ? null : instant(one.time());
      if (replica != null && time != null) {
        disrupted.add(new Ledger.RecentDisruption(replica, time));
      }
    }
    return disrupted;
  }

  private static Ledger.Pause pause(List<JobCondition> conditions) {
    for (JobCondition condition : conditions) {
      if (Conditions.PAUSED.equals(condition.type())) {
        if ("True".equals(condition.status())) {
          return Ledger.Pause.PAUSED;
        }
        if (Conditions.Reasons.PAUSED.equals(condition.reason())) {
          return Ledger.Pause.PAUSING;
        }
        return Conditions.Reasons.RESUMING.equals(condition.reason())
            ? Ledger.Pause.RESUMED
            : Ledger.Pause.NONE;
      }
    }
    return Ledger.Pause.NONE;
  }

  private static Ledger.@Nullable Outcome outcome(List<JobCondition> conditions) {
    Ledger.Outcome outcome = null;
    for (JobCondition condition : conditions) {
      if (!"True".equals(condition.status())) {
        continue;
      }
      String reason = Objects.requireNonNullElse(condition.reason(), "-");
      String message = Objects.requireNonNullElse(condition.message(), "");
      if (Conditions.FAILED.equals(condition.type())) {
        return new Ledger.Outcome(false, reason, message);
      }
      if (Conditions.COMPLETED.equals(condition.type())) {
        outcome = new Ledger.Outcome(Conditions.Reasons.SUCCEEDED.equals(reason), reason, message);
      }
    }
    return outcome;
  }

  /**
   * A moment of a status; null when there is none, or when somebody has written what is no time: it
   * is found out anew.
   */
  static @Nullable Instant instant(@Nullable String text) {
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeParseException noTime) {
      return null;
    }
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }
}
