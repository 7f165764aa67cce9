package dev.tensorstack.training.core.model;

/**
 * The number of nodes of a job whose size may change while it runs, all types together.
 *
 * @param minReplicas the job runs with at least this many
 * @param maxReplicas the job never has more
 * @param isBounded whether the job gives both bounds; false only for a job that the rules refuse
 * @param expectedReplicas how many are wanted now
 */
public record Elasticity(
    int minReplicas, int maxReplicas, boolean isBounded, int expectedReplicas) {

  /**
   * The same bounds with another number of nodes.
   *
   * @param nodes how many are wanted
   * @return a new one
   */
  public Elasticity scaledTo(int nodes) {
    return new Elasticity(minReplicas, maxReplicas, isBounded, nodes);
  }
}
