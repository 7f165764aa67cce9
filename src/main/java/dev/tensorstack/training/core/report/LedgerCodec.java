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
import java.util.Collections;
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
 *
 * <p>What is said of the replicas takes {@value #MOST_BYTES} bytes as far as possible. What would
 * take more is told less exactly, first what nobody misses: see {@link Detail}. Counts of attempts
 * and restarts and the number of the present pod of each replica are always exact.
 */
public final class LedgerCodec {

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
    int bytes = 0;
    for (Map.Entry<String, StoredLedger.Replicas> one : orEmpty(replicas).entrySet()) {
      StoredLedger.Replicas stored = one.getValue();
      bytes += 120 + one.getKey().length();
      bytes += length(stored.present()) + length(stored.removed());
      bytes += length(stored.created()) + length(stored.reported());
      bytes += bytesOfTexts(stored.uids());
      bytes += bytesOfTexts(stored.earlierPods());
      bytes += bytesOfTexts(stored.restartAt());
      for (StoredLedger.End end :
          stored.ended() == null ? List.<StoredLedger.End>of() : stored.ended()) {
        // A character of somebody's word for it may be written as six.
        bytes += 80 + length(end.indexes()) + 6 * length(end.reason());
      }
    }
    return bytes;
  }

  private static int bytesOfTexts(@Nullable Map<String, String> map) {
    int bytes = 0;
    for (Map.Entry<String, String> one : orEmpty(map).entrySet()) {
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
      String delay = text(replica.restartAt());
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
      if (isAtMost(Detail.LEAST)) {
        return new Ledger.RecordedEnd(end.succeeded(), end.disruption(), null, null);
      }
      if (reason == null) {
        return new Ledger.RecordedEnd(end.succeeded(), end.disruption(), end.exitCode(), null);
      }
      return reason.length() <= LONGEST_REASON
          ? end
          : new Ledger.RecordedEnd(
              end.succeeded(),
              end.disruption(),
              end.exitCode(),
              reason.substring(0, LONGEST_REASON),
              end.tolerated());
    }

    private StoredLedger.Replicas stored() {
      Map<String, String> pods = new LinkedHashMap<>();
      earlierPods.forEach((count, indexes) -> pods.put(Integer.toString(count), ranges(indexes)));
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
          ends.isEmpty() ? null : ends,
          IndexRanges.format(reported));
    }

    /** From 0 to the last: what lies between and is present is not removed all the same. */
    private static @Nullable String range(List<Integer> indexes) {
      return indexes.isEmpty() ? null : "0-" + Collections.max(indexes);
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
              uid == null && (created.contains(index) || ended.containsKey(index))
                  ? Ledger.Slot.NOT_LISTED
                  : uid,
              restartAt.get(index),
              ended.get(index)));
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
