package dev.tensorstack.training.operator;

import dev.tensorstack.training.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;

/**
 * A user of the operator's own, so that its writes can be told from all others.
 *
 * @param name the user's name in the audit log
 * @param kubeconfig a file with which it works; it may do everything
 */
record OperatorUser(String name, Path kubeconfig) {

  private static final String ACCOUNT = "operator";

  /** Makes one that lives in a namespace. */
  static OperatorUser in(ControlPlane controlPlane, String namespace) {
    KubernetesClient client = controlPlane.client();
    client
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(ACCOUNT)
                .endMetadata()
                .build())
        .create();
    client
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(namespace + "-" + ACCOUNT)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                .addNewSubject("", "ServiceAccount", ACCOUNT, namespace)
                .build())
        .create();
    return new OperatorUser(
        "system:serviceaccount:" + namespace + ":" + ACCOUNT,
        controlPlane.serviceAccountKubeconfig(namespace, ACCOUNT));
  }
}
