package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.kind.pytorchjob.v1.JobCondition;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the status of a PyTorchJob says. Conditions, times and pods by type are what clients read;
 * counts and the present pod of each replica are only in the part that is the operator's own.
 */
final class PyTorchJobWords {

  private PyTorchJobWords() {}

  static Stated of(PyTorchJobStatus status) {
    if (status == null || status.ledger() == null) {
      return Stated.NOTHING;
    }
    StoredLedger ledger = status.ledger();
    Map<ReplicaId, Stated.Entry> replicas = new LinkedHashMap<>();
    Map<ReplicaId, Integer> removed = new HashMap<>();
    orNone(ledger.replicas())
        .forEach(
            (type, of) -> {
              Set<Integer> present = indexes(of.present());
              present.forEach(
                  index -> replicas.put(new ReplicaId(type, index), entry(type, index, of)));
              for (int index : indexes(of.removed())) {
                if (!present.contains(index)) {
                  removed.put(new ReplicaId(type, index), number(of.earlierPods(), index));
                }
              }
            });
    return new Stated(
        state(status),
        orZero(ledger.attempt()),
        orZero(ledger.backoff()),
        orZero(ledger.disruptions()),
        orNone(ledger.restarts()),
        replicas,
        Set.of(),
        removed,
        null,
        time(status.startTime()),
        time(status.completionTime()),
        isTrue(status, "Succeeded")
            ? "Succeeded"
            : isTrue(status, "Failed") ? ledger.outcome().reason() : null,
        null,
        isTrue(status, "Suspended") ? "Paused" : "-");
  }

  private static Stated.Entry entry(String type, int index, StoredLedger.Replicas of) {
    String uid = orNone(of.uids()).get(Integer.toString(index));
    String phase = uid == null ? "Creating" : "Running";
    for (StoredLedger.End end : of.ended() == null ? List.<StoredLedger.End>of() : of.ended()) {
      if (indexes(end.indexes()).contains(index)) {
        phase = Boolean.TRUE.equals(end.succeeded()) ? "Succeeded" : "Failed";
      }
    }
    String restartAt = null;
    for (Map.Entry<String, String> one : orNone(of.restartAt()).entrySet()) {
      restartAt = indexes(one.getValue()).contains(index) ? one.getKey() : restartAt;
    }
    return new Stated.Entry(
        PyTorchJobResource.NAMES.pod(type, index, 0),
        number(of.earlierPods(), index),
        uid,
        phase,
        time(restartAt));
  }

  /** What the column STATE would show, were it for what is true only. */
  private static String state(PyTorchJobStatus status) {
    String state = "";
    for (JobCondition condition : conditions(status)) {
      state = "True".equals(condition.status()) ? condition.type() : state;
    }
    return state;
  }

  static boolean isTrue(PyTorchJobStatus status, String type) {
    JobCondition condition = condition(status, type);
    return condition != null && "True".equals(condition.status());
  }

  /** A condition; null when it is not in the list. */
  static JobCondition condition(PyTorchJobStatus status, String type) {
    return conditions(status).stream()
        .filter(one -> type.equals(one.type()))
        .findFirst()
        .orElse(null);
  }

  static List<JobCondition> conditions(PyTorchJobStatus status) {
    return status == null || status.conditions() == null ? List.of() : status.conditions();
  }

  private static int number(Map<String, String> byNumber, int index) {
    for (Map.Entry<String, String> one : orNone(byNumber).entrySet()) {
      if (indexes(one.getValue()).contains(index)) {
        return Integer.parseInt(one.getKey());
      }
    }
    return 0;
  }

  /** The indexes of ranges such as {@code 0-2,5}. */
  private static Set<Integer> indexes(String ranges) {
    if (ranges == null || ranges.isEmpty()) {
      return new HashSet<>();
    }
    Set<Integer> indexes = new TreeSet<>();
    for (String range : ranges.split(",")) {
      String[] ends = range.split("-");
      int last = Integer.parseInt(ends[ends.length - 1]);
      for (int index = Integer.parseInt(ends[0]); index <= last; index++) {
        indexes.add(index);
      }
    }
    return indexes;
  }

  private static int orZero(Integer number) {
    return number == null ? 0 : number;
  }

  private static Instant time(String text) {
    return text == null ? null : Instant.parse(text);
  }

  private static <K, V> Map<K, V> orNone(Map<K, V> map) {
    return map == null ? Map.of() : map;
  }
}
