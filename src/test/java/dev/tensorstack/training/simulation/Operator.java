package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.ObservedDependents;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.observe.ObservedServices;
import dev.tensorstack.training.core.observe.PodNotes;
import dev.tensorstack.training.core.observe.RefusedWrites;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.plan.Plan;
import dev.tensorstack.training.core.plan.PlannedAction;
import dev.tensorstack.training.core.plan.Planner;
import dev.tensorstack.training.core.report.JobReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One process of the operator: its caches, which lag behind, what it remembers of its own writes,
 * and the order of a reconciliation (docs/architecture.md). It may die at any write.
 */
final class Operator {

  private static final Comparator<ObservedPod> ORDER =
      Comparator.comparing((ObservedPod pod) -> pod.replica().type())
          .thenComparing(pod -> pod.replica().index())
          .thenComparing(ObservedPod::earlierPods);

  private final Cluster cluster;
  private final Planner planner;
  private final Luck luck;
  private final SlowCreations slow;
  private final Trace trace;
  private final Oracle oracle;
  private final List<Write> inFlight;

  private final Caches caches;

  /** Pods that were seen to have ended, by uid; forgotten when another takes their place. */
  private final Map<String, PodVersion> ended = new HashMap<>();

  /** Names of pods that were removed before they ran, as far as a watch has told. */
  private final Set<String> neverStarted = new HashSet<>();

  private final Set<String> creating = new HashSet<>();
  private final Set<String> deleted = new HashSet<>();
  private final Set<String> deletedAtOnce = new HashSet<>();
  private final Set<String> servicesSent = new HashSet<>();
  private final Map<ObjectWrite, WriteFailure> refused = new HashMap<>();
  private final Map<ObjectWrite, Integer> rows = new HashMap<>();
  private final Set<ObjectWrite> sent = new HashSet<>();

  /** Creations that wait for their turn, each with the step that wants it. */
  private final List<Queued> queued = new ArrayList<>();

  /** What has begun since the last look. */
  private final Set<PlannedAction.CreatePod> begun = new HashSet<>();

  private boolean alive = true;
  private boolean woken = true;
  private Instant requeueAt;

  private record Queued(PlannedAction.CreatePod create, Step step) {}

  Operator(
      Cluster cluster,
      Luck luck,
      SlowCreations slow,
      Trace trace,
      Oracle oracle,
      List<Write> inFlight) {
    this.cluster = cluster;
    this.planner = new Planner(Settings.plan(cluster.plainFailureGrace));
    this.luck = luck;
    this.slow = slow;
    this.trace = trace;
    this.oracle = oracle;
    this.inFlight = inFlight;
    caches = new Caches(cluster, luck);
  }

  /** Until when refused deletions hold others back; null when they do not. */
  Instant deletionsWaitUntil() {
    return RefusedWrites.of(refused.values())
        .heldBack(cluster.now())
        .get(ObjectWrite.podDeletion("").company());
  }

  boolean alive() {
    return alive;
  }

  Instant requeueAt() {
    return requeueAt;
  }

  boolean hasWork() {
    return woken || (requeueAt != null && !cluster.now().isBefore(requeueAt));
  }

  /** The watches break; everything is read anew. */
  void relist() {
    caches.relist();
    woken = true;
  }

  /** The watches bring some of what they have. */
  void watch(int most) {
    woken |= caches.watch(most);
  }

  boolean isUpToDate() {
    return caches.isUpToDate();
  }

  private View view() {
    Set<String> uids = new HashSet<>();
    caches.pods().values().forEach(pod -> uids.add(pod.pod().uid()));
    JobVersion job = caches.job();
    Map<String, PodVersion> gone = new HashMap<>();
    Map<String, ObservedPod> notes = new HashMap<>();
    if (job.exists()) {
      ended.values().removeIf(pod -> isReplaced(pod.pod(), job.job().ledger()));
    }
    ended.forEach(
        (uid, pod) -> {
          if (!uids.contains(uid)) {
            gone.put(uid, pod);
            notes.put(pod.pod().name(), pod.pod());
          }
        });
    for (PodVersion version : caches.pods().values()) {
      if (version.pod().endedByItself()) {
        ended.put(version.pod().uid(), version);
      } else {
        ended.remove(version.pod().uid());
      }
    }
    uids.addAll(caches.services().values());
    deleted.retainAll(uids);
    deletedAtOnce.retainAll(uids);
    for (PodVersion removed : caches.takeRemoved()) {
      if (removed.pod().phase() == ObservedPod.Phase.PENDING) {
        neverStarted.add(removed.name());
      } else {
        neverStarted.remove(removed.name());
      }
    }
    neverStarted.removeAll(caches.pods().keySet());
    notes.keySet().removeAll(caches.pods().keySet());
    Map<String, Instant> lost = new HashMap<>();
    List<ObservedPod> seen = new ArrayList<>();
    for (PodVersion version : caches.pods().values()) {
      ObservedPod pod = version.pod();
      pod = deleted.contains(pod.uid()) ? pod.beingDeleted() : pod;
      Instant since = pod.node() == null ? null : caches.lostSince(pod.node());
      Instant recorded = pod.node() == null ? null : caches.recordedLoss(pod.node());
      if (recorded != null) {
        lost.put(pod.node(), recorded);
      }
      seen.add(since == null ? pod : pod.lost(since));
    }
    seen.sort(ORDER);
    servicesSent.removeAll(caches.services().keySet());
    Observation observation =
        new Observation(
            job.job(),
            seen,
            new ObservedServices(caches.services(), Set.copyOf(servicesSent)),
            Set.copyOf(creating),
            RefusedWrites.of(refused.values().stream().map(this::asItIs).toList()),
            ObservedDependents.NONE,
            new PodNotes(
                Map.of(),
                Map.of(),
                Map.of(),
                Map.of(),
                Set.of(),
                Map.copyOf(notes),
                Set.copyOf(neverStarted)));
    return new View(
        job, Map.copyOf(caches.pods()), Map.copyOf(gone), lost, observation, cluster.now());
  }

  private static boolean isReplaced(ObservedPod pod, Ledger ledger) {
    Ledger.Slot slot = ledger.slots().get(pod.replica());
    return slot != null && (slot.earlierPods() != pod.earlierPods() || slot.isOther(pod.uid()));
  }

  private WriteFailure asItIs(WriteFailure failure) {
    return new WriteFailure(
        failure.write(),
        failure.kind(),
        failure.message(),
        failure.retryAt(),
        sent.contains(failure.write()));
  }

  /** What would be planned now; nothing is done. */
  Plan plan(Instant now) {
    return planner.plan(view().observation(), List.of(), now);
  }

  /** What would be reported of a plan. */
  SimulatedJob report(Plan plan, Instant now) {
    return report(view(), plan, now);
  }

  /** What would be reported of a plan for a view. */
  static SimulatedJob report(View view, Plan plan, Instant now) {
    return view.job()
        .resource()
        .reported(view.observation().job(), JobReport.of(view.observation(), plan), now);
  }

  /** What there would be to decide on. */
  JobLook look(Instant now) {
    return oracle.look(view().at(now), report(plan(now), now));
  }

  /** One reconciliation. */
  void reconcile() {
    woken = false;
    requeueAt = null;
    begun.clear();
    View view = view();
    if (slow.meanwhile()) {
      begin(1);
    }
    if (!view.job().exists()) {
      return;
    }
    Plan plan = planner.plan(view.observation(), List.of(), view.now());
    trace.say(() -> "operator: " + Trace.words(plan));
    SimulatedJob next = report(view, plan, view.now());
    Step step = new Step(view, plan, next, oracle.look(view, next));
    if (luck.chance(10)) {
      SamePlan.check(step, planner);
    }
    oracle.planned(step);
    Set<PlannedAction> wanted = Set.copyOf(plan.actions());
    queued.removeIf(waiting -> !wanted.contains(waiting.create()));
    refused.values().removeIf(failure -> plan.refused().get(failure.write()) == null);
    if (!wanted.containsAll(begun)) {
      trace.say(() -> "operator: something has begun that the plan does not know of");
      woken = true;
      return;
    }
    TrainingJob job = view.job().job();
    boolean decision = job.summary() == null || plan.ledger().differsInDecision(job.ledger());
    if (!decision
        && view.job().version() != cluster.job().version()
        && plan.actions().stream().anyMatch(this::needsProof)) {
      trace.say(() -> "operator: its job is not the job that there is");
      woken = true;
      return;
    }
    if (decision && !write(step)) {
      return;
    }
    queued.clear();
    for (PlannedAction action : plan.actions()) {
      if (luck.chance(1)) {
        die();
        return;
      }
      send(action, step);
    }
    begin(slow.width());
    requeueAt = plan.requeueAt();
    if (!decision && !next.saysTheSame(view.job().resource())) {
      if (luck.chance(15)) {
        // Not due yet.
        woken = true;
        return;
      }
      write(step);
    }
  }

  private boolean write(Step step) {
    woken = true;
    if (luck.chance(2)) {
      trace.say(() -> "operator: dies before the status is sent");
      die();
      return false;
    }
    if (luck.chance(2)) {
      trace.say(() -> "operator: dies, its status is on the way");
      inFlight.add(new Write.Status(this, step));
      die();
      return false;
    }
    if (luck.chance(3)) {
      trace.say(() -> "operator: the status is refused");
      return false;
    }
    JobVersion stored = store(cluster, oracle, step, trace);
    if (stored == null) {
      return false;
    }
    if (luck.chance(2)) {
      trace.say(() -> "operator: dies after the status is stored");
      die();
      return false;
    }
    if (luck.chance(3)) {
      trace.say(() -> "operator: the status is stored, but the answer is lost");
      return false;
    }
    caches.seeJob();
    woken = false;
    return true;
  }

  /** The API server gets a status. */
  static JobVersion store(Cluster cluster, Oracle oracle, Step step, Trace trace) {
    try {
      JobVersion after = cluster.store(step.next(), step.look().after, step.view().job().version());
      trace.say(() -> "cluster: status stored, " + step.next().summary());
      oracle.stored(step);
      return after;
    } catch (Cluster.Conflict conflict) {
      trace.say(() -> "cluster: status conflicts");
      return null;
    }
  }

  private void send(PlannedAction action, Step step) {
    boolean fresh = true;
    if (action instanceof PlannedAction.CreatePod create) {
      if (!begun.contains(create)) {
        queued.add(new Queued(create, step));
        begin(slow.width());
      }
      return;
    } else if (action instanceof PlannedAction.DeletePod delete) {
      boolean first = deleted.add(delete.uid());
      // Also after a deletion with another grace period.
      fresh = delete.atOnce() ? deletedAtOnce.add(delete.uid()) : first;
    } else if (action instanceof PlannedAction.DeleteJob delete) {
      fresh = deleted.add(delete.uid());
    } else if (action instanceof PlannedAction.DeleteDependent delete) {
      fresh = deleted.add(delete.uid());
    } else if (action instanceof PlannedAction.CreateService create) {
      fresh = servicesSent.add(create.name());
    }
    if (fresh) {
      sent.add(action.write(caches.job().job()));
      oracle.sent(action, step);
      inFlight.add(new Write.Action(this, action, step.view().job(), luck.chance(4)));
    }
  }

  /** Creations that waited are sent, so many at once. */
  private void begin(int atOnce) {
    while (!queued.isEmpty() && creating.size() < atOnce) {
      Queued next = queued.remove(0);
      PlannedAction.CreatePod create = next.create();
      Stated stated = cluster.job().stated();
      boolean knowsIt = !woken && caches.job().version() == cluster.job().version();
      Invariants.require(
          !knowsIt || !(stated.ended() || stated.pausing()),
          "what is not wanted any more is called back",
          create,
          stated);
      if (creating.add(create.name())) {
        begun.add(create);
        sent.add(create.write(caches.job().job()));
        oracle.sent(create, next.step());
        inFlight.add(
            new Write.Action(
                this, create, next.step().view().job(), luck.chance(4) || slow.isOn()));
      }
    }
  }

  /** The API server has answered a write; a pod created, or found to exist, is seen from now on. */
  void answered(PlannedAction action, PodVersion created) {
    woken = true;
    ObjectWrite write = action.write(caches.job().job());
    sent.remove(write);
    refused.remove(write);
    rows.remove(write.company());
    if (action instanceof PlannedAction.CreatePod create) {
      creating.remove(create.name());
      if (created != null) {
        caches.see(created);
      }
      begin(slow.width());
    }
  }

  /** A write was refused, or nobody knows. */
  void refused(PlannedAction action, WriteFailure.Kind kind) {
    woken = true;
    if (action instanceof PlannedAction.CreatePod create) {
      creating.remove(create.name());
      queued.clear();
    } else if (action instanceof PlannedAction.DeletePod delete) {
      deleted.remove(delete.uid());
      deletedAtOnce.remove(delete.uid());
    } else if (action instanceof PlannedAction.DeleteJob delete) {
      deleted.remove(delete.uid());
    } else if (action instanceof PlannedAction.DeleteDependent delete) {
      deleted.remove(delete.uid());
    } else if (action instanceof PlannedAction.CreateService create) {
      servicesSent.remove(create.name());
    }
    ObjectWrite write = action.write(caches.job().job());
    sent.remove(write);
    int before = rows.merge(write.company(), 1, Integer::sum) - 1;
    Duration delay = Duration.ofSeconds(Math.min(60, 1L << Math.min(before, 6)));
    refused.put(write, new WriteFailure(write, kind, "refused", cluster.now().plus(delay)));
  }

  void die() {
    trace.say(() -> "operator: dead");
    alive = false;
  }

  private boolean needsProof(PlannedAction action) {
    return (action instanceof PlannedAction.CreatePod create
            && !begun.contains(create)
            && queued.stream().noneMatch(waiting -> waiting.create().equals(create)))
        || action instanceof PlannedAction.DeletePod
        || action instanceof PlannedAction.DeleteJob
        || action instanceof PlannedAction.DeleteDependent;
  }
}
