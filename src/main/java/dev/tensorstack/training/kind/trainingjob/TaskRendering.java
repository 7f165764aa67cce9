package dev.tensorstack.training.kind.trainingjob;

import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.ReplicaPhase;
import dev.tensorstack.training.core.observe.ObservedContainer;
import dev.tensorstack.training.core.report.JobReport;
import dev.tensorstack.training.core.report.ReplicaReport;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ContainerState;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TaskStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the replicas by type. All are listed as long as they fit; else those are left out that
 * simply run, and whatever is still too much.
 */
final class TaskRendering {

  /** Above this size only replicas are listed that are not simply running. */
  private static final int LISTED_IN_FULL = 1_000;

  /**
   * How many bytes the list and the ledger's replicas may take together, so that the status stays
   * below 256 KiB: the rest, with its messages, takes less than 48 KiB.
   */
  private static final int TOGETHER = 208 * 1024;

  /** How many bytes a list of all replicas may take. */
  private static final int ALL_BYTES = 170 * 1024;

  /** How many bytes a list may take that leaves out replicas. */
  private static final int SOME_BYTES = 80 * 1024;

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

  private final List<ReplicaReport> replicas;
  private final int left;
  private final Map<String, ReplicaStatus> before = new HashMap<>();

  private TaskRendering(
      List<ReplicaReport> replicas, int ledgerBytes, @Nullable List<TaskStatus> before) {
    this.replicas = replicas;
    this.left = Math.max(0, TOGETHER - ledgerBytes);
    for (TaskStatus task : before == null ? List.<TaskStatus>of() : before) {
      for (ReplicaStatus replica :
          task.replicas() == null ? List.<ReplicaStatus>of() : task.replicas()) {
        if (replica.name() != null) {
          this.before.put(replica.name(), replica);
        }
      }
    }
  }

  /**
   * The replicas of a report.
   *
   * @param types the types in the order of the spec
   * @param ledgerBytes what the ledger says of replicas takes in the same status
   * @param before the replicas by type as they are stored; null when nothing is
   */
  static List<TaskStatus> of(
      JobReport report, List<String> types, int ledgerBytes, @Nullable List<TaskStatus> before) {
    return new TaskRendering(report.replicas(), ledgerBytes, before).tasks(types, report.ledger());
  }

  private List<TaskStatus> tasks(List<String> types, Ledger ledger) {
    Map<ReplicaReport, ReplicaStatus> listed = listed();
    Map<String, List<ReplicaStatus>> byType = new LinkedHashMap<>();
    Map<String, Integer> omitted = new HashMap<>();
    types.forEach(type -> byType.put(type, new ArrayList<>()));
    for (ReplicaReport replica : replicas) {
      String type = replica.id().type();
      ReplicaStatus status = listed.get(replica);
      if (status != null) {
        byType.computeIfAbsent(type, any -> new ArrayList<>()).add(status);
      } else {
        omitted.merge(type, 1, Integer::sum);
      }
    }
    List<TaskStatus> tasks = new ArrayList<>();
    byType.forEach(
        (type, statuses) ->
            tasks.add(
                new TaskStatus(
                    type,
                    ledger.counts().restarts().getOrDefault(type, 0),
                    omitted.get(type),
                    null,
                    null,
                    statuses)));
    return tasks;
  }

  /** The replicas that are listed one by one: all when they fit, else as many as do. */
  private Map<ReplicaReport, ReplicaStatus> listed() {
    boolean inFull = replicas.size() <= LISTED_IN_FULL;
    Map<ReplicaReport, ReplicaStatus> listed = new IdentityHashMap<>();
    int bytes = 0;
    for (ReplicaReport replica : replicas) {
      if (inFull || replica.phase() != ReplicaPhase.Running) {
        ReplicaStatus status = status(replica);
        listed.put(replica, status);
        bytes += bytes(status);
      }
    }
    return bytes <= Math.min(left, inFull ? ALL_BYTES : SOME_BYTES) ? listed : mostTelling(listed);
  }

  /** Containers go first, but for those of pods that have failed; then whole replicas. */
  private Map<ReplicaReport, ReplicaStatus> mostTelling(Map<ReplicaReport, ReplicaStatus> all) {
    Map<ReplicaReport, ReplicaStatus> listed = new IdentityHashMap<>();
    int free = Math.min(left, SOME_BYTES);
    for (ReplicaPhase phase : MOST_TELLING_FIRST) {
      for (ReplicaReport replica : replicas) {
        ReplicaStatus status = all.get(replica);
        if (status == null || replica.phase() != phase) {
          continue;
        }
        ReplicaStatus shorter = phase == ReplicaPhase.Failed ? status : withoutContainers(status);
        int bytes = bytes(shorter);
        if (bytes > free) {
          return listed;
        }
        free -= bytes;
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
    int bytes = 52 + bytes(status.name()) + bytes(status.uid());
    bytes += status.restartAt() == null ? 0 : 16 + bytes(status.restartAt());
    bytes += status.cause() == null ? 0 : 22;
    if (status.containers() != null) {
      bytes += 16;
      for (ContainerState container : status.containers()) {
        bytes += 34 + bytes(container.name()) + bytes(container.state());
        bytes += container.reason() == null ? 0 : 12 + bytes(container.reason());
        bytes += container.exitCode() == null ? 0 : 15;
      }
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

  private ReplicaStatus status(ReplicaReport replica) {
    ReplicaStatus stored = before.get(replica.pod());
    if (replica.recorded() && stored != null && replica.phase().name().equals(stored.phase())) {
      return stored;
    }
    return new ReplicaStatus(
        replica.pod(),
        replica.slot().uid(),
        replica.phase().name(),
        replica.containers().isEmpty()
            ? null
            : replica.containers().stream().map(TaskRendering::container).toList(),
        StatusRendering.time(replica.restartAt()),
        replica.disrupted() ? FailureCause.Disruption.name() : null);
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
