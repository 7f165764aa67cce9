package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.GangSize;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import org.jspecify.annotations.Nullable;

/** The replicas of a plan as a gang (docs/concepts.md, Gang scheduling). */
public final class Gang {

  private Gang() {}

  /** The pods of the gang. */
  static GangMembers members(JobSpec spec, Plan plan) {
    ReplicaLayout layout =
        ReplicaLayout.of(spec, plan.replicas().stream().map(CurrentReplica::id).toList());
    int done = (int) plan.replicas().stream().filter(CurrentReplica::done).count();
    return GangSize.of(spec, layout, done);
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
    ObjectKind kind = seen.dependents().podGroupKind();
    return kind == null || job.spec().scheduler().takesNewPods(kind, members(job.spec(), plan))
        ? job.names().podGroup()
        : null;
  }
}
