package dev.tensorstack.training.core.model;

/**
 * In what jobs of several kinds differ, as far as the engine decides by it.
 *
 * @param success whose success is the job's
 * @param masterRestartsAll whether all pods start anew when the master fails, whatever the restart
 *     scope; else the master is replaced as any other replica is
 * @param services how the pods get their DNS names
 * @param restartsInPlace whether the kubelet starts containers of the job's pods again
 * @param trainingContainer the name of the container that trains; the first where none has it
 */
public record JobTraits(
    SuccessCriterion success,
    boolean masterRestartsAll,
    ServiceLayout services,
    boolean restartsInPlace,
    String trainingContainer) {

  /** The master is what the other pods depend on, for success and for failure. */
  public static final JobTraits WITH_MASTER =
      new JobTraits(SuccessCriterion.MASTER, true, ServiceLayout.ONE_FOR_ALL_PODS, false, "python");
}
