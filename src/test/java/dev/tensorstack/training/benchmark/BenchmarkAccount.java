package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A service account with all rights: every client of a benchmark has one, so that the API server's
 * checks cost the same for all, and so that requests can be told apart.
 *
 * @param user its name in the audit log
 * @param kubeconfig a file with which it works
 * @param token its bearer token
 */
record BenchmarkAccount(String user, Path kubeconfig, String token) {

  private static final String NAMESPACE = "default";

  /** Makes one. */
  static BenchmarkAccount create(ControlPlane controlPlane, String name) {
    KubernetesClient client = controlPlane.client();
    client
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName(name)
                .endMetadata()
                .build())
        .create();
    client
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                .addNewSubject("", "ServiceAccount", name, NAMESPACE)
                .build())
        .create();
    Path kubeconfig = controlPlane.serviceAccountKubeconfig(NAMESPACE, name);
    try {
      Config config = Config.fromKubeconfig(Files.readString(kubeconfig));
      String fixed = config.getOauthToken();
      return new BenchmarkAccount(
          "system:serviceaccount:" + NAMESPACE + ":" + name,
          kubeconfig,
          fixed != null ? fixed : config.getAutoOAuthToken());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
