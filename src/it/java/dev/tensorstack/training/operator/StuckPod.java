package dev.tensorstack.training.operator;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;

/** What a kubelet reports of a pod whose volumes it cannot mount. */
public final class StuckPod {

  private StuckPod() {}

  /**
   * Reports that a pod does not get beyond ContainerCreating, and why in an event.
   *
   * @param client an administrator
   * @param pod a pod on a node that reports nothing of it itself
   * @param message of the event FailedMount
   */
  public static void report(KubernetesClient client, Pod pod, String message) {
    String namespace = pod.getMetadata().getNamespace();
    String name = pod.getMetadata().getName();
    client
        .pods()
        .inNamespace(namespace)
        .withName(name)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            """
            {"status": {"phase": "Pending", "containerStatuses": [{"name": "pytorch", "ready": false,
             "restartCount": 0, "image": "registry.example/train:1", "imageID": "",
             "state": {"waiting": {"reason": "ContainerCreating"}}}]}}
            """);
    client
        .v1()
        .events()
        .resource(
            new EventBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name + ".mount")
                .endMetadata()
                .withType("Warning")
                .withReason("FailedMount")
                .withMessage(message)
                .withLastTimestamp(Instant.now().toString())
                .withNewInvolvedObject()
                .withApiVersion("v1")
                .withKind("Pod")
                .withNamespace(namespace)
                .withName(name)
                .withUid(pod.getMetadata().getUid())
                .endInvolvedObject()
                .build())
        .create();
  }
}
