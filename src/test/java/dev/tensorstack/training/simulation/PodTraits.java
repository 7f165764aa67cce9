package dev.tensorstack.training.simulation;

/**
 * In what the pods of one kind of job differ from those of another.
 *
 * @param restarts what their kubelets start again
 * @param onlyTrainingCounts whether all containers but the one that trains are sidecars
 * @param modeLabelled whether a label says what they are for
 */
record PodTraits(KubeletRestarts restarts, boolean onlyTrainingCounts, boolean modeLabelled) {}
