package dev.tensorstack.training.controlplane;

import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;

/**
 * A service account with all rights: whoever works with one of its own can be told from all others,
 * and costs the API server's checks as much as they do.
 *
 * @param user its name in the audit log
 * @param kubeconfig a file with which it works
 */
public record AdminAccount(String user, Path kubeconfig) {

  /**
   * Makes one.
   *
   * @param controlPlane where
   * @param namespace the namespace in which it lives, which exists
   * @param name the service account's name, new in that namespace
   * @return the account, which may do everything
   */
  public static AdminAccount create(ControlPlane controlPlane, String namespace, String name) {
    KubernetesClient client = controlPlane.client();
    client
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .build())
        .create();
    client
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                // Bindings have no namespace: the same name in two namespaces must not meet here. A
                // dot is in no namespace's name, so that the two parts cannot be mistaken.
                .withName(namespace + "." + name)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                .addNewSubject("", "ServiceAccount", name, namespace)
                .build())
        .create();
    return new AdminAccount(
        userOf(namespace, name), controlPlane.serviceAccountKubeconfig(namespace, name));
  }

  /**
   * A service account's name in the audit log.
   *
   * @param namespace where it lives
   * @param name its name there
   * @return the name of the user
   */
  public static String userOf(String namespace, String name) {
    return "system:serviceaccount:" + namespace + ":" + name;
  }
}
