package dev.tensorstack.training.simulation;

/** The kinds of jobs that histories are about. */
enum SimulatedKind {
  /** The operator's own kind. */
  TRAINING_JOB {
    @Override
    SimulatedJob create(Luck luck, boolean isLong) {
      return RandomJob.create(luck, isLong);
    }

    @Override
    Oracle oracle(Cluster cluster) {
      return new Invariants(cluster);
    }
  },
  /** Kubeflow's. */
  PYTORCH_JOB {
    @Override
    SimulatedJob create(Luck luck, boolean isLong) {
      return RandomPyTorchJob.create(luck, isLong);
    }

    @Override
    Oracle oracle(Cluster cluster) {
      return new PyTorchJobInvariants(cluster);
    }
  };

  /** How many histories of a hundred are about PyTorchJobs. */
  private static final int PYTORCH_JOBS = Integer.getInteger("simulation.pytorchjobs", 50);

  /** So that the kind's chance is none of the history's. */
  private static final long STREAM = 0x5DEECE66DL;

  /**
   * The kind of a history. Its chance is its own: a history of the first kind is the same whatever
   * the share of the second.
   */
  static SimulatedKind of(long seed) {
    return new Luck(seed ^ STREAM).chance(PYTORCH_JOBS) ? PYTORCH_JOB : TRAINING_JOB;
  }

  /**
   * A job as users make them.
   *
   * @param isLong whether it is to outlive many pods
   */
  abstract SimulatedJob create(Luck luck, boolean isLong);

  /** What must hold of it. */
  abstract Oracle oracle(Cluster cluster);
}
