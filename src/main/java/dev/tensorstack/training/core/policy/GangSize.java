package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.PodPriorities;
import dev.tensorstack.training.core.model.ReplicaType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** How many pods of a job must run at the same time (docs/concepts.md, Gang scheduling). */
public final class GangSize {

  private GangSize() {}

  /**
   * The pods of a job as a gang.
   *
   * @param spec what the job is to do
   * @param layout the replicas that shall exist
   * @param done how many of them have a present pod that has succeeded
   * @param priorities how important they are
   * @return all of them; of an elastic job, those that it has at its smallest
   */
  public static GangMembers of(
      JobSpec spec, ReplicaLayout layout, int done, PodPriorities priorities) {
    int least = spec.elastic() == null ? layout.size() : spec.elastic().minReplicas();
    Map<String, Integer> counts = ReplicaLayout.counts(spec.scaledTo(least));
    List<GangMembers.Pods> smallest = new ArrayList<>();
    for (ReplicaType type : spec.types()) {
      smallest.add(
          new GangMembers.Pods(type.template().getSpec(), counts.getOrDefault(type.name(), 0)));
    }
    smallest.sort(Comparator.comparing(pods -> -(long) priorities.of(pods.spec()))); // stable
    return new GangMembers(least, layout.size() - done, smallest);
  }
}
