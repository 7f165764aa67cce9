package dev.tensorstack.training.schedulers;

import dev.tensorstack.training.controlplane.AdminAccount;
import dev.tensorstack.training.controlplane.ControlPlane;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;

/**
 * The service account with which a program works: it may do everything, and the audit log tells it
 * from others.
 */
final class SchedulerAccount {
  private static final Duration NAMESPACE_LIMIT = Duration.ofMinutes(1);

  private SchedulerAccount() {}

  /**
   * Makes the account and its namespace, or takes those that are there.
   *
   * @param namespace where the program would run in a cluster
   * @param name the service account's name; {@link AdminAccount#userOf} says what the audit log
   *     calls it
   * @return a kubeconfig file
   */
  static Path provide(ControlPlane plane, String namespace, String name) {
    Awaitility.await("an old namespace " + namespace + " is gone")
        .atMost(NAMESPACE_LIMIT)
        .pollDelay(Duration.ZERO)
        .until(
            () ->
                plane
                    .kubectl(
                        "get",
                        "namespace",
                        namespace,
                        "--ignore-not-found",
                        "-o",
                        "jsonpath={.metadata.deletionTimestamp}")
                    .orThrow()
                    .isEmpty());
    Manifests.apply(
        plane,
        """
        apiVersion: v1
        kind: Namespace
        metadata: {name: NAMESPACE}
        ---
        apiVersion: v1
        kind: ServiceAccount
        metadata: {name: NAME, namespace: NAMESPACE}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRoleBinding
        metadata: {name: NAMESPACE.NAME}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
        subjects:
        - {kind: ServiceAccount, name: NAME, namespace: NAMESPACE}
        """
            .replace("NAMESPACE", namespace)
            .replace("NAME", name));
    return plane.serviceAccountKubeconfig(namespace, name);
  }
}
