package dev.tensorstack.training.world;

import dev.tensorstack.training.core.dependents.DependentObject;
import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.PodPriorities;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.GangSize;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Map;

/** The PodGroup of a job whose replicas are those that its spec wants. */
public final class PodGroupOf {

  private PodGroupOf() {}

  /**
   * Makes the group.
   *
   * @param job the job
   * @param kind one of the kinds that its scheduler knows
   * @param done how many replicas of its first type are done
   * @return the object to apply
   */
  public static GenericKubernetesResource job(TrainingJob job, ObjectKind kind, int done) {
    return DependentObject.podGroup(job, kind, members(job, done));
  }

  /**
   * Makes the members of a gang of equally important pods.
   *
   * @param job the job
   * @param done how many replicas of its first type are done
   * @return the members
   */
  public static GangMembers members(TrainingJob job, int done) {
    return GangSize.of(
        job.spec(),
        ReplicaLayout.of(job.spec()),
        Map.of(job.spec().types().get(0).name(), done),
        PodPriorities.EQUAL);
  }
}
