package dev.tensorstack.training.status;

import dev.tensorstack.training.api.v1beta1.ContainerState;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.api.v1beta1.ReplicaAggregate;
import dev.tensorstack.training.api.v1beta1.ReplicaPhase;
import dev.tensorstack.training.api.v1beta1.ReplicaStatus;
import dev.tensorstack.training.api.v1beta1.TaskStatus;
import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ObservedContainer;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.plan.Plan;
import dev.tensorstack.training.plan.PresentReplica;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The replicas' part of the status. Once the job has ended, a replica that had ended stays reported
 * as it was, whatever becomes of its pod: the clean-up takes pods, not the record.
 */
final class ReplicaStates {

  /** Above this size the status lists only replicas that are not simply running. */
  static final int LISTED_IN_FULL = 1_000;

  private final List<PresentReplica> replicas;
  private final Map<String, ReplicaStatus> record;

  private ReplicaStates(List<PresentReplica> replicas, Map<String, ReplicaStatus> record) {
    this.replicas = replicas;
    this.record = record;
  }

  /** The replicas of a plan, with the status as it was before. */
  static ReplicaStates of(Plan plan, @Nullable PyTorchTrainingJobStatus before) {
    Map<String, ReplicaStatus> record = new HashMap<>();
    if (plan.stage() == Plan.Stage.ENDED && before != null && before.tasks() != null) {
      for (TaskStatus task : before.tasks()) {
        for (ReplicaStatus replica :
            Objects.requireNonNullElse(task.replicas(), List.<ReplicaStatus>of())) {
          if (ReplicaPhase.Succeeded.name().equals(replica.phase())
              || ReplicaPhase.Failed.name().equals(replica.phase())) {
            record.put(replica.name(), replica);
          }
        }
      }
    }
    return new ReplicaStates(plan.replicas(), record);
  }

  /** The phase of a replica, with the record of the time before the job ended. */
  private ReplicaPhase recordedPhase(PresentReplica replica) {
    ReplicaStatus recorded = record.get(replica.name());
    return recorded == null ? phase(replica) : ReplicaPhase.valueOf(recorded.phase());
  }

  /** The phase of a replica: its pod's, Creating before the pod has a node, or Deleted. */
  static ReplicaPhase phase(PresentReplica replica) {
    ObservedPod pod = replica.pod();
    if (pod == null) {
      return replica.slot().uid() == null ? ReplicaPhase.Creating : ReplicaPhase.Deleted;
    }
    if (pod.lostSince() != null && !pod.ended()) {
      return ReplicaPhase.Unknown;
    }
    if (pod.deleting()) {
      return ReplicaPhase.Deleted;
    }
    return switch (pod.phase()) {
      case PENDING -> pod.node() == null ? ReplicaPhase.Creating : ReplicaPhase.Pending;
      case RUNNING -> ReplicaPhase.Running;
      case SUCCEEDED -> ReplicaPhase.Succeeded;
      case FAILED -> ReplicaPhase.Failed;
      case UNKNOWN -> ReplicaPhase.Unknown;
    };
  }

  /** Counts the replicas by phase; all phases are in the map. */
  Map<ReplicaPhase, Integer> count() {
    Map<ReplicaPhase, Integer> counts = new EnumMap<>(ReplicaPhase.class);
    for (ReplicaPhase phase : ReplicaPhase.values()) {
      counts.put(phase, 0);
    }
    replicas.forEach(replica -> counts.merge(recordedPhase(replica), 1, Integer::sum));
    return counts;
  }

  /** The counts in the API's form. */
  static ReplicaAggregate aggregate(Map<ReplicaPhase, Integer> counts) {
    return new ReplicaAggregate(
        counts.getOrDefault(ReplicaPhase.Creating, 0),
        counts.getOrDefault(ReplicaPhase.Pending, 0),
        counts.getOrDefault(ReplicaPhase.Running, 0),
        counts.getOrDefault(ReplicaPhase.Succeeded, 0),
        counts.getOrDefault(ReplicaPhase.Failed, 0),
        counts.getOrDefault(ReplicaPhase.Unknown, 0),
        counts.getOrDefault(ReplicaPhase.Deleted, 0));
  }

  /** The replicas by type, in the order of the spec. */
  List<TaskStatus> tasks(List<String> types, Ledger ledger) {
    boolean inFull = replicas.size() <= LISTED_IN_FULL;
    Map<String, List<ReplicaStatus>> listed = new LinkedHashMap<>();
    Map<String, Integer> omitted = new LinkedHashMap<>();
    types.forEach(type -> listed.put(type, new ArrayList<>()));
    for (PresentReplica replica : replicas) {
      String type = replica.id().type();
      ReplicaPhase phase = recordedPhase(replica);
      // One that had pods before is listed: their number must not be forgotten.
      if (inFull || phase != ReplicaPhase.Running || replica.slot().earlierPods() > 0) {
        listed.computeIfAbsent(type, any -> new ArrayList<>()).add(replica(replica, phase));
      } else {
        omitted.merge(type, 1, Integer::sum);
      }
    }
    List<TaskStatus> tasks = new ArrayList<>();
    listed.forEach(
        (type, statuses) ->
            tasks.add(
                new TaskStatus(
                    type,
                    ledger.counts().restarts().getOrDefault(type, 0),
                    omitted.get(type),
                    removed(type, ledger),
                    statuses)));
    return tasks;
  }

  /** How many pods those had that scaling took away, by index; null when there are none. */
  private @Nullable Map<String, Integer> removed(String type, Ledger ledger) {
    Map<String, Integer> removed = new TreeMap<>();
    for (ReplicaId id : ledger.removed()) {
      if (id.type().equals(type)) {
        Ledger.Slot slot = ledger.slots().get(id);
        removed.put(Integer.toString(id.index()), slot == null ? 0 : slot.earlierPods());
      }
    }
    return removed.isEmpty() ? null : removed;
  }

  private ReplicaStatus replica(PresentReplica replica, ReplicaPhase phase) {
    ReplicaStatus recorded = record.get(replica.name());
    if (recorded != null) {
      return recorded;
    }
    ObservedPod pod = replica.pod();
    List<ContainerState> containers =
        pod == null
            ? null
            : pod.containers().stream()
                .filter(container -> !container.init() || interesting(container))
                .map(ReplicaStates::container)
                .toList();
    return new ReplicaStatus(
        replica.name(),
        replica.slot().uid(),
        phase.name(),
        containers == null || containers.isEmpty() ? null : containers,
        replica.slot().restartAt() == null
            ? null
            : replica.slot().restartAt().truncatedTo(ChronoUnit.SECONDS).toString());
  }

  /** An init container that is done tells nothing. */
  private static boolean interesting(ObservedContainer init) {
    return init.state() != ObservedContainer.State.TERMINATED || init.failed();
  }

  private static ContainerState container(ObservedContainer container) {
    String state = container.state().name();
    return new ContainerState(
        container.name(),
        state.charAt(0) + state.substring(1).toLowerCase(Locale.ROOT),
        container.reason(),
        container.exitCode());
  }
}
