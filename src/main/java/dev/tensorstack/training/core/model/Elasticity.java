package dev.tensorstack.training.core.model;

import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricSpec;
import java.util.List;

/**
 * The number of nodes of a job whose size may change while it runs, all types together.
 *
 * @param minReplicas the job runs with at least this many
 * @param maxReplicas the job never has more
 * @param isBounded whether the job gives both bounds; false only for a job that the rules refuse
 * @param expectedReplicas how many are wanted now
 * @param metrics what an autoscaler of the job looks at; empty for no autoscaler
 */
public record Elasticity(
    int minReplicas,
    int maxReplicas,
    boolean isBounded,
    int expectedReplicas,
    List<MetricSpec> metrics) {

  /**
   * The same bounds with another number of nodes.
   *
   * @param nodes how many are wanted
   * @return a new one
   */
  public Elasticity scaledTo(int nodes) {
    return new Elasticity(minReplicas, maxReplicas, isBounded, nodes, metrics);
  }
}
