package dev.tensorstack.training.core.model;

import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.List;

/**
 * The pods of a job as a gang.
 *
 * @param least how many must run at the same time: all, or the minimum of an elastic job
 * @param unfinished how many replicas shall exist that are not done
 * @param smallest the pods that the job has at its smallest, the most important first; of equals,
 *     the master's type first
 */
public record GangMembers(int least, int unfinished, List<Pods> smallest) {

  /**
   * Pods that are alike.
   *
   * @param spec the spec of each
   * @param count how many there are
   * @param done how many of these have succeeded; 0 where the job may have more pods than the least
   */
  public record Pods(PodSpec spec, int count, int done) {

    /**
     * Those that have not succeeded.
     *
     * @return the same pods, fewer of them
     */
    Pods unfinished() {
      return new Pods(spec, count - done, 0);
    }
  }

  /**
   * The pods of {@link #smallest} that have not succeeded.
   *
   * @return the pods, the most important first
   */
  public List<Pods> smallestUnfinished() {
    return smallest.stream().map(Pods::unfinished).toList();
  }
}
