package dev.tensorstack.training.core.model;

/**
 * In what jobs of several kinds differ, as far as the engine decides by it.
 *
 * @param success whose success is the job's
 * @param masterRestartsAll whether all pods start anew when the master fails, whatever the restart
 *     scope; else the master is replaced as any other replica is
 */
public record JobTraits(SuccessCriterion success, boolean masterRestartsAll) {

  /** The master is what the other pods depend on, for success and for failure. */
  public static final JobTraits WITH_MASTER = new JobTraits(SuccessCriterion.MASTER, true);
}
