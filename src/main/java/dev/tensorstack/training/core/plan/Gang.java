package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.Observation;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.GangSize;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The replicas of a plan as a gang (docs/concepts.md, Gang scheduling). */
public final class Gang {

  private Gang() {}

  /** The pods of the gang. */
  static GangMembers members(Observation seen, CurrentReplicas replicas) {
    Map<String, Integer> done = new HashMap<>();
    replicas.all().stream()
        .filter(CurrentReplica::done)
        .forEach(replica -> done.merge(replica.id().type(), 1, Integer::sum));
    return GangSize.of(
        seen.job().spec(), replicas.layout(), done, seen.dependents().podPriorities());
  }

  /**
   * The group that pods join which are created now.
   *
   * @param seen what the plan was made of
   * @param replicas the replicas of the plan
   * @return the name of the job's group; null when the pods shall be placed one by one
   */
  public static @Nullable String ofNewPods(Observation seen, CurrentReplicas replicas) {
    TrainingJob job = seen.job();
    ObjectKind kind = seen.dependents().podGroupKind();
    return kind == null || job.spec().scheduler().takesNewPods(kind, members(seen, replicas))
        ? job.names().podGroup()
        : null;
  }
}
