package dev.tensorstack.training.simulation;

import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.observation.RunModeKind;
import dev.tensorstack.training.plan.Plan;
import dev.tensorstack.training.plan.PresentReplica;
import dev.tensorstack.training.policy.ReplicaLayout;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The oracle: what the rules of docs/concepts.md make of the true causes at one moment. It knows
 * why each pod ended, which the planner has to find out.
 */
final class Decision {

  private final View view;
  private final JobRules rules;
  private final Ledger before;
  private final List<ReplicaId> replicas;
  private final Present present;

  private int attempt;
  private int backoff;
  private int disruptions;
  private final Map<String, Integer> restarts;
  private String end;
  private boolean wholeAttempt;
  private boolean resumed;
  private final List<TrueFailure> charged = new ArrayList<>();
  private final List<ReplicaId> repeated = new ArrayList<>();
  private final Set<ReplicaId> replaced = new HashSet<>();
  private final Map<ReplicaId, Instant> notBefore = new HashMap<>();

  /** Which replicas there are is not its business, but that of {@link Scaling}. */
  Decision(View view, Plan plan) {
    this.view = view;
    before = view.job().ledger();
    replicas =
        plan.replicas().isEmpty()
            ? ReplicaLayout.of(view.job().spec()).replicas()
            : plan.replicas().stream().map(PresentReplica::id).toList();
    rules = new JobRules(view.job().spec(), replicas);
    present = new Present(view, before, replicas);
    attempt = before.counts().attempt();
    backoff = before.counts().backoff();
    disruptions = before.counts().disruptions();
    restarts = new HashMap<>(before.counts().restarts());
    decide();
  }

  /** The counts after it. */
  Ledger.Counts counts() {
    return new Ledger.Counts(attempt, backoff, disruptions, restarts);
  }

  /** The reason with which the job ends now; null when it goes on, or had ended before. */
  String end() {
    return end;
  }

  /** The failures that cost a restart now. */
  List<TrueFailure> charged() {
    return charged;
  }

  /** The replicas that were done and are started again now. */
  List<ReplicaId> repeated() {
    return repeated;
  }

  /** The earliest moments of creation that the decision asks for. */
  Map<ReplicaId, Instant> notBefore() {
    return notBefore;
  }

  /** Whether the job goes on after a pause. */
  boolean resumed() {
    return resumed;
  }

  /** The replicas that shall exist. */
  List<ReplicaId> replicas() {
    return replicas;
  }

  /** How many pods a replica has had after it. */
  int earlierPods(ReplicaId id) {
    return present.earlierPods(id) + (replaced.contains(id) ? 1 : 0);
  }

  @Override
  public String toString() {
    return counts() + " end " + end + " replaced " + replaced;
  }

  private void decide() {
    if (before.outcome() != null) {
      return;
    }
    PodVersion master = present.pod(replicas.get(0));
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
        replicas.stream().filter(present::used).forEach(replaced::add);
      }
      return;
    }
    Long seconds = rules.spec().runPolicy().activeDeadlineSeconds();
    if (seconds != null
        && before.startTime() != null
        && !view.now().isBefore(before.startTime().plusSeconds(seconds))) {
      end = "DeadlineExceeded";
      return;
    }
    RunModeKind mode = present.mode();
    if (mode == RunModeKind.DEBUG) {
      endedInDebug();
    } else {
      failures();
    }
    if (end == null && !view.job().pauseWanted()) {
      switchDebug(mode);
      lateComers();
    }
  }

  private void switchDebug(RunModeKind mode) {
    boolean wanted = view.job().debugWanted();
    boolean is = mode == null ? wanted : mode == RunModeKind.DEBUG;
    if (is == wanted) {
      return;
    }
    List<ReplicaId> left =
        replicas.stream().filter(id -> present.used(id) && !replaced.contains(id)).toList();
    if (!left.isEmpty()) {
      attempt++;
      wholeAttempt = true;
      replaced.addAll(left);
    }
  }

  private void lateComers() {
    if (!wholeAttempt) {
      replicas.stream().filter(present::late).forEach(replaced::add);
    }
  }

  /** Costs nothing and comes back: at once when it was taken away, else after a delay. */
  private void endedInDebug() {
    for (ReplicaId id : replicas) {
      TrueFailure failure = TrueFailure.of(view, present, id);
      PodVersion pod = present.pod(id);
      if (failure != null) {
        replaced.add(id);
        if (failure.application() || failure.refused()) {
          waitInARow(id, failure.time());
        }
      } else if (pod != null && !present.late(id) && pod.truth().kind() == Truth.Kind.DONE) {
        replaced.add(id);
        waitInARow(id, pod.truth().since());
      }
    }
  }

  private void failures() {
    List<TrueFailure> failures = new ArrayList<>();
    for (ReplicaId id : replicas) {
      TrueFailure failure = TrueFailure.of(view, present, id);
      if (failure != null) {
        failures.add(failure);
      }
    }
    failures.sort(TrueFailure.EARLIEST_FIRST);
    // Peers of a lost node fail before anybody can know of it: the root cause is waited for.
    TrueFailure earliest = failures.isEmpty() ? null : failures.get(0);
    if (earliest != null
        && earliest.application()
        && rules.startsAllAnew(earliest)
        && present.isAnyLost(earliest.time())) {
      return;
    }
    int lost = 0;
    for (TrueFailure failure : failures) {
      boolean spent = failure.application() && backoff >= rules.budget();
      boolean restartable = rules.isRestartable(failure);
      if (restartable && !spent) {
        restart(failure);
        if (wholeAttempt) {
          return;
        }
        continue;
      }
      lost++;
      if (!rules.survives(failure.replica(), lost)) {
        end = restartable ? "BackoffLimitExceeded" : "ReplicaFailed";
        return;
      }
    }
    replicas.stream().filter(this::isRepeated).forEach(this::repeat);
  }

  private boolean isRepeated(ReplicaId id) {
    PodVersion pod = present.pod(id);
    return pod != null
        && !present.late(id)
        && pod.truth().kind() == Truth.Kind.DONE
        && pod.pod().mode() != RunModeKind.DEBUG
        && rules.repeats(id);
  }

  private void repeat(ReplicaId id) {
    restarts.merge(id.type(), 1, Integer::sum);
    repeated.add(id);
    replaced.add(id);
    waitInARow(id, present.pod(id).truth().since());
  }

  private void restart(TrueFailure failure) {
    ReplicaId id = failure.replica();
    charged.add(failure);
    restarts.merge(id.type(), 1, Integer::sum);
    if (failure.application()) {
      backoff++;
    } else {
      disruptions++;
    }
    wholeAttempt = rules.startsAllAnew(failure);
    int row = failure.application() ? backoff : failure.refused() ? present.earlierPods(id) + 1 : 0;
    for (ReplicaId one : wholeAttempt ? replicas : List.of(id)) {
      if (present.used(one)) {
        replaced.add(one);
      }
      wait(one, failure.time(), Settings.delay(row));
    }
    if (wholeAttempt) {
      attempt++;
    }
  }

  /** The delay grows with the pods that the replica has had. */
  private void waitInARow(ReplicaId id, Instant from) {
    wait(id, from, Settings.delay(present.earlierPods(id) + 1));
  }

  private void wait(ReplicaId id, Instant from, Duration delay) {
    if (!delay.isZero()) {
      notBefore.merge(id, from.plus(delay), (a, b) -> a.isAfter(b) ? a : b);
    }
  }
}
