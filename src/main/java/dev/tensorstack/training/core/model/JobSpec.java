package dev.tensorstack.training.core.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a job is to do, with all defaults. Each kind of job is read into it; the engine knows no
 * other form.
 *
 * @param types the types of replicas; index 0 of the first is the master
 * @param torchrun how torchrun is started; null when containers start by themselves
 * @param elastic within which bounds the number of nodes may change; null when it may not
 * @param autoscaling what a HorizontalPodAutoscaler does with the job; null for none
 * @param debug whether the pods are to wait for somebody instead of training
 * @param pause whether the job is to have no pods for a while
 * @param runPolicy deadlines, restarts and clean-up
 * @param scheduler what places the pods
 * @param queue the queue that lends the job its share of the cluster; null when it waits in none
 * @param tensorboard what serves the logs, or null
 * @param traits in what jobs of its kind differ from those of others
 */
public record JobSpec(
    List<ReplicaType> types,
    @Nullable Torchrun torchrun,
    @Nullable Elasticity elastic,
    @Nullable Autoscaling autoscaling,
    boolean debug,
    boolean pause,
    RunPolicy runPolicy,
    GangScheduler scheduler,
    @Nullable JobQueue queue,
    @Nullable Tensorboard tensorboard,
    JobTraits traits) {

  /**
   * A job that waits in no queue.
   *
   * @param types see above
   * @param torchrun see above
   * @param elastic see above
   * @param autoscaling see above
   * @param debug see above
   * @param pause see above
   * @param runPolicy see above
   * @param scheduler see above
   * @param tensorboard see above
   * @param traits see above
   */
  public JobSpec(
      List<ReplicaType> types,
      @Nullable Torchrun torchrun,
      @Nullable Elasticity elastic,
      @Nullable Autoscaling autoscaling,
      boolean debug,
      boolean pause,
      RunPolicy runPolicy,
      GangScheduler scheduler,
      @Nullable Tensorboard tensorboard,
      JobTraits traits) {
    this(
        types,
        torchrun,
        elastic,
        autoscaling,
        debug,
        pause,
        runPolicy,
        scheduler,
        null,
        tensorboard,
        traits);
  }

  /**
   * Whether torchrun forms a ring whose nodes may come and go.
   *
   * @return true for an elastic job that torchrun starts with its own rendezvous
   */
  public boolean hasElasticRing() {
    return elastic != null && torchrun != null && torchrun.backend() == RendezvousBackend.C10D;
  }

  /**
   * A type of replicas.
   *
   * @param name its name
   * @return the type
   * @throws IllegalArgumentException when the job has none of that name
   */
  public ReplicaType type(String name) {
    return types.stream()
        .filter(type -> type.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("the job has no replicas of type " + name));
  }

  /**
   * The same job with another number of nodes.
   *
   * @param nodes how many are wanted
   * @return a new spec; this one when the job is not elastic
   */
  public JobSpec scaledTo(int nodes) {
    return elastic == null
        ? this
        : new JobSpec(
            types,
            torchrun,
            elastic.scaledTo(nodes),
            autoscaling,
            debug,
            pause,
            runPolicy,
            scheduler,
            queue,
            tensorboard,
            traits);
  }

  /**
   * The same job with fewer replicas of some types.
   *
   * @param most by type, how many there may be; types that are not named keep theirs
   * @return a new spec; this one when nothing changes
   */
  public JobSpec limitedTo(Map<String, Integer> most) {
    List<ReplicaType> fewer =
        types.stream()
            .map(
                type ->
                    type.limitedTo(
                        Math.min(type.replicas(), most.getOrDefault(type.name(), type.replicas()))))
            .toList();
    return fewer.equals(types)
        ? this
        : new JobSpec(
            fewer,
            torchrun,
            elastic,
            autoscaling,
            debug,
            pause,
            runPolicy,
            scheduler,
            queue,
            tensorboard,
            traits);
  }
}
