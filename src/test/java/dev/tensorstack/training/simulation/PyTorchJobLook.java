package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.ObservedPod;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** One look of the operator at a PyTorchJob. */
final class PyTorchJobLook extends JobLook {

  private static final int FIRST_RETRYABLE = 128;

  final PyTorchJobSpec spec;
  final boolean scopeJob;
  final PyTorchJobStatus statusBefore;
  final PyTorchJobStatus statusAfter;

  /** How often the kubelet has started containers of the present pods again, by their uids. */
  final Map<String, Restarted> restarted = new LinkedHashMap<>();

  /** The replicas with a container that has ended and that its kubelet starts again. */
  final Set<ReplicaId> backingOff = new LinkedHashSet<>();

  /** The end that the status announces, before this look and after it; null where it does not. */
  final StoredLedger.Ending endingBefore;

  final StoredLedger.Ending endingAfter;

  private final Cluster cluster;
  private final PyTorchJobResource resource;

  /** A pod whose containers were started again. */
  record Restarted(ReplicaId id, int times) {}

  PyTorchJobLook(Cluster cluster, View view, SimulatedJob reported) {
    super(cluster, view, reported, PyTorchJobResource.NAMES, false);
    this.cluster = cluster;
    resource = PyTorchJobResource.of(view.job());
    spec = resource.spec();
    scopeJob = resource.scopeJob();
    statusBefore = resource.status();
    statusAfter = ((PyTorchJobResource) reported).status();
    endingBefore = ending(statusBefore);
    endingAfter = ending(statusAfter);
    before
        .replicas()
        .forEach(
            (id, entry) -> {
              ObservedPod pod = pod(id);
              if (pod != null && pod.restarts() > 0) {
                restarted.put(pod.uid(), new Restarted(id, pod.restarts()));
              }
              if (pod != null && !pod.ended() && !pod.deleting()) {
                if (pod.containers().stream()
                    .anyMatch(one -> "CrashLoopBackOff".equals(one.reason()))) {
                  backingOff.add(id);
                }
              }
            });
  }

  /** The end that a status announces; null where it does not. */
  static StoredLedger.Ending ending(PyTorchJobStatus status) {
    return status == null || status.ledger() == null ? null : status.ledger().ending();
  }

  /** The present pod of a replica, as it is seen or, when it had ended, was seen last. */
  ObservedPod pod(ReplicaId id) {
    Stated.Entry entry = entry(id);
    PodVersion seen = view.pods().get(entry.name());
    boolean is =
        seen != null
            && (entry.uid() == null
                ? seen.pod().earlierPods() == entry.earlier()
                    && seen.pod().attempt() == before.attempt()
                : entry.uid().equals(seen.pod().uid()));
    if (is) {
      return seen.pod();
    }
    PodVersion last = entry.uid() == null ? null : view.ended().get(entry.uid());
    return last == null ? null : last.pod();
  }

  /**
   * Its pod was deleted before the status has listed it, so it was not the job's yet: it is created
   * again, and costs nothing.
   */
  boolean wasNeverListed(ReplicaId id) {
    ObservedPod pod = entry(id).uid() == null ? pod(id) : null;
    return pod != null && pod.deleting();
  }

  @Override
  boolean startsAgain(ReplicaId id, Fate fate) {
    return false;
  }

  @Override
  int restarts() {
    return restarts("master") + restarts("worker");
  }

  boolean hasMaster() {
    return spec.replicas(ReplicaType.Master) != null;
  }

  boolean isMaster(ReplicaId id) {
    return resource.isMaster(id);
  }

  /** The replicas that the user asks for. */
  Set<ReplicaId> wanted() {
    Set<ReplicaId> wanted = new LinkedHashSet<>();
    for (ReplicaType type : ReplicaType.values()) {
      ReplicaSpec of = spec.replicas(type);
      int count = of == null ? 0 : of.replicas() == null ? 1 : of.replicas();
      for (int i = 0; i < count; i++) {
        wanted.add(new ReplicaId(type.label(), i));
      }
    }
    return wanted;
  }

  /** Null when there is none. */
  Integer limit() {
    return spec.runPolicy() == null ? null : spec.runPolicy().backoffLimit();
  }

  /** When the deadline is; null when there is none, or its clock has not begun. */
  Instant deadline() {
    Long seconds = spec.runPolicy() == null ? null : spec.runPolicy().activeDeadlineSeconds();
    return seconds == null || before.start() == null ? null : before.start().plusSeconds(seconds);
  }

  /** The user wants it to have no pods, or it goes on to have none, or has just begun to. */
  boolean suspends() {
    return spec.suspended() || before.pausing() || after.pausing();
  }

  /** By the success rule of the job. */
  boolean hasSucceeded() {
    if (hasMaster()) {
      return isDone(new ReplicaId("master", 0));
    }
    Set<ReplicaId> wanted = wanted();
    return spec.elasticPolicy() == null
        ? wanted.stream().allMatch(this::isDone)
        : wanted.stream().anyMatch(this::isDone);
  }

  private boolean isDone(ReplicaId id) {
    Fate fate = fates.get(id);
    return fate != null && fate.kind() == Fate.Kind.DONE;
  }

  /**
   * Whether a failed replica gets another pod, by its policy alone; null where nobody can know what
   * the contract asks about.
   */
  Boolean comesBack(ReplicaId id, Fate fate) {
    return switch (resource.policyOf(id)) {
      case "Never" ->
          fate.kind() == Fate.Kind.APPLICATION ? Boolean.FALSE : comesBackUnderNever(id, fate);
      case "ExitCode" ->
          fate.kind() == Fate.Kind.DISRUPTION
              || exitCode(fate) == null
              || exitCode(fate) >= FIRST_RETRYABLE;
      default -> Boolean.TRUE;
    };
  }

  /** The code of the container that trains; null when it has not ended. */
  Integer exitCode(Fate fate) {
    return cluster.everCreated(fate.uid()).failedInInit() ? null : fate.exitCode();
  }

  /** What was taken away while it ran ends the job; what had not run yet is created again. */
  private Boolean comesBackUnderNever(ReplicaId id, Fate fate) {
    SimulatedPod real = cluster.everCreated(fate.uid());
    ObservedPod seen = pod(id);
    if (seen == null) {
      boolean isKnown = view.observation().notes().neverStarted().contains(entry(id).name());
      return isKnown ? Boolean.TRUE : real.ranFrom() == null ? null : Boolean.FALSE;
    }
    if (seen.phase() != ObservedPod.Phase.PENDING) {
      return Boolean.FALSE;
    }
    // Of a pod on a lost node nobody knows whether it has run meanwhile.
    return seen.deleting() ? Boolean.TRUE : null;
  }

  /**
   * Whether a decision that concerns more than one pod may wait: for the other pods to end, or for
   * what is on a lost node and may be the cause.
   */
  boolean waits(Memory memory) {
    if (fates.keySet().stream().anyMatch(this::onLostNode)) {
      return true;
    }
    if (failureGrace.isZero() || fates.values().stream().noneMatch(Fate::live)) {
      return false;
    }
    boolean allOver = !failures(memory).isEmpty();
    for (Failure failure : failures(memory)) {
      Instant seen = failure.fate().certain() ? memory.seenFailed(failure.fate()) : null;
      boolean over = seen != null && !now.isBefore(seen.plus(failureGrace).plus(Contract.CUT));
      boolean alone = !scopeJob && !Boolean.FALSE.equals(comesBack(failure.id(), failure.fate()));
      // Where nobody says when it failed, one that fails after it may make the others wait anew.
      boolean dated = failure.fate().from().equals(failure.fate().until());
      if (over && dated && !alone) {
        return false;
      }
      allOver &= over;
    }
    return !allOver;
  }

  @Override
  public String toString() {
    return super.toString()
        + " spec "
        + spec
        + " conditions "
        + (statusAfter == null ? null : statusAfter.conditions());
  }
}
