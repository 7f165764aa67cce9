package dev.tensorstack.training.core.observe;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * All that is known of a job's world.
 *
 * @param job the job
 * @param pods its pods, alive and ended, in the order of replica and of {@code earlierPods}
 * @param services the Services that give its pods their DNS names
 * @param creating names of pods whose creation was sent and not yet answered; without those that
 *     can still be called back
 * @param refused the writes that the API server has refused, wanted still or not
 * @param dependents the objects beside its pods
 * @param notes what is known of its pods that is not in them
 */
public record Observation(
    TrainingJob job,
    List<ObservedPod> pods,
    ObservedServices services,
    Set<String> creating,
    RefusedWrites refused,
    ObservedDependents dependents,
    PodNotes notes) {

  /**
   * A world in which nothing is known of pods but what is in them.
   *
   * @param job the job
   * @param pods its pods
   * @param services the Services that give its pods their DNS names
   * @param creating names of pods that are being created
   * @param refused the refused writes
   * @param dependents the objects beside its pods
   */
  public Observation(
      TrainingJob job,
      List<ObservedPod> pods,
      ObservedServices services,
      Set<String> creating,
      RefusedWrites refused,
      ObservedDependents dependents) {
    this(job, pods, services, creating, refused, dependents, PodNotes.NONE);
  }

  /**
   * The same world of a job with another spec.
   *
   * @param other the job
   * @return the same but for it
   */
  public Observation with(TrainingJob other) {
    return new Observation(other, pods, services, creating, refused, dependents, notes);
  }

  /**
   * The pods by name.
   *
   * @return a map of all pods
   */
  public Map<String, ObservedPod> podsByName() {
    return pods.stream().collect(Collectors.toMap(ObservedPod::name, Function.identity()));
  }
}
