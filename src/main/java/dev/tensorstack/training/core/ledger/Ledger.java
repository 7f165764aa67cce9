package dev.tensorstack.training.core.ledger;

import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What must be remembered of a job beyond its pods' lives. It is read from the status and written
 * back into it; a decision counts once the status that holds it is stored, and its actions follow
 * only then.
 *
 * @param counts attempts and restarts
 * @param pause whether the job is, or was, paused
 * @param hold what becomes of a job whose queue lets it have no pods any more; null while it may
 *     have pods, or has had none yet
 * @param mode what the present pods are for; null before the first
 * @param slots the present pod of each replica that the status has listed; of those that scaling
 *     has taken away, the place of the next
 * @param removed the replicas that scaling has taken away
 * @param disrupted the disruptions of the last minutes, the oldest first
 * @param shrunkAt when scaling last took away a replica that ran; null when it never did
 * @param shrinkWaitingSince since when replicas are to leave that may not leave yet; null when none
 *     is
 * @param unlisted by type, how many replicas the status spoke of when it left out those that simply
 *     ran; absent when it listed all
 * @param reported names of pods that the status reports as failed, deleted or given up
 * @param startTime when the first pods were created, again at a resume; null before
 * @param completionTime when the job ended; null before
 * @param outcome how the job ended; null before
 * @param lastFailure the failure decided on last, or null
 * @param ending how the job ends unless it succeeds within moments; null else, and once it has
 *     ended
 * @param training how far the training is; null before it has reported anything
 */
public record Ledger(
    Counts counts,
    Pause pause,
    @Nullable Hold hold,
    @Nullable RunModeKind mode,
    Map<ReplicaId, Slot> slots,
    Set<ReplicaId> removed,
    List<RecentDisruption> disrupted,
    @Nullable Instant shrunkAt,
    @Nullable Instant shrinkWaitingSince,
    Map<String, Integer> unlisted,
    Set<String> reported,
    @Nullable Instant startTime,
    @Nullable Instant completionTime,
    @Nullable Outcome outcome,
    @Nullable Failure lastFailure,
    @Nullable Ending ending,
    @Nullable Training training) {

  /** The ledger of a job of which nothing is stored yet. */
  public static final Ledger EMPTY =
      new Ledger(
          Counts.ZERO,
          Pause.NONE,
          null,
          null,
          Map.of(),
          Set.of(),
          List.of(),
          null,
          null,
          Map.of(),
          Set.of(),
          null,
          null,
          null,
          null,
          null,
          null);

  /**
   * Attempts and restarts.
   *
   * @param attempt the present attempt, from 0
   * @param backoff restarts counted against the limit
   * @param counted when the latest of those were decided on, the oldest first, on whole seconds; at
   *     most as many as {@link #REMEMBERED}
   * @param disruptions restarts after disruptions
   * @param restarts restarts by the type that caused them; absent means none
   */
  public record Counts(
      int attempt,
      int backoff,
      List<Instant> counted,
      int disruptions,
      Map<String, Integer> restarts) {

    /** Of so many counted restarts it is known when they were. */
    public static final int REMEMBERED = 100;

    /** Nothing has happened yet. */
    public static final Counts ZERO = new Counts(0, 0, List.of(), 0, Map.of());

    /**
     * The counts after all pods were made anew for another reason than a failure.
     *
     * @return new counts, with the next attempt
     */
    public Counts nextAttempt() {
      return new Counts(attempt + 1, backoff, counted, disruptions, restarts);
    }

    /**
     * The counts after one replica that was done was started again, which costs no budget.
     *
     * @param type its type
     * @return new counts
     */
    public Counts repeated(String type) {
      Map<String, Integer> byType = new LinkedHashMap<>(restarts);
      byType.merge(type, 1, Integer::sum);
      return new Counts(attempt, backoff, counted, disruptions, byType);
    }

    /**
     * The counts after restarts by the kubelet.
     *
     * @param type the type of the replica whose containers were started again
     * @param times how often
     * @param now when that is counted
     * @return new counts
     */
    public Counts restartedInPlace(String type, int times, Instant now) {
      Map<String, Integer> byType = new LinkedHashMap<>(restarts);
      byType.merge(type, times, Integer::sum);
      return new Counts(attempt, backoff + times, counted(times, now), disruptions, byType);
    }

    /**
     * The counts after one more restart.
     *
     * @param type the type whose replica caused it
     * @param disruption whether it was a disruption, which costs nothing
     * @param newAttempt whether all pods start anew
     * @param now when that is decided
     * @return new counts
     */
    public Counts restarted(String type, boolean disruption, boolean newAttempt, Instant now) {
      Map<String, Integer> byType = new LinkedHashMap<>(restarts);
      byType.merge(type, 1, Integer::sum);
      return new Counts(
          newAttempt ? attempt + 1 : attempt,
          disruption ? backoff : backoff + 1,
          disruption ? counted : counted(1, now),
          disruption ? disruptions + 1 : disruptions,
          byType);
    }

    private List<Instant> counted(int times, Instant now) {
      List<Instant> all = new ArrayList<>(counted);
      all.addAll(
          Collections.nCopies(Math.min(times, REMEMBERED), now.truncatedTo(ChronoUnit.SECONDS)));
      return List.copyOf(all.subList(Math.max(0, all.size() - REMEMBERED), all.size()));
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Counts that
              && attempt == that.attempt
              && backoff == that.backoff
              && Objects.equals(counted, that.counted)
              && disruptions == that.disruptions
              && Objects.equals(restarts, that.restarts));
    }
  }

  /** Whether a job is, or was, paused. */
  public enum Pause {
    /** Never paused. */
    NONE,
    /** Its pods are being stopped; it does not go on before they are gone. */
    PAUSING,
    /** Paused: all pods are gone. */
    PAUSED,
    /** Resumed after a pause. */
    RESUMED
  }

  /** What becomes of a job whose queue lets it have no pods any more. */
  public enum Hold {
    /** Its pods are being stopped; it does not go on before they are gone. */
    STOPPING,
    /** It has no pods, and waits for its turn. */
    WAITING
  }

  /**
   * The present pod of one replica.
   *
   * @param earlierPods how many pods the replica has had before it
   * @param uid its uid, or null when no status has listed it yet
   * @param restartAt the earliest moment of its creation, or null when it need not wait
   * @param end how the pod ended, once a stored status has said so; null before. What has ended
   *     stays ended, whatever becomes of the pod
   * @param restarts how many restarts of its containers by the kubelet are counted
   */
  public record Slot(
      int earlierPods,
      @Nullable String uid,
      @Nullable Instant restartAt,
      @Nullable RecordedEnd end,
      int restarts) {

    /**
     * A slot whose pod has not been recorded as ended.
     *
     * @param earlierPods how many pods the replica has had before it
     * @param uid its uid, or null when no status has listed it yet
     * @param restartAt the earliest moment of its creation, or null when it need not wait
     */
    public Slot(int earlierPods, @Nullable String uid, @Nullable Instant restartAt) {
      this(earlierPods, uid, restartAt, null, 0);
    }

    /** The uid of a pod that simply ran when the status was too long to list it. */
    public static final String NOT_LISTED = "not-listed";

    /**
     * Whether a pod of this slot's name is another than the one that the status has listed.
     *
     * @param podUid the pod's uid
     * @return false also when none was listed
     */
    public boolean isOther(String podUid) {
      return uid != null && !uid.equals(NOT_LISTED) && !uid.equals(podUid);
    }

    /**
     * The slot for the pod after this one.
     *
     * @param notBefore the earliest moment of its creation, or null for at once; a later one that
     *     this slot waits for stays
     * @return a slot with one earlier pod more
     */
    public Slot replaced(@Nullable Instant notBefore) {
      return new Slot(earlierPods + 1, null, later(restartAt, notBefore));
    }

    /**
     * This slot, which no pod has used yet, with a delay.
     *
     * @param notBefore the earliest moment of its creation, or null for at once; a later one that
     *     this slot waits for stays
     * @return the same place in the ledger
     */
    public Slot delayed(@Nullable Instant notBefore) {
      return new Slot(earlierPods, uid, later(restartAt, notBefore), end, restarts);
    }

    /**
     * This slot, which need not wait any more.
     *
     * @return the same place in the ledger
     */
    public Slot withoutDelay() {
      return restartAt == null ? this : new Slot(earlierPods, uid, null, end, restarts);
    }

    /**
     * This slot, whose pod has ended.
     *
     * @param how how it ended
     * @return the same place in the ledger
     */
    public Slot ended(RecordedEnd how) {
      return new Slot(earlierPods, uid, restartAt, how, restarts);
    }

    /**
     * This slot, of whose pod more restarts are counted.
     *
     * @param counted how many restarts of its containers by the kubelet are counted now
     * @return the same place in the ledger
     */
    public Slot restarted(int counted) {
      return new Slot(earlierPods, uid, restartAt, end, counted);
    }

    private static @Nullable Instant later(@Nullable Instant a, @Nullable Instant b) {
      return a == null || (b != null && b.isAfter(a)) ? b : a;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Slot that
              && earlierPods == that.earlierPods
              && Objects.equals(uid, that.uid)
              && Objects.equals(restartAt, that.restartAt)
              && Objects.equals(end, that.end)
              && restarts == that.restarts);
    }
  }

  /**
   * How a pod ended, as a stored status has recorded it.
   *
   * @param succeeded whether all its containers ended with 0
   * @param disruption whether the failure was the cluster's and not the application's
   * @param exitCode the exit code of the container that failed, or null
   * @param reason one word such as Error or OOMKilled, or null
   * @param tolerated whether the job goes on without the replica for good, because the budget was
   *     used up: a budget that is raised later does not start it again
   */
  public record RecordedEnd(
      boolean succeeded,
      boolean disruption,
      @Nullable Integer exitCode,
      @Nullable String reason,
      boolean tolerated) {

    /** All containers ended with 0. */
    public static final RecordedEnd SUCCEEDED = new RecordedEnd(true, false, null, null);

    /**
     * An end that is not, or not yet, tolerated.
     *
     * @param succeeded whether all its containers ended with 0
     * @param disruption whether the failure was the cluster's and not the application's
     * @param exitCode the exit code of the container that failed, or null
     * @param reason one word such as Error or OOMKilled, or null
     */
    public RecordedEnd(
        boolean succeeded,
        boolean disruption,
        @Nullable Integer exitCode,
        @Nullable String reason) {
      this(succeeded, disruption, exitCode, reason, false);
    }

    /**
     * The same end of a replica that the job goes on without.
     *
     * @return this end, tolerated
     */
    public RecordedEnd asTolerated() {
      return new RecordedEnd(succeeded, disruption, exitCode, reason, true);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof RecordedEnd that
              && succeeded == that.succeeded
              && disruption == that.disruption
              && Objects.equals(exitCode, that.exitCode)
              && Objects.equals(reason, that.reason)
              && tolerated == that.tolerated);
    }
  }

  /**
   * A disruption of not long ago.
   *
   * @param replica the replica whose pod was disrupted
   * @param time when
   */
  public record RecentDisruption(ReplicaId replica, Instant time) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof RecentDisruption that
              && Objects.equals(replica, that.replica)
              && Objects.equals(time, that.time));
    }
  }

  /**
   * A failure that was decided on. Any of it may be missing in a status that somebody has edited.
   *
   * @param replica type and index
   * @param pod the pod's name
   * @param cause whose fault it is
   * @param exitCode the exit code of the container that failed, or null
   * @param signal the signal that ended that container, or null
   * @param reason one word such as Error or OOMKilled
   * @param node the node, or null
   * @param message the termination message or an explanation, or null
   * @param time when it happened, on a whole second
   */
  public record Failure(
      @Nullable String replica,
      @Nullable String pod,
      @Nullable FailureCause cause,
      @Nullable Integer exitCode,
      @Nullable Integer signal,
      @Nullable String reason,
      @Nullable String node,
      @Nullable String message,
      @Nullable Instant time) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Failure that
              && Objects.equals(replica, that.replica)
              && Objects.equals(pod, that.pod)
              && cause == that.cause
              && Objects.equals(exitCode, that.exitCode)
              && Objects.equals(signal, that.signal)
              && Objects.equals(reason, that.reason)
              && Objects.equals(node, that.node)
              && Objects.equals(message, that.message)
              && Objects.equals(time, that.time));
    }
  }

  /**
   * How a job ended.
   *
   * @param succeeded well or badly
   * @param reason Succeeded, or the reason of the Failed condition
   * @param message a sentence for people
   */
  public record Outcome(boolean succeeded, String reason, String message) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Outcome that
              && succeeded == that.succeeded
              && Objects.equals(reason, that.reason)
              && Objects.equals(message, that.message));
    }
  }

  /**
   * The end of a job that has failed, unless other pods succeed that ended at the same time: their
   * nodes may not have said so yet. Nothing is started any more.
   *
   * @param outcome how the job ends then; {@code lastFailure} is to blame
   * @param since when that was decided, on a whole second
   * @param own whether that failure is to blame itself, rather than another pod's that it points to
   */
  public record Ending(Outcome outcome, Instant since, boolean own) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Ending that
              && Objects.equals(outcome, that.outcome)
              && Objects.equals(since, that.since)
              && own == that.own);
    }
  }

  /**
   * The replicas that the status speaks of, listed or not.
   *
   * @return indexes by type; without those that scaling has taken away
   */
  public Map<String, Set<Integer>> replicas() {
    Map<String, Set<Integer>> present = new LinkedHashMap<>();
    slots
        .keySet()
        .forEach(
            id -> {
              if (!removed.contains(id)) {
                present.computeIfAbsent(id.type(), any -> new HashSet<>()).add(id.index());
              }
            });
    unlisted.forEach(
        (type, count) -> {
          Set<Integer> indexes = present.computeIfAbsent(type, any -> new HashSet<>());
          for (int index = 0; indexes.size() < count; index++) {
            if (!removed.contains(new ReplicaId(type, index))) {
              indexes.add(index);
            }
          }
        });
    return present;
  }

  /**
   * Whether a decision lies between this ledger and another: a restart, a pause, another run mode,
   * an end. Such a change must be stored before anything is done because of it. That a pod's uid or
   * the start time became known is no decision.
   *
   * @param other the ledger to compare with
   * @return true when the two disagree on a decision
   */
  public boolean differsInDecision(Ledger other) {
    return !counts.equals(other.counts)
        || pause != other.pause
        || hold != other.hold
        || (other.mode != null && mode != other.mode)
        || !slots.equals(other.slots)
        || !removed.equals(other.removed)
        || !Objects.equals(ending, other.ending)
        || !Objects.equals(outcome, other.outcome);
  }

  /**
   * The same ledger with the job ended.
   *
   * @param end how it ended
   * @param time when
   * @return a new ledger
   */
  public Ledger ended(Outcome end, Instant time) {
    Draft next = new Draft(this);
    next.outcome = end;
    next.completionTime = time;
    next.hold = null;
    next.ending = null;
    return next.ledger();
  }

  /**
   * The same ledger with the job about to end.
   *
   * @param how how it ends, and what could still change that
   * @return a new ledger
   */
  public Ledger ending(Ending how) {
    Draft next = new Draft(this);
    next.ending = how;
    return next.ledger();
  }

  /**
   * The same ledger with the job started.
   *
   * @param time when the first pods were created
   * @param running what they are for
   * @return a new ledger
   */
  public Ledger started(Instant time, RunModeKind running) {
    Draft next = new Draft(this);
    next.mode = running;
    next.startTime = time;
    return next.ledger();
  }

  /**
   * The same ledger after a failure was decided on.
   *
   * @param failure the failure
   * @param next the counts with it
   * @return a new ledger
   */
  public Ledger failed(Failure failure, Counts next) {
    Draft draft = new Draft(this);
    draft.counts = next;
    draft.lastFailure = failure;
    return draft.ledger();
  }

  /**
   * The same ledger with other counts.
   *
   * @param next attempts and restarts
   * @return a new ledger
   */
  public Ledger withCounts(Counts next) {
    Draft draft = new Draft(this);
    draft.counts = next;
    return draft.ledger();
  }

  /**
   * The same ledger with other pods in the slots.
   *
   * @param present the present pod of each replica that shall exist; what is known of others stays
   * @return a new ledger
   */
  public Ledger withSlots(Map<ReplicaId, Slot> present) {
    Map<ReplicaId, Slot> all = new LinkedHashMap<>(slots);
    all.putAll(present);
    return withSlots(all, removed);
  }

  /**
   * The same ledger with other pods in the slots, and other replicas.
   *
   * @param all the present pod of each replica that shall exist, and the place of the next of each
   *     that scaling takes away; others are forgotten
   * @param gone the replicas that scaling has taken away
   * @return a new ledger
   */
  public Ledger withSlots(Map<ReplicaId, Slot> all, Set<ReplicaId> gone) {
    Draft next = new Draft(this);
    next.slots = all;
    next.removed = gone;
    next.unlisted = Map.of();
    return next.ledger();
  }

  /**
   * The same ledger after replicas were taken away that ran.
   *
   * @param time when
   * @return a new ledger
   */
  public Ledger shrunk(Instant time) {
    Draft next = new Draft(this);
    next.shrunkAt = time;
    return next.ledger();
  }

  /**
   * The same ledger with another answer to whether replicas wait to leave.
   *
   * @param since since when they wait, or null when none does
   * @return a new ledger; this one when nothing is new
   */
  public Ledger waitingToShrink(@Nullable Instant since) {
    if (Objects.equals(since, shrinkWaitingSince)) {
      return this;
    }
    Draft next = new Draft(this);
    next.shrinkWaitingSince = since;
    return next.ledger();
  }

  /**
   * The same ledger with other recent disruptions.
   *
   * @param recent the disruptions of the last minutes, the oldest first
   * @return a new ledger
   */
  public Ledger withDisrupted(List<RecentDisruption> recent) {
    Draft next = new Draft(this);
    next.disrupted = recent;
    return next.ledger();
  }

  /**
   * The same ledger, paused or resumed. A resumed job starts anew: its start time is not yet known.
   *
   * @param next the new state
   * @return a new ledger
   */
  public Ledger withPause(Pause next) {
    Draft draft = new Draft(this);
    draft.pause = next;
    draft.startTime = next == Pause.RESUMED ? null : startTime;
    return draft.ledger();
  }

  /**
   * The same ledger, held by its queue or let go. A job that is let go starts anew: its start time
   * is not yet known.
   *
   * @param next the new state; null when the job may have pods
   * @return a new ledger
   */
  public Ledger withHold(@Nullable Hold next) {
    Draft draft = new Draft(this);
    draft.hold = next;
    draft.startTime = next == null ? null : startTime;
    return draft.ledger();
  }

  /**
   * The same ledger of a job that goes on without some of its pods.
   *
   * @param pods the names of pods that have failed and are not replaced
   * @return a ledger that reports them, perhaps this one
   */
  public Ledger tolerating(Collection<String> pods) {
    if (reported.containsAll(pods)) {
      return this;
    }
    Draft draft = new Draft(this);
    draft.reported = new HashSet<>(reported);
    draft.reported.addAll(pods);
    return draft.ledger();
  }

  /**
   * The same ledger with other counts and another run mode. Between training and debugging, what
   * disrupted the pods of one delays none of the other's.
   *
   * @param next the counts
   * @param running what the pods are for from now on
   * @return a new ledger
   */
  public Ledger inMode(Counts next, RunModeKind running) {
    Draft draft = new Draft(this);
    draft.counts = next;
    if (mode != null && (mode == RunModeKind.DEBUG) != (running == RunModeKind.DEBUG)) {
      draft.disrupted = List.of();
    }
    draft.mode = running;
    return draft.ledger();
  }

  /**
   * The same ledger, of which more is known how far the training is.
   *
   * @param known what is known; null when nothing is
   * @return a new ledger; this one when nothing is new
   */
  public Ledger withTraining(@Nullable Training known) {
    if (Objects.equals(known, training)) {
      return this;
    }
    Draft draft = new Draft(this);
    draft.training = known;
    return draft.ledger();
  }

  /** A copy whose parts can be exchanged. */
  private static final class Draft {
    private Set<String> reported;
    private Counts counts;
    private Pause pause;
    private @Nullable Hold hold;
    private @Nullable RunModeKind mode;
    private Map<ReplicaId, Slot> slots;
    private Set<ReplicaId> removed;
    private List<RecentDisruption> disrupted;
    private @Nullable Instant shrunkAt;
    private @Nullable Instant shrinkWaitingSince;
    private Map<String, Integer> unlisted;
    private @Nullable Instant startTime;
    private @Nullable Instant completionTime;
    private @Nullable Outcome outcome;
    private @Nullable Failure lastFailure;
    private @Nullable Ending ending;
    private @Nullable Training training;

    private Draft(Ledger from) {
      reported = from.reported;
      counts = from.counts;
      pause = from.pause;
      hold = from.hold;
      mode = from.mode;
      slots = from.slots;
      removed = from.removed;
      disrupted = from.disrupted;
      shrunkAt = from.shrunkAt;
      shrinkWaitingSince = from.shrinkWaitingSince;
      unlisted = from.unlisted;
      startTime = from.startTime;
      completionTime = from.completionTime;
      outcome = from.outcome;
      lastFailure = from.lastFailure;
      ending = from.ending;
      training = from.training;
    }

    private Ledger ledger() {
      return new Ledger(
          counts,
          pause,
          hold,
          mode,
          slots,
          removed,
          disrupted,
          shrunkAt,
          shrinkWaitingSince,
          unlisted,
          reported,
          startTime,
          completionTime,
          outcome,
          lastFailure,
          ending,
          training);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Ledger that
            && Objects.equals(counts, that.counts)
            && Objects.equals(pause, that.pause)
            && Objects.equals(hold, that.hold)
            && Objects.equals(mode, that.mode)
            && Objects.equals(slots, that.slots)
            && Objects.equals(removed, that.removed)
            && Objects.equals(disrupted, that.disrupted)
            && Objects.equals(shrunkAt, that.shrunkAt)
            && Objects.equals(shrinkWaitingSince, that.shrinkWaitingSince)
            && Objects.equals(unlisted, that.unlisted)
            && Objects.equals(reported, that.reported)
            && Objects.equals(startTime, that.startTime)
            && Objects.equals(completionTime, that.completionTime)
            && Objects.equals(outcome, that.outcome)
            && Objects.equals(lastFailure, that.lastFailure)
            && Objects.equals(ending, that.ending)
            && Objects.equals(training, that.training));
  }
}
