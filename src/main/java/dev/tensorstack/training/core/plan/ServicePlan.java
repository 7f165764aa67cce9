package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.ServiceLayout;
import dev.tensorstack.training.core.naming.JobNaming;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.observe.WriteFailure;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The Services that give a job's pods their DNS names: one for all, or one for each replica. */
public final class ServicePlan {

  private ServicePlan() {}

  /** The creations that make all Services of a layout. */
  static List<PlannedAction.CreateService> wanted(TrainingJob job, ReplicaLayout layout) {
    JobNaming names = job.names();
    if (job.spec().traits().services() == ServiceLayout.ONE_FOR_ALL_PODS) {
      return List.of(new PlannedAction.CreateService(names.service(), null));
    }
    List<PlannedAction.CreateService> wanted = new ArrayList<>(layout.size());
    for (ReplicaId replica : layout.replicas()) {
      wanted.add(
          new PlannedAction.CreateService(
              names.replicaService(replica.type(), replica.index()), replica));
    }
    return wanted;
  }

  /** The creations of those that are missing. */
  static List<PlannedAction.CreateService> missing(Observation seen, ReplicaLayout layout) {
    return wanted(seen.job(), layout).stream()
        .filter(service -> !seen.services().exists(service.name()))
        .toList();
  }

  /**
   * The deletions of those that no replica needs any more.
   *
   * @param needed the creations of those that stay
   * @return none for a Service of all pods, which stays as long as its job
   */
  static List<PlannedAction.DeleteDependent> superfluous(
      Observation seen, List<PlannedAction.CreateService> needed) {
    if (seen.job().spec().traits().services() == ServiceLayout.ONE_FOR_ALL_PODS) {
      return List.of();
    }
    Set<String> names =
        needed.stream().map(PlannedAction.CreateService::name).collect(Collectors.toSet());
    List<PlannedAction.DeleteDependent> deletions = new ArrayList<>();
    seen.services()
        .uids()
        .forEach(
            (name, uid) -> {
              if (!names.contains(name)) {
                deletions.add(new PlannedAction.DeleteDependent(ObjectKind.SERVICE, name, uid));
              }
            });
    return deletions;
  }

  /**
   * Whether all Services of a plan exist or are being created.
   *
   * @param seen the job's world
   * @param plan the plan
   * @return false also for a job that cannot have replicas
   */
  public static boolean isComplete(Observation seen, Plan plan) {
    return plan.current() != null && missing(seen, plan.current().layout()).isEmpty();
  }

  /**
   * The first refusal of a Service.
   *
   * @param job the job
   * @param plan its plan
   * @return the refusal; null when none is refused
   */
  public static @Nullable WriteFailure refused(TrainingJob job, Plan plan) {
    if (plan.current() == null || plan.refused().isEmpty()) {
      return null;
    }
    return wanted(job, plan.current().layout()).stream()
        .map(service -> plan.refused().get(ObjectWrite.of(ObjectKind.SERVICE, service.name())))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }
}
