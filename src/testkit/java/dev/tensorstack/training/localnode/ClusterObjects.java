package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a container's environment, volumes and names in DNS are made of. */
interface ClusterObjects {
  /**
   * Reads a ConfigMap.
   *
   * @param namespace its namespace
   * @param name its name
   * @return empty when there is none
   */
  Optional<ConfigMap> configMap(String namespace, String name);

  /**
   * Reads a Secret.
   *
   * @param namespace its namespace
   * @param name its name
   * @return empty when there is none
   */
  Optional<Secret> secret(String namespace, String name);

  /**
   * Lists Services.
   *
   * @param namespace their namespace
   * @return all of them
   */
  List<Service> services(String namespace);

  /**
   * Lists the pods that a Service selects.
   *
   * @param namespace their namespace
   * @param labels the Service's selector
   * @return the pods that have all these labels
   */
  List<Pod> pods(String namespace, Map<String, String> labels);

  /**
   * Asks for a token of a pod.
   *
   * @param pod the pod that it is bound to
   * @param serviceAccount the name of its service account
   * @param audience whom the token is for, empty for the API server
   * @param seconds how long it shall be valid
   * @return the token
   */
  String token(Pod pod, String serviceAccount, String audience, long seconds);

  /**
   * Objects read from an API server, at each call anew.
   *
   * @param client the client to read with
   * @return objects that throw {@link io.fabric8.kubernetes.client.KubernetesClientException} when
   *     the API server cannot be asked
   */
  static ClusterObjects of(KubernetesClient client) {
    return new ClusterObjects() {
      @Override
      public Optional<ConfigMap> configMap(String namespace, String name) {
        return Optional.ofNullable(client.configMaps().inNamespace(namespace).withName(name).get());
      }

      @Override
      public Optional<Secret> secret(String namespace, String name) {
        return Optional.ofNullable(client.secrets().inNamespace(namespace).withName(name).get());
      }

      @Override
      public List<Service> services(String namespace) {
        return client.services().inNamespace(namespace).list().getItems();
      }

      @Override
      public List<Pod> pods(String namespace, Map<String, String> labels) {
        return client.pods().inNamespace(namespace).withLabels(labels).list().getItems();
      }

      @Override
      public String token(Pod pod, String serviceAccount, String audience, long seconds) {
        return client
            .serviceAccounts()
            .inNamespace(pod.getMetadata().getNamespace())
            .withName(serviceAccount)
            .tokenRequest(
                new TokenRequestBuilder()
                    .withNewSpec()
                    .withAudiences(audience.isEmpty() ? List.of() : List.of(audience))
                    .withExpirationSeconds(seconds)
                    .withNewBoundObjectRef()
                    .withApiVersion("v1")
                    .withKind("Pod")
                    .withName(pod.getMetadata().getName())
                    .withUid(pod.getMetadata().getUid())
                    .endBoundObjectRef()
                    .endSpec()
                    .build())
            .getStatus()
            .getToken();
      }
    };
  }
}
