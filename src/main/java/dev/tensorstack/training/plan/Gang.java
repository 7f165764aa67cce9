package dev.tensorstack.training.plan;

import dev.tensorstack.training.observation.Observation;
import dev.tensorstack.training.observation.TrainingJob;
import dev.tensorstack.training.policy.ReplicaLayout;
import dev.tensorstack.training.resource.PodGroupFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The replicas of a plan as a gang (docs/concepts.md, Gang scheduling). */
public final class Gang {

  private Gang() {}

  /**
   * How many replicas are done: their present pods have succeeded.
   *
   * @param replicas the replicas that shall exist
   * @return their number
   */
  static int done(List<PresentReplica> replicas) {
    return (int) replicas.stream().filter(PresentReplica::done).count();
  }

  /**
   * The group that pods join which are created now.
   *
   * @param seen what the plan was made of
   * @param plan the plan
   * @return the name of the job's group; null when the pods shall be placed one by one
   */
  public static @Nullable String ofNewPods(Observation seen, Plan plan) {
    TrainingJob job = seen.job();
    ReplicaLayout layout =
        ReplicaLayout.of(job.spec(), plan.replicas().stream().map(PresentReplica::id).toList());
    return PodGroupFactory.takesNewPods(
            job, layout, seen.companions().podGroupKind(), done(plan.replicas()))
        ? job.names().base()
        : null;
  }
}
