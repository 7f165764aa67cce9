package dev.tensorstack.training.status;

import dev.tensorstack.training.api.v1beta1.ContainerState;
import dev.tensorstack.training.api.v1beta1.OmittedReplicas;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.api.v1beta1.ReplicaAggregate;
import dev.tensorstack.training.api.v1beta1.ReplicaPhase;
import dev.tensorstack.training.api.v1beta1.ReplicaStatus;
import dev.tensorstack.training.api.v1beta1.TaskStatus;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.observation.IndexRanges;
import dev.tensorstack.training.observation.Ledger;
import dev.tensorstack.training.observation.ObservedContainer;
import dev.tensorstack.training.observation.ObservedPod;
import dev.tensorstack.training.observation.ReplicaId;
import dev.tensorstack.training.plan.Plan;
import dev.tensorstack.training.plan.PresentReplica;
import dev.tensorstack.training.policy.PodFailure;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The replicas' part of the status. A replica that has ended stays reported as it was, whatever
 * becomes of its pod: a clean-up takes pods, not the record.
 */
final class ReplicaStates {

  /** Above this size the status lists only replicas that are not simply running. */
  static final int LISTED_IN_FULL = 1_000;

  /** How many bytes a list of all replicas may take, so that the status stays below 256 KiB. */
  static final int ALL_BYTES = 200 * 1024;

  /**
   * How many bytes a list may take that leaves out replicas. Ranges of indexes tell of the others;
   * they take less than 120 KiB for the largest job.
   */
  static final int SOME_BYTES = 80 * 1024;

  /** What a replica that scaling took away takes. */
  private static final int REMOVED_BYTES = 12;

  /** Which replicas are listed when not all can be: those that people look for come first. */
  private static final List<ReplicaPhase> MOST_TELLING_FIRST =
      List.of(
          ReplicaPhase.Failed,
          ReplicaPhase.Unknown,
          ReplicaPhase.Deleted,
          ReplicaPhase.Pending,
          ReplicaPhase.Creating,
          ReplicaPhase.Succeeded,
          ReplicaPhase.Running);

  private final List<PresentReplica> replicas;
  private final boolean ended;
  private final Map<String, ReplicaStatus> record;

  /** Pods whose failure is known, also of those whose lost node has not said that they ended. */
  private final Set<String> failed;

  private ReplicaStates(
      List<PresentReplica> replicas,
      boolean ended,
      Map<String, ReplicaStatus> record,
      Set<String> failed) {
    this.replicas = replicas;
    this.ended = ended;
    this.record = record;
    this.failed = failed;
  }

  /** The replicas of a plan, with the status as it was before. */
  static ReplicaStates of(Plan plan, @Nullable PyTorchTrainingJobStatus before) {
    Map<String, ReplicaStatus> record = new HashMap<>();
    if (before != null && before.tasks() != null) {
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
    return new ReplicaStates(
        plan.replicas(), plan.stage() == Plan.Stage.ENDED, record, plan.ledger().reported());
  }

  /** The phase of a replica, with what has been recorded of it. */
  private ReplicaPhase recordedPhase(PresentReplica replica) {
    ReplicaStatus recorded = recorded(replica);
    if (recorded != null) {
      return ReplicaPhase.valueOf(recorded.phase());
    }
    // A replacement that waited for its delay when the job ended is never created.
    ReplicaPhase phase = phase(replica);
    return ended && replica.missing() && phase == ReplicaPhase.Creating
        ? ReplicaPhase.Deleted
        : phase;
  }

  /** What the status has said of a replica that had ended; null when its pod still says it. */
  private @Nullable ReplicaStatus recorded(PresentReplica replica) {
    ReplicaStatus recorded = record.get(replica.name());
    if (recorded == null || !(ended || replica.slot().end() != null)) {
      return null;
    }
    boolean podSaysIt = replica.pod() != null && replica.pod().endedByItself();
    return podSaysIt && !ended ? null : recorded;
  }

  /** The phase of a replica: its pod's, Creating before the pod has a node, or Deleted. */
  static ReplicaPhase phase(PresentReplica replica) {
    ObservedPod pod = replica.pod();
    Ledger.RecordedEnd end = replica.slot().end();
    if (end != null && (pod == null || !pod.endedByItself())) {
      return end.succeeded() ? ReplicaPhase.Succeeded : ReplicaPhase.Failed;
    }
    if (pod == null) {
      return replica.slot().uid() == null ? ReplicaPhase.Creating : ReplicaPhase.Deleted;
    }
    if (pod.lostSince() != null && !pod.ended()) {
      return ReplicaPhase.Unknown;
    }
    if (pod.deleting() && !pod.endedByItself()) {
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
    Map<PresentReplica, ReplicaStatus> listed =
        listed(ALL_BYTES - REMOVED_BYTES * ledger.removed().size());
    Map<String, List<ReplicaStatus>> byType = new LinkedHashMap<>();
    Map<String, List<PresentReplica>> omitted = new HashMap<>();
    types.forEach(type -> byType.put(type, new ArrayList<>()));
    for (PresentReplica replica : replicas) {
      String type = replica.id().type();
      ReplicaStatus status = listed.get(replica);
      if (status != null) {
        byType.computeIfAbsent(type, any -> new ArrayList<>()).add(status);
      } else {
        omitted.computeIfAbsent(type, any -> new ArrayList<>()).add(replica);
      }
    }
    List<TaskStatus> tasks = new ArrayList<>();
    byType.forEach(
        (type, statuses) -> {
          List<PresentReplica> others = omitted.getOrDefault(type, List.of());
          tasks.add(
              new TaskStatus(
                  type,
                  ledger.counts().restarts().getOrDefault(type, 0),
                  others.isEmpty() ? null : others.size(),
                  others.isEmpty() ? null : omitted(others),
                  removed(type, ledger),
                  statuses));
        });
    return tasks;
  }

  /** The replicas that are listed one by one: all when they fit, else as many as do. */
  private Map<PresentReplica, ReplicaStatus> listed(int limit) {
    boolean inFull = replicas.size() <= LISTED_IN_FULL;
    Map<PresentReplica, ReplicaStatus> listed = new IdentityHashMap<>();
    int bytes = 0;
    for (PresentReplica replica : replicas) {
      ReplicaPhase phase = recordedPhase(replica);
      if (inFull || phase != ReplicaPhase.Running) {
        ReplicaStatus status = replica(replica, phase);
        listed.put(replica, status);
        bytes += bytes(status);
      }
    }
    return bytes <= (inFull ? limit : SOME_BYTES) ? listed : mostTelling(listed);
  }

  /** Containers go first, but for those of pods that have failed; then whole replicas. */
  private Map<PresentReplica, ReplicaStatus> mostTelling(Map<PresentReplica, ReplicaStatus> all) {
    Map<PresentReplica, ReplicaStatus> listed = new IdentityHashMap<>();
    int left = SOME_BYTES;
    for (ReplicaPhase phase : MOST_TELLING_FIRST) {
      for (PresentReplica replica : replicas) {
        ReplicaStatus status = all.get(replica);
        if (status == null || !phase.name().equals(status.phase())) {
          continue;
        }
        ReplicaStatus shorter = phase == ReplicaPhase.Failed ? status : withoutContainers(status);
        int bytes = bytes(shorter);
        if (bytes > left) {
          return listed;
        }
        left -= bytes;
        listed.put(replica, shorter);
      }
    }
    return listed;
  }

  private static ReplicaStatus withoutContainers(ReplicaStatus status) {
    return new ReplicaStatus(
        status.name(), status.uid(), status.phase(), null, status.restartAt(), status.cause());
  }

  /** About as many bytes as the JSON of a replica takes, rather more than less. */
  private static int bytes(ReplicaStatus status) {
    int bytes = 96 + bytes(status.name()) + bytes(status.uid()) + bytes(status.restartAt());
    for (ContainerState container :
        Objects.requireNonNullElse(status.containers(), List.<ContainerState>of())) {
      bytes += 72 + bytes(container.name()) + bytes(container.reason());
    }
    return bytes;
  }

  /** A character takes at most three bytes of UTF-8, a quotation mark or the like two. */
  private static int bytes(@Nullable String text) {
    if (text == null) {
      return 0;
    }
    boolean plain = text.chars().allMatch(one -> one >= ' ' && one < 127 && one != '"');
    return plain ? text.length() : 6 * text.length();
  }

  /** What must be known of replicas that are not listed: which pod each has, and how it ended. */
  private OmittedReplicas omitted(List<PresentReplica> others) {
    List<Integer> created = new ArrayList<>();
    List<Integer> creating = new ArrayList<>();
    List<Integer> succeeded = new ArrayList<>();
    List<Integer> failed = new ArrayList<>();
    Map<Integer, List<Integer>> earlierPods = new TreeMap<>();
    Instant restartAt = null;
    for (PresentReplica replica : others) {
      int index = replica.id().index();
      ReplicaPhase phase = recordedPhase(replica);
      if (phase == ReplicaPhase.Succeeded) {
        succeeded.add(index);
      } else if (phase == ReplicaPhase.Failed) {
        failed.add(index);
      } else if (replica.slot().uid() == null) {
        creating.add(index);
      } else {
        created.add(index);
      }
      if (replica.slot().earlierPods() > 0) {
        earlierPods
            .computeIfAbsent(replica.slot().earlierPods(), any -> new ArrayList<>())
            .add(index);
      }
      Instant delayed = replica.slot().restartAt();
      restartAt =
          restartAt == null || (delayed != null && delayed.isAfter(restartAt))
              ? delayed
              : restartAt;
    }
    Map<String, String> pods = new LinkedHashMap<>();
    earlierPods.forEach(
        (count, indexes) ->
            pods.put(Integer.toString(count), Objects.requireNonNull(IndexRanges.format(indexes))));
    return new OmittedReplicas(
        IndexRanges.format(created),
        IndexRanges.format(creating),
        IndexRanges.format(succeeded),
        IndexRanges.format(failed),
        pods.isEmpty() ? null : pods,
        restartAt == null ? null : restartAt.truncatedTo(ChronoUnit.SECONDS).toString());
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
    ReplicaStatus recorded = recorded(replica);
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
        ended || replica.slot().restartAt() == null
            ? null
            : replica.slot().restartAt().truncatedTo(ChronoUnit.SECONDS).toString(),
        isDisruption(replica, phase) ? FailureCause.Disruption.name() : null);
  }

  private boolean isDisruption(PresentReplica replica, ReplicaPhase phase) {
    return phase == ReplicaPhase.Failed
        ? isDisruption(replica)
        : phase == ReplicaPhase.Unknown && failed.contains(replica.name());
  }

  private static boolean isDisruption(PresentReplica replica) {
    Ledger.RecordedEnd end = replica.slot().end();
    return replica.pod() == null
        ? end != null && end.disruption()
        : PodFailure.isDisrupted(replica.pod());
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
