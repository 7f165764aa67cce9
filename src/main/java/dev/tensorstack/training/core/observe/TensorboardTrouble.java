package dev.tensorstack.training.core.observe;

import static java.util.Objects.requireNonNullElse;

import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Why the pod of a TensorBoard does not start, which its Deployment does not know.
 *
 * @param reason {@link #UNSCHEDULABLE}, or what its container waits for, as {@code
 *     ImagePullBackOff}
 * @param message what the scheduler or the kubelet says
 */
public record TensorboardTrouble(String reason, String message) {

  /** No node fits, or a claim is not there. */
  public static final String UNSCHEDULABLE = "Unschedulable";

  private static final Set<String> STARTING = Set.of("ContainerCreating", "PodInitializing");

  /**
   * Looks for what keeps pods from starting.
   *
   * @param pods the pods of one TensorBoard
   * @return the first trouble of one that is not being deleted; null when there is none
   */
  public static @Nullable TensorboardTrouble of(Collection<Pod> pods) {
    for (Pod pod : pods) {
      boolean wanted = pod.getMetadata().getDeletionTimestamp() == null && pod.getStatus() != null;
      TensorboardTrouble trouble = wanted ? of(pod) : null;
      if (trouble != null) {
        return trouble;
      }
    }
    return null;
  }

  private static @Nullable TensorboardTrouble of(Pod pod) {
    for (PodCondition condition : pod.getStatus().getConditions()) {
      if ("PodScheduled".equals(condition.getType())
          && "False".equals(condition.getStatus())
          && UNSCHEDULABLE.equals(condition.getReason())) {
        return new TensorboardTrouble(
            UNSCHEDULABLE, requireNonNullElse(condition.getMessage(), "no node fits"));
      }
    }
    for (ContainerStatus container : pod.getStatus().getContainerStatuses()) {
      ContainerStateWaiting waiting =
          container.getState() == null ? null : container.getState().getWaiting();
      if (waiting != null
          && waiting.getReason() != null
          && !STARTING.contains(waiting.getReason())) {
        String message = waiting.getMessage() == null ? "" : ", " + waiting.getMessage();
        return new TensorboardTrouble(
            waiting.getReason(), "its container waits: " + waiting.getReason() + message);
      }
    }
    return null;
  }
}
