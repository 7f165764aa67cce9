package dev.tensorstack.training.core.report;

import dev.tensorstack.training.core.ledger.IndexRanges;
import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.JobPhase;
import dev.tensorstack.training.core.model.JobSummary;
import dev.tensorstack.training.core.model.ReplicaCounts;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.ReplicaPhase;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.naming.JobNaming;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a ledger and the summary of the job from their stored form. What somebody has edited into
 * nonsense is read as absent: the pods still say what exists.
 */
public final class LedgerDecoder {

  private LedgerDecoder() {}

  /**
   * Reads the ledger.
   *
   * @param form the form as it is stored
   * @param names the names of the job's pods
   * @return the ledger
   */
  public static Ledger ledger(StoredLedger form, JobNaming names) {
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    Set<ReplicaId> removed = new HashSet<>();
    Set<String> reported = new HashSet<>();
    orEmpty(form.replicas())
        .forEach(
            (type, replicas) -> {
              if (replicas != null) {
                addReplicas(type, replicas, slots, removed);
                for (int index : failed(replicas)) {
                  Ledger.Slot slot = slots.get(new ReplicaId(type, index));
                  reported.add(names.pod(type, index, slot == null ? 0 : slot.earlierPods()));
                }
              }
            });
    return new Ledger(
        new Ledger.Counts(
            orZero(form.attempt()),
            orZero(form.backoff()),
            moments(form.counted()),
            orZero(form.disruptions()),
            restarts(orEmpty(form.restarts()))),
        constant(Ledger.Pause.values(), form.pause(), Ledger.Pause.NONE),
        hold(form.hold()),
        RunModeKind.ofWord(form.mode()),
        slots,
        removed,
        disrupted(form.disrupted()),
        instant(form.shrunkAt()),
        instant(form.shrinkWaitingSince()),
        Map.of(),
        reported,
        instant(form.startTime()),
        instant(form.completionTime()),
        outcome(form.outcome()),
        failure(form.lastFailure()),
        ending(form.ending()),
        null);
  }

  /** Those of which it is known that they failed or are gone. */
  private static List<Integer> failed(StoredLedger.Replicas stored) {
    List<Integer> failed = IndexRanges.parse(stored.reported());
    for (StoredLedger.End end :
        stored.ended() == null ? List.<StoredLedger.End>of() : stored.ended()) {
      if (end != null && !Boolean.TRUE.equals(end.succeeded())) {
        failed.addAll(IndexRanges.parse(end.indexes()));
      }
    }
    return failed;
  }

  private static List<Instant> moments(@Nullable List<String> stored) {
    return stored == null
        ? List.of()
        : stored.stream().map(LedgerDecoder::instant).filter(Objects::nonNull).toList();
  }

  private static Map<String, Integer> restarts(Map<String, Integer> stored) {
    Map<String, Integer> restarts = new LinkedHashMap<>();
    stored.forEach(
        (type, count) -> {
          if (count != null && count > 0) {
            restarts.put(type, count);
          }
        });
    return restarts;
  }

  private static void addReplicas(
      String type,
      StoredLedger.Replicas stored,
      Map<ReplicaId, Ledger.Slot> slots,
      Set<ReplicaId> removed) {
    Map<Integer, Integer> earlierPods = countsByIndex(stored.earlierPods());
    Map<Integer, Integer> restarted = countsByIndex(stored.restarted());
    Map<Integer, Instant> restartAt = new HashMap<>();
    orEmpty(stored.restartAt())
        .forEach(
            (moment, indexes) -> {
              Instant delay = instant(moment);
              if (delay != null) {
                IndexRanges.parse(indexes).forEach(index -> restartAt.put(index, delay));
              }
            });
    Map<Integer, Ledger.RecordedEnd> ended = new HashMap<>();
    for (StoredLedger.End end :
        stored.ended() == null ? List.<StoredLedger.End>of() : stored.ended()) {
      if (end != null) {
        Ledger.RecordedEnd read = end(end);
        IndexRanges.parse(end.indexes()).forEach(index -> ended.put(index, read));
      }
    }
    Set<Integer> created = new HashSet<>(IndexRanges.parse(stored.created()));
    for (int index : IndexRanges.parse(stored.present())) {
      String uid = orEmpty(stored.uids()).get(Integer.toString(index));
      slots.put(
          new ReplicaId(type, index),
          new Ledger.Slot(
              earlierPods.getOrDefault(index, 0),
              uid == null && (created.contains(index) || ended.containsKey(index))
                  ? Ledger.Slot.NOT_LISTED
                  : uid,
              restartAt.get(index),
              ended.get(index),
              restarted.getOrDefault(index, 0)));
    }
    for (int index : IndexRanges.parse(stored.removed())) {
      ReplicaId id = new ReplicaId(type, index);
      if (!slots.containsKey(id)) {
        removed.add(id);
        int pods = earlierPods.getOrDefault(index, orZero(stored.removedPods()));
        slots.put(id, new Ledger.Slot(pods, null, null));
      }
    }
  }

  private static Map<Integer, Integer> countsByIndex(@Nullable Map<String, String> stored) {
    Map<Integer, Integer> counts = new HashMap<>();
    orEmpty(stored)
        .forEach(
            (count, indexes) -> {
              if (count.matches("\\d{1,9}")) {
                IndexRanges.parse(indexes)
                    .forEach(index -> counts.put(index, Integer.valueOf(count)));
              }
            });
    return counts;
  }

  private static Ledger.RecordedEnd end(StoredLedger.End stored) {
    return Boolean.TRUE.equals(stored.succeeded())
        ? Ledger.RecordedEnd.SUCCEEDED
        : new Ledger.RecordedEnd(
            false,
            Boolean.TRUE.equals(stored.disruption()),
            stored.exitCode(),
            stored.reason(),
            Boolean.TRUE.equals(stored.tolerated()));
  }

  private static List<Ledger.RecentDisruption> disrupted(
      @Nullable List<StoredLedger.Disruption> stored) {
    List<Ledger.RecentDisruption> disrupted = new ArrayList<>();
    for (StoredLedger.Disruption one :
        stored == null ? List.<StoredLedger.Disruption>of() : stored) {
      ReplicaId replica = one == null ? null : ReplicaId.parse(one.replica());
      Instant time = one == null ? null : instant(one.time());
      if (replica != null && time != null) {
        disrupted.add(new Ledger.RecentDisruption(replica, time));
      }
    }
    return disrupted;
  }

  private static Ledger.@Nullable Hold hold(@Nullable String word) {
    for (Ledger.Hold hold : Ledger.Hold.values()) {
      if (hold.name().equals(word)) {
        return hold;
      }
    }
    return null;
  }

  private static Ledger.@Nullable Outcome outcome(StoredLedger.@Nullable Outcome stored) {
    return stored == null
        ? null
        : new Ledger.Outcome(
            Boolean.TRUE.equals(stored.succeeded()),
            Objects.requireNonNullElse(stored.reason(), "-"),
            Objects.requireNonNullElse(stored.message(), ""));
  }

  private static Ledger.@Nullable Ending ending(StoredLedger.@Nullable Ending stored) {
    if (stored == null) {
      return null;
    }
    Ledger.Outcome outcome = outcome(stored.outcome());
    Instant since = instant(stored.since());
    return outcome == null || outcome.succeeded() || since == null
        ? null
        : new Ledger.Ending(outcome, since, !Boolean.TRUE.equals(stored.consequence()));
  }

  private static Ledger.@Nullable Failure failure(StoredLedger.@Nullable Failure stored) {
    return stored == null
        ? null
        : new Ledger.Failure(
            stored.replica(),
            stored.pod(),
            cause(stored.cause()),
            stored.exitCode(),
            stored.signal(),
            stored.reason(),
            stored.node(),
            stored.message(),
            instant(stored.time()));
  }

  private static @Nullable FailureCause cause(@Nullable String word) {
    for (FailureCause cause : FailureCause.values()) {
      if (cause.name().equals(word)) {
        return cause;
      }
    }
    return null;
  }

  /**
   * Reads the summary.
   *
   * @param form the form as it is stored
   * @return the summary; null when nothing was said about the job yet
   */
  public static @Nullable JobSummary summary(StoredLedger form) {
    StoredLedger.Summary stored = form.summary();
    if (stored == null || stored.phase() == null) {
      return null;
    }
    Map<String, Integer> counts = orEmpty(stored.counts());
    return new JobSummary(
        Objects.requireNonNullElse(stored.generation(), 0L),
        JobPhase.of(stored.phase()).orElse(JobPhase.Unknown),
        Objects.requireNonNullElse(stored.reason(), "-"),
        Objects.requireNonNullElse(stored.message(), ""),
        Boolean.TRUE.equals(stored.initialized()),
        Boolean.TRUE.equals(stored.hasRun()),
        stored.problem(),
        orZero(stored.replicas()),
        new ReplicaCounts(
            orZero(counts.get(ReplicaPhase.Creating.name())),
            orZero(counts.get(ReplicaPhase.Pending.name())),
            orZero(counts.get(ReplicaPhase.Running.name())),
            orZero(counts.get(ReplicaPhase.Succeeded.name())),
            orZero(counts.get(ReplicaPhase.Failed.name())),
            orZero(counts.get(ReplicaPhase.Unknown.name())),
            orZero(counts.get(ReplicaPhase.Deleted.name()))));
  }

  private static <E extends Enum<E>> E constant(E[] all, @Nullable String name, E otherwise) {
    for (E one : all) {
      if (one.name().equals(name)) {
        return one;
      }
    }
    return otherwise;
  }

  private static int orZero(@Nullable Integer number) {
    return number == null ? 0 : number;
  }

  private static <V> Map<String, V> orEmpty(@Nullable Map<String, V> map) {
    return map == null ? Map.of() : map;
  }

  /** Null also for what somebody wrote by hand and is no time: it is found out anew. */
  private static @Nullable Instant instant(@Nullable String text) {
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeParseException noTime) {
      return null;
    }
  }
}
