package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapKeySelector;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvFromSource;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretKeySelector;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Resolves the variables of a container as a kubelet does. */
final class ContainerEnvironment {
  private final String namespace;
  private final ClusterObjects objects;
  private final DownwardApi downward;

  /**
   * For the containers of one pod.
   *
   * @param namespace the pod's namespace
   * @param objects where ConfigMaps and Secrets are read
   * @param downward the pod's own fields
   */
  ContainerEnvironment(String namespace, ClusterObjects objects, DownwardApi downward) {
    this.namespace = namespace;
    this.objects = objects;
    this.downward = downward;
  }

  /**
   * The variables that the container's {@code envFrom} and {@code env} give.
   *
   * @param container the container
   * @return name to value, in the order of definition; a later definition wins, and {@code $(NAME)}
   *     is expanded from the definitions above it
   * @throws ContainerConfigException if something that is not optional is missing
   */
  Map<String, String> resolve(Container container) throws ContainerConfigException {
    Map<String, String> result = new LinkedHashMap<>();
    for (EnvFromSource source : container.getEnvFrom()) {
      String prefix = source.getPrefix() == null ? "" : source.getPrefix();
      from(source).forEach((key, value) -> result.put(prefix + key, value));
    }
    for (EnvVar variable : container.getEnv()) {
      EnvVarSource source = variable.getValueFrom();
      if (source == null) {
        String value = variable.getValue() == null ? "" : variable.getValue();
        result.put(variable.getName(), VariableExpansion.expand(value, result));
      } else {
        String value = from(source, container);
        if (value != null) {
          result.put(variable.getName(), value);
        }
      }
    }
    return result;
  }

  private Map<String, String> from(EnvFromSource source) throws ContainerConfigException {
    if (source.getConfigMapRef() != null) {
      String name = source.getConfigMapRef().getName();
      Optional<ConfigMap> map = objects.configMap(namespace, name);
      if (map.isEmpty() && !Boolean.TRUE.equals(source.getConfigMapRef().getOptional())) {
        throw missing("configmap", name);
      }
      return map.map(ConfigMap::getData).orElse(Map.of());
    }
    if (source.getSecretRef() != null) {
      String name = source.getSecretRef().getName();
      Optional<Secret> secret = objects.secret(namespace, name);
      if (secret.isEmpty() && !Boolean.TRUE.equals(source.getSecretRef().getOptional())) {
        throw missing("secret", name);
      }
      Map<String, String> decoded = new LinkedHashMap<>();
      secret.map(Secret::getData).orElse(Map.of()).forEach((k, v) -> decoded.put(k, decode(v)));
      return decoded;
    }
    return Map.of();
  }

  private @Nullable String from(EnvVarSource source, Container container)
      throws ContainerConfigException {
    if (source.getFieldRef() != null) {
      return downward.field(source.getFieldRef().getFieldPath());
    }
    if (source.getResourceFieldRef() != null) {
      return downward.resource(source.getResourceFieldRef(), container);
    }
    if (source.getConfigMapKeyRef() != null) {
      return configMapKey(source.getConfigMapKeyRef());
    }
    if (source.getSecretKeyRef() != null) {
      return secretKey(source.getSecretKeyRef());
    }
    throw new ContainerConfigException("unsupported source of a variable: " + source);
  }

  private @Nullable String configMapKey(ConfigMapKeySelector ref) throws ContainerConfigException {
    boolean optional = Boolean.TRUE.equals(ref.getOptional());
    Optional<ConfigMap> map = objects.configMap(namespace, ref.getName());
    if (map.isEmpty() && !optional) {
      throw missing("configmap", ref.getName());
    }
    String value = map.map(ConfigMap::getData).orElse(Map.of()).get(ref.getKey());
    if (value == null && !optional) {
      throw noKey(ref.getKey(), "ConfigMap", ref.getName());
    }
    return value;
  }

  private @Nullable String secretKey(SecretKeySelector ref) throws ContainerConfigException {
    boolean optional = Boolean.TRUE.equals(ref.getOptional());
    Optional<Secret> secret = objects.secret(namespace, ref.getName());
    if (secret.isEmpty() && !optional) {
      throw missing("secret", ref.getName());
    }
    String value = secret.map(Secret::getData).orElse(Map.of()).get(ref.getKey());
    if (value == null && !optional) {
      throw noKey(ref.getKey(), "Secret", ref.getName());
    }
    return value == null ? null : decode(value);
  }

  private ContainerConfigException noKey(String key, String kind, String name) {
    return new ContainerConfigException(
        "couldn't find key " + key + " in " + kind + " " + namespace + "/" + name);
  }

  private static ContainerConfigException missing(String kind, String name) {
    return new ContainerConfigException(kind + " \"" + name + "\" not found");
  }

  private static String decode(String base64) {
    return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
  }
}
