package dev.tensorstack.training.simulation;

/** A job takes its pods along. */
final class DeletedAtRest {

  private DeletedAtRest() {}

  static void check(Cluster cluster) {
    Invariants.require(
        cluster.pods.values().stream().allMatch(cluster::isLost),
        "a job takes its pods along",
        cluster.pods.values());
  }
}
