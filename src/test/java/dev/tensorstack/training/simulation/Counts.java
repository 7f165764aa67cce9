package dev.tensorstack.training.simulation;

import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.api.v1beta1.ReplicaSpec;
import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ObservedContainer;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.observation.RunModeKind;
import dev.tensorstack.training.plan.Plan;
import dev.tensorstack.training.policy.ReplicaLayout;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The oracle of decisions: what the rules of docs/concepts.md make of the true causes. Each failure
 * of a replica's pod is counted once or belongs to a cascade, nothing else is counted, and the job
 * ends exactly when it must.
 */
final class Counts {

  private static final List<Integer> RETRYABLE = List.of(130, 137, 138, 143);

  private record Failure(ReplicaId replica, boolean application, Integer exitCode, Instant time) {}

  private final View view;
  private final PyTorchTrainingJobSpec spec;
  private final Ledger before;
  private final List<ReplicaId> replicas;
  private final Map<ReplicaId, Integer> earlierPods = new HashMap<>();
  private final Map<ReplicaId, PodVersion> present = new HashMap<>();

  private int attempt;
  private int backoff;
  private int disruptions;
  private final Map<String, Integer> restarts;
  private String end;
  private boolean wholeAttempt;
  private boolean resumed;
  private final Set<ReplicaId> replaced = new HashSet<>();
  private final Map<ReplicaId, Instant> notBefore = new HashMap<>();

  Counts(View view) {
    this.view = view;
    spec = view.job().spec();
    before = view.job().ledger();
    replicas = ReplicaLayout.of(spec).replicas();
    attempt = before.counts().attempt();
    backoff = before.counts().backoff();
    disruptions = before.counts().disruptions();
    restarts = new HashMap<>(before.counts().restarts());
    Map<ReplicaId, PodVersion> newest = new HashMap<>();
    for (PodVersion pod : view.pods().values()) {
      newest.merge(
          pod.pod().replica(),
          pod,
          (a, b) -> a.pod().earlierPods() > b.pod().earlierPods() ? a : b);
    }
    for (ReplicaId id : replicas) {
      Ledger.Slot slot = before.slots().get(id);
      PodVersion last = newest.get(id);
      int k =
          slot != null
              ? slot.earlierPods()
              : last == null
                  ? 0
                  : isLeaving(last) ? last.pod().earlierPods() + 1 : last.pod().earlierPods();
      earlierPods.put(id, k);
      PodVersion pod = view.pods().get(JobVersion.NAMES.pod(id.type(), id.index(), k));
      boolean other =
          pod != null && slot != null && slot.uid() != null && !slot.uid().equals(pod.pod().uid());
      if (pod != null && !other) {
        present.put(id, pod);
      }
    }
    decide();
  }

  /** On its way out, for all the operator knows. */
  private boolean isLeaving(PodVersion pod) {
    return view.observation().pods().stream()
        .anyMatch(seen -> seen.uid().equals(pod.pod().uid()) && seen.deleting());
  }

  /** Compares a plan with what must be decided. */
  void check(Plan plan) {
    Ledger after = plan.ledger();
    boolean endsAlike =
        before.outcome() != null
            ? before.outcome().equals(after.outcome())
            : after.outcome() == null ? end == null : after.outcome().reason().equals(end);
    Invariants.require(endsAlike, "the job ends when it must", "wanted", this, "got", after);
    Ledger.Counts got = after.counts();
    Invariants.require(
        got.attempt() == attempt
            && got.backoff() == backoff
            && got.disruptions() == disruptions
            && got.restarts().equals(restarts),
        "each failure is counted once, nothing else is",
        "wanted",
        this,
        "got",
        after);
    if ("BackoffLimitExceeded".equals(end)) {
      Invariants.require(
          backoff >= spec.runPolicy().backoffLimit(), "the budget is not cut short", after);
    }
    Invariants.require(
        backoff == before.counts().backoff() || backoff <= spec.runPolicy().backoffLimit(),
        "the budget is not passed",
        after);
    if (end != null || before.outcome() != null) {
      return;
    }
    for (ReplicaId id : replicas) {
      Ledger.Slot slot = after.slots().get(id);
      int k = earlierPods.get(id) + (replaced.contains(id) ? 1 : 0);
      Invariants.require(
          slot == null || slot.earlierPods() == k,
          "a pod is replaced only for a reason",
          id,
          "wanted k=",
          k,
          "got",
          after);
    }
  }

  @Override
  public String toString() {
    return "attempt "
        + attempt
        + " backoff "
        + backoff
        + " disruptions "
        + disruptions
        + " restarts "
        + restarts
        + " end "
        + end;
  }

  /** The earliest moments of creation that the decision asks for. */
  Map<ReplicaId, Instant> notBefore() {
    return notBefore;
  }

  boolean resumed() {
    return resumed;
  }

  private void decide() {
    if (before.outcome() != null) {
      return;
    }
    PodVersion master = present.get(replicas.get(0));
    if (master != null
        && master.truth().kind() == Truth.Kind.DONE
        && master.pod().mode() != RunModeKind.DEBUG) {
      end = "Succeeded";
      return;
    }
    if (before.pause() == Ledger.Pause.PAUSING) {
      return;
    }
    if (before.pause() == Ledger.Pause.PAUSED) {
      resumed = !view.job().pauseWanted();
      if (resumed) {
        replicas.stream().filter(this::used).forEach(replaced::add);
      }
      return;
    }
    Long seconds = spec.runPolicy().activeDeadlineSeconds();
    if (seconds != null
        && before.startTime() != null
        && !view.now().isBefore(before.startTime().plusSeconds(seconds))) {
      end = "DeadlineExceeded";
      return;
    }
    RunModeKind mode = mode();
    if (mode == RunModeKind.DEBUG) {
      takenFromDebug();
    } else {
      failures();
    }
    if (end == null && !view.job().pauseWanted()) {
      switchDebug(mode);
      lateComers();
    }
  }

  private RunModeKind mode() {
    if (before.mode() != null) {
      return before.mode();
    }
    return replicas.stream()
        .filter(present::containsKey)
        .map(id -> present.get(id).pod().mode())
        .findFirst()
        .orElse(null);
  }

  private boolean used(ReplicaId id) {
    Ledger.Slot slot = before.slots().get(id);
    String name = JobVersion.NAMES.pod(id.type(), id.index(), earlierPods.get(id));
    return present.containsKey(id)
        || (slot != null && slot.uid() != null)
        || view.observation().creating().contains(name);
  }

  private boolean isLate(ReplicaId id) {
    return present.containsKey(id) && present.get(id).pod().attempt() < before.counts().attempt();
  }

  private void switchDebug(RunModeKind mode) {
    boolean wanted = view.job().debugWanted();
    boolean is = mode == null ? wanted : mode == RunModeKind.DEBUG;
    if (is == wanted) {
      return;
    }
    List<ReplicaId> left =
        replicas.stream().filter(id -> used(id) && !replaced.contains(id)).toList();
    if (!left.isEmpty()) {
      attempt++;
      wholeAttempt = true;
      replaced.addAll(left);
    }
  }

  private void lateComers() {
    if (!wholeAttempt) {
      replicas.stream().filter(this::isLate).forEach(replaced::add);
    }
  }

  private void takenFromDebug() {
    for (ReplicaId id : replicas) {
      Failure failure = failure(id);
      if (failure != null && !failure.application()) {
        replaced.add(id);
      }
    }
  }

  private void failures() {
    List<Failure> failures = new ArrayList<>();
    for (ReplicaId id : replicas) {
      Failure failure = failure(id);
      if (failure != null) {
        failures.add(failure);
      }
    }
    failures.sort(Comparator.comparing(Failure::time));
    int lost = 0;
    for (Failure failure : failures) {
      boolean spent = failure.application() && backoff >= spec.runPolicy().backoffLimit();
      boolean restartable = isRestartable(failure);
      if (restartable && !spent) {
        restart(failure);
        if (wholeAttempt) {
          return;
        }
        continue;
      }
      lost++;
      boolean survives =
          view.job().elastic()
              && !isMaster(failure.replica())
              && replicas.size() - lost >= spec.elastic().minReplicas();
      if (!survives) {
        end = restartable ? "BackoffLimitExceeded" : "ReplicaFailed";
        return;
      }
    }
    for (ReplicaId id : replicas) {
      PodVersion pod = present.get(id);
      if (pod != null
          && !isLate(id)
          && pod.truth().kind() == Truth.Kind.DONE
          && pod.pod().mode() != RunModeKind.DEBUG
          && !isMaster(id)
          && "Always".equals(policy(id))) {
        restarts.merge(id.type(), 1, Integer::sum);
        replaced.add(id);
        wait(id, pod.truth().since().plus(Settings.delay(earlierPods.get(id) + 1)));
      }
    }
  }

  private void restart(Failure failure) {
    ReplicaId id = failure.replica();
    restarts.merge(id.type(), 1, Integer::sum);
    if (failure.application()) {
      backoff++;
    } else {
      disruptions++;
    }
    wholeAttempt = "Job".equals(spec.runPolicy().restartScope()) || isMaster(id);
    List<ReplicaId> affected = wholeAttempt ? replicas : List.of(id);
    for (ReplicaId one : affected) {
      if (used(one)) {
        replaced.add(one);
      }
      if (failure.application()) {
        wait(one, failure.time().plus(Settings.delay(backoff)));
      }
    }
    if (wholeAttempt) {
      attempt++;
    }
  }

  private void wait(ReplicaId id, Instant until) {
    notBefore.merge(id, until, (a, b) -> a.isAfter(b) ? a : b);
  }

  private boolean isMaster(ReplicaId id) {
    return id.equals(replicas.get(0));
  }

  private Failure failure(ReplicaId id) {
    PodVersion version = present.get(id);
    if (version == null) {
      Ledger.Slot slot = before.slots().get(id);
      return slot != null && slot.uid() != null ? new Failure(id, false, null, view.now()) : null;
    }
    if (isLate(id)) {
      return null;
    }
    ObservedPod pod = version.pod();
    Truth truth = version.truth();
    Instant time = truth.since() == null ? view.now() : truth.since();
    Integer code =
        pod.containers().stream()
            .filter(ObservedContainer::failed)
            .map(ObservedContainer::exitCode)
            .findFirst()
            .orElse(null);
    switch (truth.kind()) {
      case APPLICATION:
        return new Failure(id, true, code, time);
      case DISRUPTION:
        return new Failure(id, false, code, time);
      case DONE:
        return null;
      default:
        Instant lost = pod.node() == null ? null : view.lostNodes().get(pod.node());
        return lost != null && !view.now().isBefore(lost.plus(Settings.GRACE))
            ? new Failure(id, false, null, lost)
            : null;
    }
  }

  private boolean isRestartable(Failure failure) {
    return switch (policy(failure.replica())) {
      case "Always", "OnFailure" -> true;
      case "ExitCode" -> !failure.application() || RETRYABLE.contains(failure.exitCode());
      default -> false;
    };
  }

  private String policy(ReplicaId id) {
    for (ReplicaSpec type : spec.replicaSpecs()) {
      if (id.type().equals(type.type())) {
        return type.restartPolicy();
      }
    }
    throw new IllegalArgumentException(id.toString());
  }
}
