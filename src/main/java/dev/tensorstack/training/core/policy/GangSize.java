package dev.tensorstack.training.core.policy;

import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.PodPriorities;
import dev.tensorstack.training.core.model.ReplicaType;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How many pods of a job must run at the same time (docs/concepts.md, Gang scheduling). */
public final class GangSize {

  private GangSize() {}

  /**
   * The pods of a job as a gang.
   *
   * @param spec what the job is to do
   * @param layout the replicas that shall exist
   * @param done how many of them have a present pod that has succeeded, by type
   * @param priorities how important they are
   * @return all of them; of an elastic job, those that it has at its smallest
   */
  public static GangMembers of(
      JobSpec spec, ReplicaLayout layout, Map<String, Integer> done, PodPriorities priorities) {
    boolean elastic = spec.elastic() != null;
    int least = spec.elastic() == null ? layout.size() : spec.elastic().minReplicas();
    Map<String, Integer> counts = ReplicaLayout.counts(spec.scaledTo(least));
    List<GangMembers.Pods> smallest = new ArrayList<>();
    for (ReplicaType type : spec.types()) {
      int count = counts.getOrDefault(type.name(), 0);
      int finished = elastic ? 0 : Math.min(count, done.getOrDefault(type.name(), 0));
      smallest.add(new GangMembers.Pods(type.template().getSpec(), count, finished));
    }
    smallest.sort(Comparator.comparing(pods -> -(long) priorities.of(pods.spec()))); // stable
    int allDone = done.values().stream().mapToInt(Integer::intValue).sum();
    return new GangMembers(least, layout.size() - allDone, smallest);
  }

  /**
   * Whether a job's PodGroup depends on the cluster's PriorityClasses.
   *
   * @param spec what the job is to do
   * @return true when its gang is smaller than the job and its types are not of one class
   */
  public static boolean dependsOnPriorities(JobSpec spec) {
    int pods = spec.types().stream().mapToInt(ReplicaType::replicas).sum();
    return spec.scheduler().countsMostImportantPods(pods)
        && classNames(spec).distinct().count() > 1;
  }

  /**
   * The PriorityClasses that a job's pods name.
   *
   * @param spec what the job is to do
   * @return their names
   */
  public static Set<String> priorityClasses(JobSpec spec) {
    return classNames(spec).filter(name -> !name.isEmpty()).collect(Collectors.toSet());
  }

  private static Stream<String> classNames(JobSpec spec) {
    return spec.types().stream()
        .map(type -> type.template().getSpec())
        .filter(Objects::nonNull)
        .map(PodSpec::getPriorityClassName)
        .map(name -> Objects.requireNonNullElse(name, ""));
  }
}
