package dev.tensorstack.training.core.model;

/**
 * In what jobs of several kinds differ, as far as the engine decides by it.
 *
 * @param success whose success is the job's
 * @param masterRestartsAll whether all pods start anew when the master fails, whatever the restart
 *     scope; else the master is replaced as any other replica is
 * @param reusesPodNames whether all pods of a replica have the same name, one after the other: a
 *     pod is deleted before the next is created, and its labels say how many there were before it
 * @param services how the pods get their DNS names
 * @param startsWithFirstLook whether the job's time, from which its deadline is counted, begins
 *     with the first look at it, also while its gang waits for its queue; else with its first pod
 * @param restartsInPlace whether the kubelet starts containers of the job's pods again
 * @param trainingContainer the name of the container that trains; the first where none has it
 * @param onlyTrainingContainerCounts whether the exit code of that container decides, whenever it
 *     failed; else that of the container that failed first
 * @param pauseField the field of the spec that is true while the job shall be paused, as users are
 *     told of it
 * @param pods what the pods get beside what all pods get
 */
public record JobTraits(
    SuccessCriterion success,
    boolean masterRestartsAll,
    boolean reusesPodNames,
    ServiceLayout services,
    boolean startsWithFirstLook,
    boolean restartsInPlace,
    String trainingContainer,
    boolean onlyTrainingContainerCounts,
    String pauseField,
    PodShape pods) {}
