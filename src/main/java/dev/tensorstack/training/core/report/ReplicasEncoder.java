package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.ledger.IndexRanges;
import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.model.ReplicaId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a stored ledger says of the replicas.
 *
 * <p>It takes {@value #MOST_BYTES} bytes as far as possible. What would take more is told less
 * exactly, first what nobody misses: see {@link Detail}. Counts of attempts and restarts and the
 * number of the present pod of each replica are always exact, and so is which failures the job goes
 * on without.
 */
public final class ReplicasEncoder {

  /** What the replicas may take before less is said of them. */
  static final int MOST_BYTES = 128 * 1024;

  /** Above this size the uids of pods are not stored. */
  private static final int WITH_UIDS = 1_000;

  /** The kubelet's words are short; those of others may have any length. */
  private static final int LONGEST_REASON = 128;

  /** How exactly the replicas are told. */
  private enum Detail {
    /** Everything. */
    ALL,
    /**
     * Of the replicas that scaling took away only the largest number of pods that any of their type
     * has had. One that comes back may then skip some names.
     */
    WITHOUT_REMOVED,
    /** Pods that have ended without the word for how. */
    WITHOUT_REASONS,
    /** Without exit codes either; the delayed replicas of a type wait for the last of them. */
    LEAST
  }

  private ReplicasEncoder() {}

  /**
   * Writes what is said of the replicas of a report.
   *
   * @return by type; null when there is none
   */
  static @Nullable Map<String, StoredLedger.Replicas> replicas(JobReport report) {
    Map<String, StoredLedger.Replicas> replicas = null;
    for (Detail detail : Detail.values()) {
      replicas = replicas(report, detail);
      if (bytes(replicas) <= MOST_BYTES) {
        return replicas;
      }
    }
    return replicas;
  }

  /**
   * How much a form takes.
   *
   * @param form the form
   * @return about as many bytes as its replicas take in JSON, rather more than less
   */
  public static int bytes(StoredLedger form) {
    return bytes(form.replicas());
  }

  private static int bytes(@Nullable Map<String, StoredLedger.Replicas> replicas) {
    if (replicas == null) {
      return 0;
    }
    int bytes = 0;
    for (Map.Entry<String, StoredLedger.Replicas> one : replicas.entrySet()) {
      StoredLedger.Replicas stored = one.getValue();
      bytes += 120 + one.getKey().length();
      bytes += length(stored.present()) + length(stored.removed());
      bytes += length(stored.created()) + length(stored.reported());
      bytes += bytesOfTexts(stored.uids());
      bytes += bytesOfTexts(stored.earlierPods());
      bytes += bytesOfTexts(stored.restartAt());
      bytes += bytesOfTexts(stored.restarted());
      for (StoredLedger.End end :
          stored.ended() == null ? List.<StoredLedger.End>of() : stored.ended()) {
        // A character of somebody's word for it may be written as six.
        bytes += 80 + length(end.indexes()) + 6 * length(end.reason());
      }
    }
    return bytes;
  }

  private static int bytesOfTexts(@Nullable Map<String, String> map) {
    if (map == null) {
      return 0;
    }
    int bytes = 0;
    for (Map.Entry<String, String> one : map.entrySet()) {
      bytes += 6 + one.getKey().length() + one.getValue().length();
    }
    return bytes;
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  private static @Nullable Map<String, StoredLedger.Replicas> replicas(
      JobReport report, Detail detail) {
    boolean withUids = report.replicas().size() <= WITH_UIDS;
    Map<String, TypeForm> types = new TreeMap<>();
    for (ReplicaReport replica : report.replicas()) {
      types
          .computeIfAbsent(replica.id().type(), type -> new TypeForm(detail))
          .add(replica, withUids);
    }
    for (ReplicaId id : report.ledger().removed()) {
      types
          .computeIfAbsent(id.type(), type -> new TypeForm(detail))
          .addRemoved(id.index(), report.ledger().slots().get(id));
    }
    if (types.isEmpty()) {
      return null;
    }
    Map<String, StoredLedger.Replicas> stored = new TreeMap<>();
    types.forEach((type, form) -> stored.put(type, form.stored()));
    return stored;
  }

  /** The replicas of one type while they are gathered. */
  private static final class TypeForm {
    private final Detail detail;
    private final List<Integer> present = new ArrayList<>();
    private final List<Integer> removed = new ArrayList<>();
    private final Map<String, String> uids = new LinkedHashMap<>();
    private final List<Integer> created = new ArrayList<>();
    private final Map<Integer, List<Integer>> earlierPods = new TreeMap<>();
    private final TreeMap<String, List<Integer>> restartAt = new TreeMap<>();
    private final Map<Integer, List<Integer>> restarted = new TreeMap<>();
    private final Map<Ledger.RecordedEnd, List<Integer>> ended = new LinkedHashMap<>();
    private final List<Integer> reported = new ArrayList<>();
    private int removedPods;

    private TypeForm(Detail detail) {
      this.detail = detail;
    }

    private boolean isAtMost(Detail least) {
      return detail.compareTo(least) >= 0;
    }

    private void add(ReplicaReport replica, boolean withUids) {
      int index = replica.id().index();
      Ledger.Slot slot = replica.slot();
      present.add(index);
      Ledger.RecordedEnd end = replica.end();
      if (slot.uid() != null) {
        if (withUids && !slot.uid().equals(Ledger.Slot.NOT_LISTED)) {
          uids.put(Integer.toString(index), slot.uid());
        } else if (end == null) {
          created.add(index);
        }
      }
      addEarlierPods(index, slot);
      if (slot.restarts() > 0) {
        restarted.computeIfAbsent(slot.restarts(), any -> new ArrayList<>()).add(index);
      }
      String delay = LedgerEncoder.text(replica.restartAt());
      if (delay != null) {
        restartAt.computeIfAbsent(delay, any -> new ArrayList<>()).add(index);
      }
      if (end != null) {
        ended.computeIfAbsent(shortened(end), any -> new ArrayList<>()).add(index);
      }
      if (replica.isFailureKnown() && (end == null || end.succeeded())) {
        reported.add(index);
      }
    }

    private void addRemoved(int index, Ledger.@Nullable Slot slot) {
      removed.add(index);
      if (slot != null && isAtMost(Detail.WITHOUT_REMOVED)) {
        removedPods = Math.max(removedPods, slot.earlierPods());
      } else if (slot != null) {
        addEarlierPods(index, slot);
      }
    }

    private void addEarlierPods(int index, Ledger.Slot slot) {
      if (slot.earlierPods() > 0) {
        earlierPods.computeIfAbsent(slot.earlierPods(), any -> new ArrayList<>()).add(index);
      }
    }

    private Ledger.RecordedEnd shortened(Ledger.RecordedEnd end) {
      String reason = isAtMost(Detail.WITHOUT_REASONS) ? null : end.reason();
      return new Ledger.RecordedEnd(
          end.succeeded(),
          end.disruption(),
          isAtMost(Detail.LEAST) ? null : end.exitCode(),
          reason == null || reason.length() <= LONGEST_REASON
              ? reason
              : reason.substring(0, LONGEST_REASON),
          end.tolerated());
    }

    private StoredLedger.Replicas stored() {
      Map<String, String> pods = byCount(earlierPods);
      Map<String, String> inPlace = byCount(restarted);
      Map<String, String> delays = new LinkedHashMap<>();
      if (isAtMost(Detail.LEAST) && !restartAt.isEmpty()) {
        delays.put(
            restartAt.lastKey(),
            ranges(restartAt.values().stream().flatMap(List::stream).toList()));
      } else {
        restartAt.forEach((moment, indexes) -> delays.put(moment, ranges(indexes)));
      }
      List<StoredLedger.End> ends = new ArrayList<>();
      ended.forEach(
          (end, indexes) ->
              ends.add(
                  new StoredLedger.End(
                      ranges(indexes),
                      end.succeeded() ? true : null,
                      end.disruption() ? true : null,
                      end.exitCode(),
                      end.reason(),
                      end.tolerated() ? true : null)));
      return new StoredLedger.Replicas(
          IndexRanges.format(present),
          isAtMost(Detail.WITHOUT_REMOVED) ? range(removed) : IndexRanges.format(removed),
          removedPods == 0 ? null : removedPods,
          uids.isEmpty() ? null : uids,
          IndexRanges.format(created),
          pods.isEmpty() ? null : pods,
          delays.isEmpty() ? null : delays,
          inPlace.isEmpty() ? null : inPlace,
          ends.isEmpty() ? null : ends,
          IndexRanges.format(reported));
    }

    private static Map<String, String> byCount(Map<Integer, List<Integer>> indexesByCount) {
      Map<String, String> stored = new LinkedHashMap<>();
      indexesByCount.forEach(
          (count, indexes) -> stored.put(Integer.toString(count), ranges(indexes)));
      return stored;
    }

    /** From 0 to the last: what lies between and is present is not removed all the same. */
    private static @Nullable String range(List<Integer> indexes) {
      return indexes.isEmpty() ? null : "0-" + Collections.max(indexes);
    }

    private static String ranges(List<Integer> indexes) {
      return Objects.requireNonNull(IndexRanges.format(indexes));
    }
  }
}
