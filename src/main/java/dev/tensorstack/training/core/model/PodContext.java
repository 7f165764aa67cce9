package dev.tensorstack.training.core.model;

import dev.tensorstack.training.core.naming.JobNaming;
import io.fabric8.kubernetes.api.model.Container;
import java.util.function.ToIntFunction;

/**
 * The place of a pod in its job.
 *
 * @param spec what the job is to do
 * @param job the job's name
 * @param names the names of what belongs to the job
 * @param uid the job's uid
 * @param replica the replica that the pod is for
 * @param rank the replica's rank, from 0
 * @param size how many replicas the job has
 * @param master the replica that the others look for
 * @param attempt the present attempt, from 0
 * @param mode what the pod is for
 * @param accelerators counts the accelerators that a container may use
 */
public record PodContext(
    JobSpec spec,
    String job,
    JobNaming names,
    String uid,
    ReplicaId replica,
    int rank,
    int size,
    ReplicaId master,
    int attempt,
    RunModeKind mode,
    ToIntFunction<Container> accelerators) {

  /**
   * The type of the pod's replica.
   *
   * @return the type
   */
  public ReplicaType type() {
    return spec.type(replica.type());
  }

  /**
   * The name under which the other pods reach the master.
   *
   * @return a name that resolves in the cluster
   */
  public String masterAddress() {
    return names.address(master.type(), master.index());
  }

  /**
   * How many nodes torchrun is told.
   *
   * @return {@code N}, or {@code MIN:MAX} of an elastic job
   */
  public String nodes() {
    Elasticity elastic = spec.elastic();
    return elastic != null
        ? elastic.minReplicas() + ":" + elastic.maxReplicas()
        : Integer.toString(size);
  }
}
