package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.naming.JobNaming;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.LastFailure;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TaskStatus;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What a status says, read word by word as users read it; none of the operator's code has a part in
 * it.
 *
 * @param phase the job's phase
 * @param attempt the present attempt
 * @param backoff counted restarts
 * @param disruptions disruptions
 * @param restarts restarts by type
 * @param replicas the replicas wanted, in order
 * @param tolerated those that it calls failed for good, because the budget was used up
 * @param removed how many pods the replicas had that scaling took away
 * @param failure the failure decided on last, or null
 * @param start when the first pods were created, or null
 * @param completion when the job ended, or null
 * @param endReason why it failed, Succeeded, or null while it goes on
 * @param mode what the pods are for, or null before the first
 * @param pause Paused while pods are stopped for a pause and afterwards, Resuming, or {@code -}
 */
record Stated(
    String phase,
    int attempt,
    int backoff,
    int disruptions,
    Map<String, Integer> restarts,
    Map<ReplicaId, Entry> replicas,
    Set<ReplicaId> tolerated,
    Map<ReplicaId, Integer> removed,
    LastFailure failure,
    Instant start,
    Instant completion,
    String endReason,
    RunModeKind mode,
    String pause) {

  /** Before the first status. */
  static final Stated NOTHING =
      new Stated(
          "", 0, 0, 0, Map.of(), Map.of(), Set.of(), Map.of(), null, null, null, null, null, "-");

  /**
   * A replica.
   *
   * @param name the name of its pod
   * @param earlier how many pods it had before, as the name says
   * @param uid the pod's uid once it was seen, or null
   * @param phase the pod's phase
   * @param restartAt not before this time the pod is created, or null
   */
  record Entry(String name, int earlier, String uid, String phase, Instant restartAt) {
    boolean calledEnded() {
      return uid != null && (phase.equals("Succeeded") || phase.equals("Failed"));
    }
  }

  static Stated of(PyTorchTrainingJobStatus status) {
    if (status == null) {
      return NOTHING;
    }
    Map<String, Integer> restarts = new HashMap<>();
    Map<ReplicaId, Entry> replicas = new LinkedHashMap<>();
    Set<ReplicaId> tolerated = new HashSet<>();
    Map<ReplicaId, Integer> removed = Map.of();
    for (TaskStatus task : orNone(status.tasks())) {
      restarts.put(task.type(), task.restartCount() == null ? 0 : task.restartCount());
      String stem = TrainingJobResource.NAMES.base() + "-" + task.type() + "-";
      for (ReplicaStatus replica : orNone(task.replicas())) {
        String rest = replica.name().substring(stem.length());
        int cut = rest.indexOf("-r");
        int index = Integer.parseInt(cut < 0 ? rest : rest.substring(0, cut));
        int earlier = cut < 0 ? 0 : Integer.parseInt(rest.substring(cut + 2));
        replicas.put(
            new ReplicaId(task.type(), index),
            new Entry(
                replica.name(),
                earlier,
                replica.uid(),
                replica.phase(),
                time(replica.restartAt())));
      }
    }
    if (status.ledger() != null && status.ledger().replicas() != null) {
      removed = new HashMap<>();
      for (Map.Entry<String, StoredLedger.Replicas> one : status.ledger().replicas().entrySet()) {
        for (StoredLedger.End end : orNone(one.getValue().ended())) {
          if (Boolean.TRUE.equals(end.tolerated())) {
            indexes(end.indexes())
                .forEach(index -> tolerated.add(new ReplicaId(one.getKey(), index)));
          }
        }
        for (int index : indexes(one.getValue().removed())) {
          removed.put(
              new ReplicaId(one.getKey(), index), earlierPods(one.getValue().earlierPods(), index));
        }
      }
    }
    return new Stated(
        status.phase(),
        orZero(status.attempt()),
        orZero(status.backoffCount()),
        orZero(status.disruptionCount()),
        restarts,
        replicas,
        tolerated,
        removed,
        status.lastFailure(),
        time(status.startTime()),
        time(status.completionTime()),
        endReason(status),
        mode(status.runMode()),
        reason(status, "Paused"));
  }

  private static int earlierPods(Map<String, String> byCount, int index) {
    for (Map.Entry<String, String> one :
        (byCount == null ? Map.<String, String>of() : byCount).entrySet()) {
      if (indexes(one.getValue()).contains(index)) {
        return Integer.parseInt(one.getKey());
      }
    }
    return 0;
  }

  /** The indexes of ranges such as {@code 0-2,5}. */
  private static Set<Integer> indexes(String ranges) {
    Set<Integer> indexes = new HashSet<>();
    for (String range : ranges == null ? new String[0] : ranges.split(",")) {
      String[] ends = range.split("-");
      int last = Integer.parseInt(ends[ends.length - 1]);
      for (int index = Integer.parseInt(ends[0]); index <= last; index++) {
        indexes.add(index);
      }
    }
    return indexes;
  }

  /** Pods may exist before a status lists their replicas: they are known by their names. */
  Stated with(Set<ReplicaId> wanted, Set<String> pods, JobNaming names) {
    Map<ReplicaId, Entry> all = replicas;
    for (ReplicaId id : wanted) {
      if (replicas.containsKey(id)) {
        continue;
      }
      int earlier = removed.getOrDefault(id, 0);
      String name = names.pod(id.type(), id.index(), earlier);
      if (this == NOTHING || pods.contains(name)) {
        all = all == replicas ? new LinkedHashMap<>(replicas) : all;
        all.put(id, new Entry(name, earlier, null, "Creating", null));
      }
    }
    return all == replicas
        ? this
        : new Stated(
            phase,
            attempt,
            backoff,
            disruptions,
            restarts,
            all,
            tolerated,
            removed,
            failure,
            start,
            completion,
            endReason,
            mode,
            pause);
  }

  /** It has ended, well or badly. */
  boolean ended() {
    return endReason != null;
  }

  boolean succeeded() {
    return "Succeeded".equals(endReason);
  }

  /** Its pods were told to stop for a pause, or have stopped. */
  boolean pausing() {
    return pause.equals("Paused");
  }

  boolean debugging() {
    return mode == RunModeKind.DEBUG;
  }

  int restartsOf(String type) {
    return restarts.getOrDefault(type, 0);
  }

  /** What the decisions are about is the same in both; not how the pods get on. */
  boolean sameDecisions(Stated other) {
    return attempt == other.attempt
        && backoff == other.backoff
        && disruptions == other.disruptions
        && sameRestarts(other)
        && Objects.equals(endReason, other.endReason)
        && (ended() || pausing() == other.pausing());
  }

  /** The pods that this replica had before. */
  int earlierOf(ReplicaId id) {
    Entry entry = replicas.get(id);
    return entry == null ? 0 : entry.earlier();
  }

  private boolean sameRestarts(Stated other) {
    for (Map.Entry<String, Integer> one : restarts.entrySet()) {
      if (one.getValue() != other.restartsOf(one.getKey())) {
        return false;
      }
    }
    return true;
  }

  private static String endReason(PyTorchTrainingJobStatus status) {
    for (JobCondition condition : orNone(status.conditions())) {
      if (condition.type().equals("Completed")
          && condition.status().equals("True")
          && condition.reason().equals("Succeeded")) {
        return "Succeeded";
      }
      if (condition.type().equals("Failed") && condition.status().equals("True")) {
        return condition.reason();
      }
    }
    return null;
  }

  private static String reason(PyTorchTrainingJobStatus status, String type) {
    for (JobCondition condition : orNone(status.conditions())) {
      if (condition.type().equals(type)) {
        return condition.reason();
      }
    }
    return "-";
  }

  private static RunModeKind mode(String word) {
    return word == null
        ? null
        : switch (word) {
          case "Train" -> RunModeKind.TRAIN;
          case "Resume" -> RunModeKind.RESUME;
          default -> RunModeKind.DEBUG;
        };
  }

  private static int orZero(Integer number) {
    return number == null ? 0 : number;
  }

  private static Instant time(String text) {
    return text == null ? null : Instant.parse(text);
  }

  private static <T> List<T> orNone(List<T> list) {
    return list == null ? List.of() : list;
  }
}
