package dev.tensorstack.training.observation;

import dev.tensorstack.training.api.v1beta1.JobCondition;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.api.v1beta1.ReplicaPhase;
import dev.tensorstack.training.api.v1beta1.ReplicaStatus;
import dev.tensorstack.training.api.v1beta1.TaskStatus;
import dev.tensorstack.training.naming.Conditions;
import dev.tensorstack.training.naming.JobNames;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the ledger from a status. What somebody has edited into nonsense is read as absent: the
 * pods still say what exists.
 */
final class LedgerReader {

  private static final Set<String> FAILED_OR_GONE =
      Set.of(ReplicaPhase.Failed.name(), ReplicaPhase.Deleted.name());

  private LedgerReader() {}

  /** Reads it; all zero for a job without status. */
  static Ledger read(@Nullable PyTorchTrainingJobStatus status, JobNames names) {
    if (status == null) {
      return new Ledger(
          Ledger.Counts.ZERO,
          Ledger.Pause.NONE,
          null,
          Map.of(),
          Set.of(),
          null,
          Map.of(),
          Set.of(),
          null,
          null,
          null,
          null);
    }
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
      if (task.omittedReplicas() != null && task.omittedReplicas() > 0) {
        unlisted.put(task.type(), task.omittedReplicas() + orEmpty(task.replicas()).size());
      }
      addRemoved(slots, removed, task);
      for (ReplicaStatus replica : orEmpty(task.replicas())) {
        addSlot(slots, names, task.type(), replica);
        if (replica.name() != null
            && replica.phase() != null
            && FAILED_OR_GONE.contains(replica.phase())) {
          reported.add(replica.name());
        }
      }
    }
    return new Ledger(
        new Ledger.Counts(
            Objects.requireNonNullElse(status.attempt(), 0),
            Objects.requireNonNullElse(status.backoffCount(), 0),
            Objects.requireNonNullElse(status.disruptionCount(), 0),
            restartCounts),
        pause(orEmpty(status.conditions())),
        RunModeKind.ofWord(status.runMode()),
        slots,
        removed,
        instant(status.lastShrinkTime()),
        unlisted,
        reported,
        instant(status.startTime()),
        instant(status.completionTime()),
        outcome(orEmpty(status.conditions())),
        status.lastFailure());
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
      Map<ReplicaId, Ledger.Slot> slots, JobNames names, String type, ReplicaStatus replica) {
    String name = replica.name();
    String prefix = names.base() + "-" + type + "-";
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
          new Ledger.Slot(earlierPods, replica.uid(), instant(replica.restartAt())));
    } catch (NumberFormatException notOneOfOurNames) {
      // A status that somebody edited: the pods themselves still say what exists.
      return;
    }
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

  /** Null also for what somebody wrote by hand and is no time: it is found out anew. */
  private static @Nullable Instant instant(@Nullable String text) {
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
