package dev.tensorstack.training.runtime;

import dev.tensorstack.training.core.observe.PodReader;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes a pod in a cache small: ten thousand may be there. Texts that pods have in common are kept
 * once, and the lists and maps that the client's classes make beforehand, and that stay empty, are
 * exchanged for shared ones. What came out of this is read only.
 */
final class LeanPod {

  private static final SharedTexts TEXTS = new SharedTexts();

  private LeanPod() {}

  /**
   * Of a pod's metadata, its annotations go: nobody reads them here, and networks write long ones.
   *
   * @param metadata as it was read; it is changed
   */
  static void slim(ObjectMeta metadata) {
    metadata.setAdditionalProperties(Map.of());
    metadata.setAnnotations(Map.of());
    metadata.setManagedFields(List.of());
    metadata.setFinalizers(shared(metadata.getFinalizers()));
    metadata.setNamespace(shared(metadata.getNamespace()));
    metadata.setCreationTimestamp(shared(metadata.getCreationTimestamp()));
    Map<String, String> labels = metadata.getLabels();
    if (labels != null) {
      metadata.setLabels(shared(labels));
    }
    metadata.setOwnerReferences(shared(metadata.getOwnerReferences()));
    for (OwnerReference owner : metadata.getOwnerReferences()) {
      owner.setAdditionalProperties(Map.of());
      owner.setApiVersion(shared(owner.getApiVersion()));
      owner.setKind(shared(owner.getKind()));
      owner.setName(shared(owner.getName()));
      owner.setUid(shared(owner.getUid()));
    }
  }

  /**
   * A spec in which the fields may be set that {@link PrunedReading} keeps.
   *
   * @return a new one, without anything
   */
  static PodSpec spec() {
    PodSpec spec = new PodSpec();
    spec.setAdditionalProperties(Map.of());
    spec.setContainers(List.of());
    spec.setEphemeralContainers(List.of());
    spec.setHostAliases(List.of());
    spec.setImagePullSecrets(List.of());
    spec.setInitContainers(List.of());
    spec.setNodeSelector(Map.of());
    spec.setOverhead(Map.of());
    spec.setReadinessGates(List.of());
    spec.setResourceClaims(List.of());
    spec.setSchedulingGates(List.of());
    spec.setTolerations(List.of());
    spec.setTopologySpreadConstraints(List.of());
    spec.setVolumes(List.of());
    return spec;
  }

  /**
   * Of a pod's conditions, those go that nobody reads here.
   *
   * @param status as it was read; it is changed
   */
  static void slim(PodStatus status) {
    status.setAdditionalProperties(Map.of());
    status.setAllocatedResources(Map.of());
    status.setEphemeralContainerStatuses(List.of());
    status.setHostIPs(List.of());
    status.setPodIPs(List.of());
    status.setResourceClaimStatuses(List.of());
    status.setPhase(shared(status.getPhase()));
    status.setReason(shared(status.getReason()));
    status.setConditions(
        status.getConditions().stream()
            .filter(condition -> PodReader.isRead(condition.getType()))
            .toList());
    for (PodCondition condition : status.getConditions()) {
      condition.setAdditionalProperties(Map.of());
      condition.setType(shared(condition.getType()));
      condition.setStatus(shared(condition.getStatus()));
      condition.setReason(shared(condition.getReason()));
      condition.setLastTransitionTime(shared(condition.getLastTransitionTime()));
    }
    status.setInitContainerStatuses(shared(status.getInitContainerStatuses()));
    status.setContainerStatuses(shared(status.getContainerStatuses()));
    status.getInitContainerStatuses().forEach(LeanPod::slim);
    status.getContainerStatuses().forEach(LeanPod::slim);
  }

  private static void slim(ContainerStatus container) {
    container.setAdditionalProperties(Map.of());
    container.setAllocatedResources(Map.of());
    container.setAllocatedResourcesStatus(List.of());
    container.setVolumeMounts(List.of());
    container.setName(shared(container.getName()));
    container.setState(slim(container.getState()));
    container.setLastState(slim(container.getLastState()));
  }

  /** Of an empty state, which each container has at first as its last one, nothing is left. */
  private static @Nullable ContainerState slim(@Nullable ContainerState state) {
    if (state == null) {
      return null;
    }
    state.setAdditionalProperties(Map.of());
    if (state.getRunning() != null) {
      state.getRunning().setAdditionalProperties(Map.of());
      state.getRunning().setStartedAt(shared(state.getRunning().getStartedAt()));
    } else if (state.getWaiting() != null) {
      state.getWaiting().setAdditionalProperties(Map.of());
      state.getWaiting().setReason(shared(state.getWaiting().getReason()));
    } else if (state.getTerminated() != null) {
      state.getTerminated().setAdditionalProperties(Map.of());
      state.getTerminated().setReason(shared(state.getTerminated().getReason()));
    } else {
      return null;
    }
    return state;
  }

  /**
   * One copy of a text that other pods have as well: those of a job have the same labels in it.
   *
   * @param text a text, or null
   * @return an equal one, mostly the same object for all that are equal
   */
  static @Nullable String shared(@Nullable String text) {
    return TEXTS.of(text);
  }

  private static <T> List<T> shared(@Nullable List<T> list) {
    return list == null || list.isEmpty() ? List.of() : List.copyOf(list);
  }

  private static Map<String, String> shared(Map<String, String> labels) {
    Map<String, String> copies = new LinkedHashMap<>();
    labels.forEach((label, value) -> copies.put(shared(label), shared(value)));
    return copies.containsValue(null) ? copies : Map.copyOf(copies);
  }
}
