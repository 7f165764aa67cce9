package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** What a node tells the API server about its pods. Every write is bound to the pod's uid. */
final class PodApi {
  private static final int ATTEMPTS = 10;
  private final KubernetesClient client;

  /**
   * Writes with a client.
   *
   * @param client the client
   */
  PodApi(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Writes a pod's status if it differs from the stored one.
   *
   * @param known the pod as it was last seen
   * @param statusOf makes the new status from the stored pod; called again after a conflict
   * @return the pod as it is stored now, empty when there is no such pod any more
   * @throws KubernetesClientException if the API server cannot be asked, refuses, or conflicts go
   *     on
   */
  Optional<Pod> writeStatus(Pod known, Function<Pod, PodStatus> statusOf) {
    Pod pod = known;
    for (int attempt = 1; ; attempt++) {
      PodStatus status = statusOf.apply(pod);
      if (status.equals(pod.getStatus())) {
        return Optional.of(pod);
      }
      try {
        return Optional.of(patch(pod, status));
      } catch (KubernetesClientException e) {
        if (e.getCode() != 409 && e.getCode() != 404 || attempt == ATTEMPTS) {
          throw e;
        }
      }
      Optional<Pod> stored = read(known);
      if (stored.isEmpty()) {
        return stored;
      }
      pod = stored.get();
    }
  }

  /**
   * Removes a pod whose processes have ended.
   *
   * @param pod the pod
   * @throws KubernetesClientException if the API server cannot be asked or refuses
   */
  void delete(Pod pod) {
    String path = "/api/v1/namespaces/" + pod.getMetadata().getNamespace() + "/pods/" + name(pod);
    try {
      client.raw(
          path,
          "DELETE",
          new DeleteOptionsBuilder()
              .withGracePeriodSeconds(0L)
              .withNewPreconditions()
              .withUid(pod.getMetadata().getUid())
              .endPreconditions()
              .build());
    } catch (KubernetesClientException e) {
      if (e.getCode() != 404 && e.getCode() != 409) {
        throw e;
      }
    }
  }

  private Optional<Pod> read(Pod known) {
    Pod stored =
        client.pods().inNamespace(known.getMetadata().getNamespace()).withName(name(known)).get();
    boolean same =
        stored != null
            && Objects.equals(stored.getMetadata().getUid(), known.getMetadata().getUid());
    return same ? Optional.of(stored) : Optional.empty();
  }

  private Pod patch(Pod pod, PodStatus status) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("phase", status.getPhase());
    fields.put("reason", status.getReason());
    fields.put("message", status.getMessage());
    fields.put("hostIP", status.getHostIP());
    fields.put("hostIPs", status.getHostIPs());
    fields.put("podIP", status.getPodIP());
    fields.put("podIPs", status.getPodIPs());
    fields.put("startTime", status.getStartTime());
    fields.put("initContainerStatuses", status.getInitContainerStatuses());
    fields.put("containerStatuses", status.getContainerStatuses());
    fields.put("conditions", status.getConditions());
    Map<String, Object> metadata =
        Map.of(
            "uid", pod.getMetadata().getUid(),
            "resourceVersion", pod.getMetadata().getResourceVersion());
    String body =
        client.getKubernetesSerialization().asJson(Map.of("metadata", metadata, "status", fields));
    return client
        .pods()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(name(pod))
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), body);
  }

  private static String name(Pod pod) {
    return pod.getMetadata().getName();
  }
}
