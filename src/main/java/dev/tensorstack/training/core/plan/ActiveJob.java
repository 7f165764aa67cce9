package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RestartScope;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.PodNotes;
import dev.tensorstack.training.core.pod.QueuePlace;
import dev.tensorstack.training.core.policy.KeptPods;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a job that goes on needs: pods of an earlier attempt stop, missing pods are created. */
final class ActiveJob {

  private static final Duration CLOCK_CORRECTION = Duration.ofMinutes(1);

  private final CurrentReplicas given;
  private final Observation seen;
  private final QueueState queue;
  private final PlanSettings settings;
  private final Instant now;
  private final List<PlannedAction> actions = new ArrayList<>();
  private final Set<ReplicaId> occupied = new HashSet<>();
  private boolean earlierAttemptRuns;
  private @Nullable Instant requeueAt;
  private @Nullable QueuePlace place;

  ActiveJob(CurrentReplicas given, QueueState queue, PlanSettings settings, Instant now) {
    this.given = given;
    this.queue = queue;
    this.seen = given.seen();
    this.settings = settings;
    this.now = now;
  }

  /**
   * Plans deletions and creations.
   *
   * @param mode what new pods are for
   * @param failing whether a failure waits that ends the job or starts all pods anew: what scaling
   *     adds until it is decided would have to go
   */
  Plan plan(RunModeKind mode, boolean failing) {
    Ledger ledger = withoutLateComers(given.ledger(), given.all(), mode);
    CurrentReplicas current = given.with(ledger);
    List<CurrentReplica> replicas = current.all();
    stopEarlierPods(ledger, replicas);
    watchLostNodes();
    GangGate turn = queue.gate(current);
    boolean mayStart =
        turn.equals(GangGate.OPEN) || replicas.stream().anyMatch(CurrentReplica::used);
    Ledger seenFirst =
        seen.job().spec().traits().startsWithFirstLook() && mayStart
            ? started(ledger, replicas, mode)
            : ledger;
    // A new attempt begins when the old one is gone altogether; once it has begun, a pod that comes
    // back with its lost node only keeps its own place. A creation that is on its way may be one of
    // the old attempt.
    if (earlierAttemptRuns && replicas.stream().noneMatch(CurrentReplica::existed)) {
      return new Plan(Plan.Stage.RESTARTING, seenFirst, current, actions, requeueAt);
    }
    GangGate gate = turn.equals(GangGate.OPEN) ? GangGate.of(seen) : turn;
    if (!gate.equals(GangGate.OPEN) && replicas.stream().anyMatch(CurrentReplica::missing)) {
      return new Plan(
          Plan.Stage.ACTIVE,
          seenFirst,
          current,
          actions,
          // The watch tells of a queue's answer, and of nothing else that the job waits for.
          gate instanceof GangGate.Queued && queue.entry() != null
              ? requeueAt
              : Plan.earlier(requeueAt, now.plus(GangGate.NEXT_LOOK)),
          gate);
    }
    Ledger next = started(seenFirst, replicas, mode);
    place = queue.place(current);
    actions.addAll(ServicePlan.missing(seen, current.layout()));
    actions.addAll(ServicePlan.superfluous(seen, ServicePlan.wanted(seen.job(), current.layout())));
    boolean attemptWaits = mode != RunModeKind.DEBUG && isAttemptDelayed(current);
    boolean allWait = true;
    for (CurrentReplica replica : replicas) {
      // What scaling adds, or brings back, during the delay of an attempt comes with its master.
      boolean waits = isDelayed(replica) || (attemptWaits && replica.slot().restartAt() == null);
      allWait &= replica.missing() && waits;
      if (!failing || replica.slot().earlierPods() > 0) {
        create(replica, waits, ledger.counts().attempt(), mode);
      }
    }
    return new Plan(
        allWait ? Plan.Stage.RESTARTING : Plan.Stage.ACTIVE, next, current, actions, requeueAt);
  }

  /** Whether the pods of a new attempt, none of which exists yet, wait for their moment. */
  private boolean isAttemptDelayed(CurrentReplicas current) {
    JobSpec spec = seen.job().spec();
    boolean allAnew =
        spec.traits().masterRestartsAll() || spec.runPolicy().restartScope() == RestartScope.JOB;
    ReplicaId master = current.layout().master();
    return allAnew
        && current.all().stream().noneMatch(CurrentReplica::used)
        && current.all().stream()
            .anyMatch(replica -> replica.id().equals(master) && isDelayed(replica));
  }

  private void create(CurrentReplica replica, boolean waits, int attempt, RunModeKind mode) {
    // One whose pod is gone without a restart is a worker that an elastic job goes on without.
    boolean givenUp = replica.slot().uid() != null;
    if (!replica.missing() || givenUp) {
      return;
    }
    if (waits) {
      requeueAt = Plan.earlier(requeueAt, replica.slot().restartAt());
      return;
    }
    if (occupied.contains(replica.id()) || isGoneAgainAndAgain(replica)) {
      return;
    }
    if (place != null && !place.entries().containsKey(replica.id())) {
      // Pods that are ending still use the share; the watch tells of their end.
      requeueAt = Plan.earlier(requeueAt, now.plus(GangGate.NEXT_LOOK));
      return;
    }
    actions.add(
        new PlannedAction.CreatePod(
            replica.id(), replica.name(), replica.slot().earlierPods(), attempt, mode));
  }

  /**
   * A pod that is gone before a status has listed it keeps its name and is not counted, but the row
   * of delays of disruptions holds for it as well, together with those that were counted.
   */
  private boolean isGoneAgainAndAgain(CurrentReplica replica) {
    PodNotes.Creations before =
        seen.notes()
            .creations()
            .get(seen.job().podOfReplica(replica.name(), replica.slot().earlierPods()));
    if (before == null) {
      return false;
    }
    int times = before.times() + recentDisruptions(replica.id());
    Instant notBefore = before.last().plus(settings.disruptionDelay().before(times));
    if (!now.isBefore(notBefore)) {
      return false;
    }
    requeueAt = Plan.earlier(requeueAt, notBefore);
    return true;
  }

  private int recentDisruptions(ReplicaId replica) {
    return (int)
        given.ledger().disrupted().stream()
            .filter(one -> one.replica().equals(replica))
            .filter(one -> settings.disruptionDelay().counts(one.time(), now))
            .count();
  }

  /**
   * A moment far beyond the longest delay was never decided on: the clock or somebody set it. A
   * clock that is put back a little must not make the delay void.
   */
  private boolean isDelayed(CurrentReplica replica) {
    Instant moment = replica.slot().restartAt();
    return moment != null
        && now.isBefore(moment)
        && !moment.isAfter(now.plus(longestDelay()).plus(CLOCK_CORRECTION));
  }

  private Duration longestDelay() {
    Duration restart = settings.restartDelay().max();
    Duration disruption = settings.disruptionDelay().max();
    return restart.compareTo(disruption) > 0 ? restart : disruption;
  }

  /**
   * A pod of an earlier attempt in the place of a present one, or one that trains in the place of
   * one to debug in: its creation was under way when the operator was killed. It cannot join; the
   * replica gets the next name. So does one whose pod waits for a place that was exchanged, and,
   * where replicas have fixed numbers, one whose share is taken back while another's is free.
   */
  private Ledger withoutLateComers(Ledger ledger, List<CurrentReplica> replicas, RunModeKind mode) {
    boolean any = replicas.stream().anyMatch(replica -> isLateComer(replica, ledger, mode));
    if (!any) {
      return ledger;
    }
    Map<ReplicaId, Ledger.Slot> slots = new LinkedHashMap<>();
    for (CurrentReplica replica : replicas) {
      slots.put(
          replica.id(),
          isLateComer(replica, ledger, mode) ? replica.slot().replaced(null) : replica.slot());
    }
    return ledger.withSlots(slots);
  }

  private boolean isLateComer(CurrentReplica replica, Ledger ledger, RunModeKind mode) {
    ObservedPod pod = replica.pod();
    return pod != null
        && (pod.attempt() < ledger.counts().attempt()
            || (pod.mode() == RunModeKind.DEBUG) != (mode == RunModeKind.DEBUG)
            || (seen.job().spec().elastic() == null
                && pod.live()
                && queue.admitted()
                && queue.takesBack(pod))
            || (given.layout().contains(replica.id())
                && ExchangedPlace.isWaitedFor(pod, seen.job().spec(), queue.admittedEntries())));
  }

  /** Pods that are no replica's present pod: those that run stop, of the others some are kept. */
  private void stopEarlierPods(Ledger ledger, List<CurrentReplica> replicas) {
    Set<String> present = new HashSet<>();
    Map<String, CurrentReplica> byName = new HashMap<>();
    for (CurrentReplica replica : replicas) {
      byName.put(replica.name(), replica);
      if (replica.pod() != null) {
        present.add(replica.pod().uid());
      }
    }
    List<ObservedPod> replaced = new ArrayList<>();
    for (ObservedPod pod : seen.pods()) {
      if (present.contains(pod.uid())) {
        continue;
      }
      if (pod.ended() && !isInTheWay(pod, byName) && !isOfRemovedReplica(pod, byName)) {
        replaced.add(pod);
        continue;
      }
      boolean atOnce = isInTheWayForGood(pod);
      Instant endsUntil = EndingInPlace.until(seen.job().spec(), ledger.lastFailure(), pod, now);
      if (endsUntil != null && pod.attempt() < ledger.counts().attempt()) {
        actions.add(new PlannedAction.EndPod(pod.name(), pod.uid()));
        requeueAt = Plan.earlier(requeueAt, endsUntil);
      } else if (atOnce || !pod.deleting()) {
        actions.add(new PlannedAction.DeletePod(pod.name(), pod.uid(), atOnce));
      }
      if (isInPlace(pod) || unpublish(pod)) {
        occupied.add(pod.replica());
        earlierAttemptRuns |= pod.attempt() < ledger.counts().attempt();
      }
    }
    waitForEarlierCreations(replicas, byName.keySet());
    Ledger.Failure last = ledger.lastFailure();
    for (ObservedPod pod : KeptPods.superfluous(replaced, last == null ? null : last.pod())) {
      actions.add(new PlannedAction.DeletePod(pod.name(), pod.uid()));
    }
  }

  /**
   * Whether an ended pod has the name that its replacement needs now. Until then it stays, for its
   * log.
   */
  private boolean isInTheWay(ObservedPod pod, Map<String, CurrentReplica> byName) {
    CurrentReplica next = byName.get(pod.name());
    return seen.job().spec().traits().reusesPodNames()
        && next != null
        && next.slot().uid() == null
        && !isDelayed(next);
  }

  /**
   * Whether an ended pod is that of a replica that scaling has taken away. Where each replica has a
   * name and a Service of its own they go together, as with Kubeflow's operator.
   */
  private boolean isOfRemovedReplica(ObservedPod pod, Map<String, CurrentReplica> byName) {
    return seen.job().spec().traits().reusesPodNames() && !byName.containsKey(pod.name());
  }

  /**
   * Whether nobody ends a pod whose name is needed: the kubelet of a lost node says nothing, and a
   * pod that is being deleted waits for it. Once the API server has forgotten it, a kubelet that
   * comes back stops it.
   */
  private boolean isInTheWayForGood(ObservedPod pod) {
    return seen.job().spec().traits().reusesPodNames()
        && (pod.givenUp(settings.nodeLossGrace(), now) || pod.waitsForLostKubelet());
  }

  /** A pod whose name is used again takes its place until it is gone, lost or not. */
  private boolean isInPlace(ObservedPod pod) {
    return seen.job().spec().traits().reusesPodNames()
        || !pod.givenUp(settings.nodeLossGrace(), now);
  }

  /**
   * A pod that was given up may run on where nobody sees it, and the Service names it as long as it
   * is not known to have ended: it leaves the Service before another one gets its host name.
   *
   * @return whether its place is still taken because of that
   */
  private boolean unpublish(ObservedPod pod) {
    Instant notBefore = seen.notes().published().get(pod.uid());
    if (notBefore == null) {
      return false;
    }
    if (now.isBefore(notBefore)) {
      requeueAt = Plan.earlier(requeueAt, notBefore);
    } else {
      actions.add(new PlannedAction.UnpublishPod(pod.name(), pod.uid()));
    }
    return true;
  }

  /** A creation on its way cannot be called back: its pod comes first, and then it goes. */
  private void waitForEarlierCreations(List<CurrentReplica> replicas, Set<String> names) {
    for (CurrentReplica replica : replicas) {
      int earlierPods = replica.slot().earlierPods();
      ReplicaId id = replica.id();
      if (earlierPods > 0
          && seen.creating()
              .contains(seen.job().names().pod(id.type(), id.index(), earlierPods - 1))) {
        occupied.add(id);
      }
    }
    earlierAttemptRuns |= !names.containsAll(seen.creating());
  }

  private void watchLostNodes() {
    for (ObservedPod pod : seen.pods()) {
      Instant givenUpAt = pod.givenUpAt(settings.nodeLossGrace());
      if (givenUpAt != null && now.isBefore(givenUpAt)) {
        requeueAt = Plan.earlier(requeueAt, givenUpAt);
      }
    }
  }

  /** After a crash between creation and report, the pods themselves tell when the job started. */
  private Ledger started(Ledger ledger, List<CurrentReplica> replicas, RunModeKind mode) {
    return ledger.startTime() == null ? ledger.started(firstPod(replicas), mode) : ledger;
  }

  private Instant firstPod(List<CurrentReplica> replicas) {
    Instant first = now;
    for (CurrentReplica replica : replicas) {
      ObservedPod pod = replica.pod();
      if (pod != null && !pod.ended() && pod.createdAt().isBefore(first)) {
        first = pod.createdAt();
      }
    }
    return first;
  }
}
