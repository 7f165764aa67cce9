package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.plan.PlannedAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** One history of one job: trouble for a while, then calm until nothing happens any more. */
final class History {

  private static final int MOST_CALM_ROUNDS = 400;
  private static final int ONE_IS_LONG_OF = 40;
  private static final int LONG = 250;

  private final long seed;
  private final SimulatedKind kind;
  private final Trace trace;
  private final Luck luck;
  private final SlowCreations slow;
  private final Cluster cluster;
  private final Oracle oracle;
  private final Life life;
  private final List<Write> inFlight = new ArrayList<>();
  private final int trouble;

  /** A job that outlives many pods. */
  private final boolean isLong;

  private Operator operator;
  private int services;
  private int operators;

  /**
   * @param seed all chance comes from it
   * @param traced whether to write down what happens
   */
  History(long seed, boolean traced) {
    this.seed = seed;
    trace = new Trace(traced);
    luck = new Luck(seed);
    slow = new SlowCreations(seed);
    isLong = seed % ONE_IS_LONG_OF == ONE_IS_LONG_OF - 1;
    int anyTrouble = luck.of(8, 16, 32, 60);
    trouble = isLong ? 8 : anyTrouble;
    kind = SimulatedKind.of(seed);
    SimulatedJob job = kind.create(luck, isLong);
    Duration grace =
        Contract.PLAIN_FAILURE_GRACES.get(
            (int) Math.floorMod(seed / 2, (long) Contract.PLAIN_FAILURE_GRACES.size()));
    cluster = new Cluster(job, grace, trace);
    trace.follow(cluster);
    trace.say(() -> "job: " + cluster.job().resource());
    oracle = kind.oracle(cluster);
    life = new Life(cluster, luck, trouble, isLong);
    operator = newOperator();
  }

  /** A history in which something did not hold; the cause says what. */
  static final class Failed extends AssertionError {
    private static final long serialVersionUID = 1;

    Failed(long seed, Throwable cause, String trace) {
      super("seed " + seed + ": " + cause.getMessage() + "\n" + trace, cause);
    }
  }

  /** Lives through it. Throws {@link Failed}, with a trace if it is traced. */
  void run() {
    try {
      int steps = isLong ? LONG : 10 + luck.below(40);
      for (int i = 0; i < steps && cluster.job().exists(); i++) {
        step();
        oracle.always();
      }
      calm();
    } catch (RuntimeException broken) {
      throw new Failed(seed, broken, trace.tail(120));
    }
  }

  /** What has happened in it. */
  void tell(Coverage coverage) {
    Set<String> reached = Coverage.of(cluster);
    if (operators > 1) {
      reached.add("operator killed");
    }
    coverage.add(kind, reached);
  }

  private Operator newOperator() {
    oracle.newOperator();
    operators++;
    return new Operator(cluster, luck, slow, trace, oracle, inFlight);
  }

  private void step() {
    time();
    life.step();
    if (!isLong && luck.chance(4)) {
      cluster.edit(cluster.job().resource().edited(luck));
    }
    deliver();
    if (!operator.alive()) {
      if (luck.chance(50)) {
        return;
      }
      trace.say(() -> "operator: a new one");
      operator = newOperator();
    }
    watch();
    if (operator.hasWork() || luck.chance(20)) {
      operator.reconcile();
    }
    if (operator.alive() && luck.chance(1)) {
      operator.die();
    }
  }

  private void time() {
    int kind = luck.below(100);
    long millis =
        kind < 60
            ? luck.below(1_500)
            : kind < 90 ? luck.below(15_000) : kind < 97 ? luck.below(120_000) : 0;
    if (kind >= 99) {
      millis = -luck.below(2_000);
    }
    cluster.pass(Duration.ofMillis(isLong && millis > 0 ? 4 * millis : millis));
  }

  private void watch() {
    int kind = luck.below(100);
    if (kind < 4) {
      operator.relist();
    } else if (kind < 75) {
      operator.watch(Integer.MAX_VALUE);
    } else if (kind < 95) {
      operator.watch(luck.below(4));
    }
  }

  /** Some of the writes under way arrive; at times all that arrive are refused. */
  private void deliver() {
    List<Write> arrived = new ArrayList<>();
    boolean away = luck.chance(2);
    for (Write write : List.copyOf(inFlight)) {
      if (!luck.chance(write.slow() ? 95 : 30)) {
        arrived.add(write);
      }
    }
    inFlight.removeAll(arrived);
    arrived.forEach(write -> arrive(write, away));
  }

  private void arrive(Write write, boolean away) {
    if (write instanceof Write.Status status) {
      trace.say(() -> "a late status arrives");
      Operator.store(cluster, oracle, status.step(), trace);
      return;
    }
    PlannedAction action = ((Write.Action) write).action();
    JobVersion of = ((Write.Action) write).job();
    boolean senderLives = write.sender().alive();
    if (!senderLives && luck.chance(40)) {
      trace.say(() -> "lost with its sender: " + action);
      return;
    }
    if (senderLives && (away || luck.chance(Math.min(10, trouble / 3)))) {
      trace.say(() -> "refused: " + action);
      write.sender().refused(action, luck.of(WriteFailure.Kind.values()));
      return;
    }
    if (isTaken(action)) {
      trace.say(() -> "the pod of before is still there: " + action);
      if (senderLives) {
        write.sender().refused(action, WriteFailure.Kind.NAME_ENDING);
      }
      return;
    }
    boolean answered = senderLives && !luck.chance(2);
    trace.say(() -> (answered ? "done: " : "done, nobody is told: ") + action);
    PodVersion created = take(action, of, answered, senderLives);
    if (answered) {
      write.sender().answered(action, created);
    } else if (senderLives) {
      write.sender().refused(action, WriteFailure.Kind.TRANSIENT);
    }
  }

  /** A pod's name is that of another of the same job, which the operator does not take for it. */
  private boolean isTaken(PlannedAction action) {
    SimulatedPod there =
        action instanceof PlannedAction.CreatePod create ? cluster.pods.get(create.name()) : null;
    return there != null && there.earlierPods != ((PlannedAction.CreatePod) action).earlierPods();
  }

  /** The API server does what it was asked for. */
  private PodVersion take(
      PlannedAction action, JobVersion of, boolean answered, boolean senderLives) {
    if (!cluster.job().exists()) {
      return null;
    }
    if (action instanceof PlannedAction.CreatePod create) {
      SimulatedPod created = cluster.create(create, of, !answered, senderLives);
      if (created != null) {
        oracle.created(created, senderLives);
      }
      return cluster.present(cluster.pods.get(create.name()));
    }
    if (action instanceof PlannedAction.DeletePod delete) {
      SimulatedPod pod = cluster.pods.get(delete.name());
      if (pod != null && pod.uid.equals(delete.uid())) {
        cluster.delete(pod, true);
        if (delete.atOnce() && cluster.pods.get(pod.name) == pod) {
          cluster.remove(pod);
        }
      }
    } else if (action instanceof PlannedAction.DeleteJob) {
      cluster.deleteJob();
    } else if (action instanceof PlannedAction.CreateService create) {
      cluster.services.putIfAbsent(create.name(), "uid-of-" + create.name() + "-" + services++);
    } else if (action instanceof PlannedAction.DeleteDependent delete) {
      cluster.services.remove(delete.name(), delete.uid());
    }
    return null;
  }

  private void calm() {
    boolean nodesReturn = luck.chance(50);
    boolean cleaned = luck.chance(70);
    luck.calm();
    slow.calm();
    trace.say(() -> "calm");
    if (nodesReturn) {
      cluster.nodes.forEach(cluster::bringBack);
    } else if (cluster.lostNodes().size() == cluster.nodes.size()) {
      cluster.bringBack("n1");
    }
    if (!operator.alive()) {
      operator = newOperator();
    }
    for (int i = 0; i < MOST_CALM_ROUNDS; i++) {
      boolean busy = life.settle();
      busy |= !inFlight.isEmpty();
      deliver();
      busy |= !operator.isUpToDate();
      operator.watch(Integer.MAX_VALUE);
      if (operator.hasWork()) {
        operator.reconcile();
        busy = true;
      }
      oracle.always();
      if (busy) {
        cluster.pass(Duration.ofMillis(10));
      } else if (operator.requeueAt() != null && cluster.job().exists()) {
        oracle.asleep(operator);
        cluster.pass(Duration.between(cluster.now(), operator.requeueAt()));
      } else {
        oracle.atRest(operator);
        if (cleaned || !life.cleanUp()) {
          return;
        }
        // What has ended stays ended, also when somebody removes it.
        cleaned = true;
        trace.say(() -> "all ended pods were removed");
      }
    }
    throw new Invariants.Broken(
        "the job comes to rest", "it does not, " + cluster.job().resource());
  }
}
