package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.core.plan.PlannedAction;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/**
 * A pod in the API server and on its node. Its methods are what the parts of a cluster do to it.
 */
final class SimulatedPod {

  final String name;
  final String uid;
  final ReplicaId replica;
  final int attempt;

  /** Created by a write whose answer nobody got: the operator cannot know of it at once. */
  final boolean unanswered;

  /** Created for an operator that was killed, after its successor had decided otherwise. */
  final boolean stale;

  final int earlierPods;
  final RunModeKind mode;
  final PodTraits traits;
  final Instant createdAt;
  private ObservedPod.Phase phase = ObservedPod.Phase.PENDING;
  private String node;
  private Instant readySince;
  private Instant deletion;
  private String reason;
  private String unschedulable;
  private String disruption;
  private Instant disruptedAt;
  private List<ObservedContainer> containers = List.of();
  private Truth truth = Truth.ALIVE;
  private Instant unreportedEnd;
  private int unreportedCode;
  private boolean givenUp;
  private boolean stoppedByOperator;
  private Instant goneAt;
  private Instant stoppedAt;
  private Instant lostFrom;
  private Instant ranFrom;

  private int restarts;
  private int initRestarts;
  private ObservedContainer lastEnd;
  private ObservedContainer initEnd;
  private boolean backsOff;

  SimulatedPod(
      PlannedAction.CreatePod create,
      PodTraits traits,
      String uid,
      Instant now,
      boolean unanswered,
      boolean stale) {
    this.name = create.name();
    this.uid = uid;
    this.replica = create.replica();
    this.earlierPods = create.earlierPods();
    this.attempt = create.attempt();
    this.mode = traits.modeLabelled() ? create.mode() : RunModeKind.TRAIN;
    this.traits = traits;
    this.createdAt = second(now);
    this.unanswered = unanswered;
    this.stale = stale;
  }

  static Instant second(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS);
  }

  PodVersion version(long version) {
    return new PodVersion(
        version,
        name,
        new ObservedPod(
            name,
            uid,
            replica,
            earlierPods,
            attempt,
            mode,
            phase,
            deletion != null,
            deletion,
            node,
            null,
            createdAt,
            reason,
            null,
            unschedulable,
            false,
            disruption,
            disruptedAt,
            containers,
            phase == ObservedPod.Phase.RUNNING ? readySince : null,
            phase == ObservedPod.Phase.RUNNING ? ranFrom : null,
            null,
            Map.of()),
        truth);
  }

  boolean ended() {
    return phase == ObservedPod.Phase.SUCCEEDED || phase == ObservedPod.Phase.FAILED;
  }

  ObservedPod.Phase phase() {
    return phase;
  }

  boolean running() {
    return phase == ObservedPod.Phase.RUNNING;
  }

  boolean pending() {
    return phase == ObservedPod.Phase.PENDING;
  }

  boolean deleting() {
    return deletion != null;
  }

  boolean hasUnreportedEnd() {
    return unreportedEnd != null;
  }

  /**
   * Its node came back after it may have been given up, or an operator's cache still has it lost.
   */
  boolean wasGivenUp() {
    return givenUp;
  }

  /** The operator was the first to ask for its deletion. */
  boolean stoppedByOperator() {
    return stoppedByOperator;
  }

  void giveUp() {
    givenUp = true;
  }

  /** It is no more. */
  void gone(Instant now) {
    goneAt = now;
    stoppedAt = stoppedAt == null ? now : stoppedAt;
  }

  /** Its node is lost. */
  void lost(Instant since) {
    lostFrom = lostFrom == null ? since : lostFrom;
  }

  /** What becomes of a pod on a lost node began, at the earliest, with the loss. */
  Instant orLost(Instant time) {
    return lostFrom != null && lostFrom.isBefore(time) ? lostFrom : time;
  }

  /** When it ended or was removed; null before. */
  Instant stoppedAt() {
    return stoppedAt;
  }

  /** When it was removed; null while it exists. */
  Instant goneAt() {
    return goneAt;
  }

  /** When its containers started; null before. */
  Instant ranFrom() {
    return ranFrom;
  }

  String node() {
    return node;
  }

  /** Of what ended badly, or null. */
  Integer exitCode() {
    return Fate.exitCode(containers);
  }

  Truth truth() {
    return truth;
  }

  void cannotBeScheduled() {
    unschedulable = "0/3 nodes are available";
  }

  void bind(String to) {
    node = to;
    unschedulable = null;
  }

  void start(Instant now) {
    readySince = second(now);
    ranFrom = second(now);
    phase = ObservedPod.Phase.RUNNING;
    containers = withInit(restarted(ObservedContainer.State.RUNNING, null));
  }

  /** Its kubelet waits before it starts the container again that has ended. */
  boolean backsOff() {
    return backsOff;
  }

  /** It failed before its main container ran. */
  boolean failedInInit() {
    return phase == ObservedPod.Phase.FAILED
        && containers.stream().anyMatch(one -> one.init() && one.failed());
  }

  /** How often its kubelet has started its containers again. */
  int restarts() {
    return restarts + initRestarts;
  }

  /** Its process ends, and its kubelet starts the container again when the pod asks for it. */
  void exit(int exitCode, Instant time) {
    boolean again =
        deletion == null
            && (traits.restarts() == KubeletRestarts.ALWAYS
                || (traits.restarts() == KubeletRestarts.ON_FAILURE && exitCode != 0));
    if (!again) {
      end(exitCode, time);
      return;
    }
    Instant finished = second(time);
    unreportedEnd = null;
    readySince = null;
    backsOff = true;
    lastEnd = terminated("pytorch", false, word(exitCode), exitCode, finished);
    containers = withInit(restarted(ObservedContainer.State.WAITING, "CrashLoopBackOff"));
  }

  /** The kubelet starts it again. */
  void startAgain(Instant now) {
    backsOff = false;
    if (running()) {
      restarts++;
      start(now);
    } else {
      initRestarts++;
      containers = List.of(initAgain(ObservedContainer.State.RUNNING, null), waiting());
    }
  }

  /** Beside the init container that was started again before, and has passed. */
  private List<ObservedContainer> withInit(ObservedContainer training) {
    if (initEnd == null) {
      return List.of(training);
    }
    return List.of(
        new ObservedContainer(
            "init",
            true,
            ObservedContainer.State.TERMINATED,
            "Completed",
            null,
            0,
            null,
            initEnd.finishedAt(),
            initRestarts,
            initEnd,
            true),
        training);
  }

  private ObservedContainer restarted(ObservedContainer.State state, String reason) {
    return new ObservedContainer(
        "pytorch", false, state, reason, null, null, null, null, restarts, lastEnd, false);
  }

  private ObservedContainer initAgain(ObservedContainer.State state, String reason) {
    return new ObservedContainer(
        "init", true, state, reason, null, null, null, null, initRestarts, initEnd, true);
  }

  /** Its readiness probe changes its mind. */
  void flap(Instant now) {
    readySince = readySince == null ? second(now) : null;
  }

  /** Its process ends, and its kubelet has not said so yet. */
  void endUnreported(int exitCode, Instant now) {
    unreportedEnd = second(now);
    unreportedCode = exitCode;
  }

  void report() {
    exit(unreportedCode, unreportedEnd);
  }

  /** Its process ends and its kubelet says so. */
  void end(int exitCode, Instant time) {
    Instant finished = second(time);
    unreportedEnd = null;
    stoppedAt = finished;
    phase = exitCode == 0 ? ObservedPod.Phase.SUCCEEDED : ObservedPod.Phase.FAILED;
    backsOff = false;
    containers = withInit(terminated("pytorch", false, word(exitCode), exitCode, finished));
    if (deletion == null || finished.isBefore(deletion)) {
      truth =
          new Truth(
              exitCode == 0
                  ? Truth.Kind.DONE
                  : disruption != null && !disruptedAt.isAfter(finished)
                      ? Truth.Kind.DISRUPTION
                      : Truth.Kind.APPLICATION,
              finished);
    }
  }

  /** An init container ends badly. */
  void failInit(int exitCode, Instant now) {
    if (traits.restarts() != KubeletRestarts.NEVER && deletion == null) {
      backsOff = true;
      initEnd = terminated("init", true, "Error", exitCode, second(now));
      containers =
          List.of(initAgain(ObservedContainer.State.WAITING, "CrashLoopBackOff"), waiting());
      return;
    }
    end(exitCode, now);
    containers = List.of(terminated("init", true, "Error", exitCode, second(now)), waiting());
  }

  /** A sidecar has ended badly as well, before the container that trains. */
  void failSidecar(int exitCode) {
    ObservedContainer training = containers.get(containers.size() - 1);
    containers =
        List.of(
            training,
            terminated("sidecar", false, "Error", exitCode, training.finishedAt().minusSeconds(3)));
  }

  private static ObservedContainer waiting() {
    return new ObservedContainer(
        "pytorch",
        false,
        ObservedContainer.State.WAITING,
        "PodInitializing",
        null,
        null,
        null,
        null);
  }

  private static String word(int exitCode) {
    return exitCode == 0 ? "Completed" : exitCode == 137 ? "OOMKilled" : "Error";
  }

  private ObservedContainer terminated(
      String name, boolean init, String reason, int exitCode, Instant finished) {
    boolean training = name.equals("pytorch");
    return new ObservedContainer(
        name,
        init,
        ObservedContainer.State.TERMINATED,
        reason,
        null,
        exitCode,
        null,
        finished,
        training ? restarts : 0,
        training ? lastEnd : null,
        traits.onlyTrainingCounts() && !training);
  }

  /** The kubelet does not take it: no container, no time. */
  void refuse(String word) {
    phase = ObservedPod.Phase.FAILED;
    stoppedAt = createdAt;
    reason = word;
    if (deletion == null) {
      truth = new Truth(Truth.Kind.DISRUPTION, null);
    }
  }

  /** The kubelet ends it because the node is short of something. */
  void evict(Instant now) {
    disruption = "TerminationByKubelet: the node was low on resource: memory";
    disruptedAt = second(now);
    reason = "Evicted";
    end(137, now);
  }

  /** The scheduler, a drain or a taint takes it away. */
  void target(String word, Instant now) {
    disruption = word + ": the pod has to go";
    if (disruptedAt == null) {
      Instant ended = ended() ? truth.since() : null;
      // What comes in the second of the end is taken for its cause, which is another table's
      // matter.
      disruptedAt =
          ended == null || second(now).isAfter(ended) ? second(now) : ended.plusSeconds(1);
    }
  }

  void delete(Instant now, boolean byOperator) {
    if (deletion == null) {
      deletion = second(now);
      stoppedByOperator = byOperator;
      if (!ended() && !byOperator) {
        truth = new Truth(Truth.Kind.DISRUPTION, deletion);
      }
    }
  }

  @Override
  public String toString() {
    return name
        + "{"
        + uid
        + " attempt "
        + attempt
        + " "
        + phase
        + (deletion != null ? " deleting" : "")
        + (node == null ? "" : " on " + node)
        + " "
        + truth.kind()
        + "}";
  }
}
