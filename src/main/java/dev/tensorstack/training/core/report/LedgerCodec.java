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
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes a ledger with the summary of the job in their stored form, and reads it. What somebody has
 * edited into nonsense is read as absent: the pods still say what exists.
 */
public final class LedgerCodec {

  /** Above this size the uids of pods are not stored. */
  private static final int WITH_UIDS = 1_000;

  /** The kubelet's words are short; those of others may have any length. */
  private static final int LONGEST_REASON = 128;

  private LedgerCodec() {}

  /**
   * Writes a report's ledger and summary.
   *
   * @param report the report that is to be stored
   * @return the form
   */
  public static StoredLedger write(JobReport report) {
    Ledger ledger = report.ledger();
    Ledger.Counts counts = ledger.counts();
    Ledger.Pause pause = JobReport.pause(ledger);
    return new StoredLedger(
        StoredLedger.VERSION,
        unlessZero(counts.attempt()),
        unlessZero(counts.backoff()),
        unlessZero(counts.disruptions()),
        counts.restarts().isEmpty() ? null : new TreeMap<>(counts.restarts()),
        pause == Ledger.Pause.NONE ? null : pause.name(),
        ledger.mode() == null ? null : ledger.mode().word(),
        replicas(report),
        ledger.disrupted().isEmpty()
            ? null
            : ledger.disrupted().stream()
                .map(one -> new StoredLedger.Disruption(one.replica().toString(), text(one.time())))
                .toList(),
        text(ledger.shrunkAt()),
        text(ledger.shrinkWaitingSince()),
        text(ledger.startTime()),
        text(ledger.completionTime()),
        outcome(ledger.outcome()),
        failure(ledger.lastFailure()),
        summary(report.summary()));
  }

  private static @Nullable Map<String, StoredLedger.Replicas> replicas(JobReport report) {
    boolean withUids = report.replicas().size() <= WITH_UIDS;
    Map<String, TypeForm> types = new TreeMap<>();
    for (ReplicaReport replica : report.replicas()) {
      types.computeIfAbsent(replica.id().type(), type -> new TypeForm()).add(replica, withUids);
    }
    for (ReplicaId id : report.ledger().removed()) {
      types
          .computeIfAbsent(id.type(), type -> new TypeForm())
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
    private final List<Integer> present = new ArrayList<>();
    private final List<Integer> removed = new ArrayList<>();
    private final Map<String, String> uids = new LinkedHashMap<>();
    private final List<Integer> created = new ArrayList<>();
    private final Map<Integer, List<Integer>> earlierPods = new TreeMap<>();
    private final Map<String, List<Integer>> restartAt = new TreeMap<>();
    private final Map<Ledger.RecordedEnd, List<Integer>> ended = new LinkedHashMap<>();
    private final List<Integer> reported = new ArrayList<>();

    private void add(ReplicaReport replica, boolean withUids) {
      int index = replica.id().index();
      Ledger.Slot slot = replica.slot();
      present.add(index);
      if (slot.uid() != null) {
        if (withUids && !slot.uid().equals(Ledger.Slot.NOT_LISTED)) {
          uids.put(Integer.toString(index), slot.uid());
        } else {
          created.add(index);
        }
      }
      addEarlierPods(index, slot);
      String delay = text(replica.restartAt());
      if (delay != null) {
        restartAt.computeIfAbsent(delay, any -> new ArrayList<>()).add(index);
      }
      Ledger.RecordedEnd end = replica.end();
      if (end != null) {
        ended.computeIfAbsent(shortened(end), any -> new ArrayList<>()).add(index);
      }
      if (replica.isFailureKnown()) {
        reported.add(index);
      }
    }

    private void addRemoved(int index, Ledger.@Nullable Slot slot) {
      removed.add(index);
      if (slot != null) {
        addEarlierPods(index, slot);
      }
    }

    private void addEarlierPods(int index, Ledger.Slot slot) {
      if (slot.earlierPods() > 0) {
        earlierPods.computeIfAbsent(slot.earlierPods(), any -> new ArrayList<>()).add(index);
      }
    }

    private static Ledger.RecordedEnd shortened(Ledger.RecordedEnd end) {
      String reason = end.reason();
      return reason == null || reason.length() <= LONGEST_REASON
          ? end
          : new Ledger.RecordedEnd(
              end.succeeded(),
              end.disruption(),
              end.exitCode(),
              reason.substring(0, LONGEST_REASON));
    }

    private StoredLedger.Replicas stored() {
      Map<String, String> pods = new LinkedHashMap<>();
      earlierPods.forEach((count, indexes) -> pods.put(Integer.toString(count), ranges(indexes)));
      Map<String, String> delays = new LinkedHashMap<>();
      restartAt.forEach((moment, indexes) -> delays.put(moment, ranges(indexes)));
      List<StoredLedger.End> ends = new ArrayList<>();
      ended.forEach(
          (end, indexes) ->
              ends.add(
                  new StoredLedger.End(
                      ranges(indexes),
                      end.succeeded() ? true : null,
                      end.disruption() ? true : null,
                      end.exitCode(),
                      end.reason())));
      return new StoredLedger.Replicas(
          IndexRanges.format(present),
          IndexRanges.format(removed),
          uids.isEmpty() ? null : uids,
          IndexRanges.format(created),
          pods.isEmpty() ? null : pods,
          delays.isEmpty() ? null : delays,
          ends.isEmpty() ? null : ends,
          IndexRanges.format(reported));
    }

    private static String ranges(List<Integer> indexes) {
      return Objects.requireNonNull(IndexRanges.format(indexes));
    }
  }

  private static StoredLedger.@Nullable Outcome outcome(Ledger.@Nullable Outcome outcome) {
    return outcome == null
        ? null
        : new StoredLedger.Outcome(outcome.succeeded(), outcome.reason(), outcome.message());
  }

  private static StoredLedger.@Nullable Failure failure(Ledger.@Nullable Failure failure) {
    return failure == null
        ? null
        : new StoredLedger.Failure(
            failure.replica(),
            failure.pod(),
            failure.cause() == null ? null : failure.cause().name(),
            failure.exitCode(),
            failure.signal(),
            failure.reason(),
            failure.node(),
            failure.message(),
            text(failure.time()));
  }

  private static StoredLedger.Summary summary(JobSummary summary) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (ReplicaPhase phase : ReplicaPhase.values()) {
      int replicas = summary.counts().in(phase);
      if (replicas > 0) {
        counts.put(phase.name(), replicas);
      }
    }
    return new StoredLedger.Summary(
        summary.generation(),
        summary.phase().name(),
        summary.reason(),
        summary.message(),
        summary.initialized() ? true : null,
        summary.hasRun() ? true : null,
        summary.problem(),
        summary.replicas(),
        counts.isEmpty() ? null : counts);
  }

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
                for (int index : IndexRanges.parse(replicas.reported())) {
                  Ledger.Slot slot = slots.get(new ReplicaId(type, index));
                  reported.add(names.pod(type, index, slot == null ? 0 : slot.earlierPods()));
                }
              }
            });
    return new Ledger(
        new Ledger.Counts(
            orZero(form.attempt()),
            orZero(form.backoff()),
            orZero(form.disruptions()),
            restarts(orEmpty(form.restarts()))),
        constant(Ledger.Pause.values(), form.pause(), Ledger.Pause.NONE),
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
        failure(form.lastFailure()));
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
    Map<Integer, Integer> earlierPods = new HashMap<>();
    orEmpty(stored.earlierPods())
        .forEach(
            (count, indexes) -> {
              if (count.matches("\\d{1,9}")) {
                IndexRanges.parse(indexes)
                    .forEach(index -> earlierPods.put(index, Integer.valueOf(count)));
              }
            });
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
              uid == null && created.contains(index) ? Ledger.Slot.NOT_LISTED : uid,
              restartAt.get(index),
              ended.get(index)));
    }
    for (int index : IndexRanges.parse(stored.removed())) {
      ReplicaId id = new ReplicaId(type, index);
      removed.add(id);
      slots.put(id, new Ledger.Slot(earlierPods.getOrDefault(index, 0), null, null));
    }
  }

  private static Ledger.RecordedEnd end(StoredLedger.End stored) {
    return Boolean.TRUE.equals(stored.succeeded())
        ? Ledger.RecordedEnd.SUCCEEDED
        : new Ledger.RecordedEnd(
            false, Boolean.TRUE.equals(stored.disruption()), stored.exitCode(), stored.reason());
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

  private static Ledger.@Nullable Outcome outcome(StoredLedger.@Nullable Outcome stored) {
    return stored == null
        ? null
        : new Ledger.Outcome(
            Boolean.TRUE.equals(stored.succeeded()),
            Objects.requireNonNullElse(stored.reason(), "-"),
            Objects.requireNonNullElse(stored.message(), ""));
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

  private static @Nullable Integer unlessZero(int number) {
    return number == 0 ? null : number;
  }

  private static int orZero(@Nullable Integer number) {
    return number == null ? 0 : number;
  }

  private static <V> Map<String, V> orEmpty(@Nullable Map<String, V> map) {
    return map == null ? Map.of() : map;
  }

  private static @Nullable String text(@Nullable Instant moment) {
    return moment == null ? null : moment.truncatedTo(ChronoUnit.SECONDS).toString();
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
