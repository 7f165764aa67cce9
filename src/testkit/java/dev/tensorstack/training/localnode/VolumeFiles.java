package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapVolumeSource;
import io.fabric8.kubernetes.api.model.DownwardAPIVolumeFile;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ProjectedVolumeSource;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretVolumeSource;
import io.fabric8.kubernetes.api.model.ServiceAccountTokenProjection;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The files of volumes that are made of objects of the cluster: relative path to content. */
final class VolumeFiles {
  private static final long TOKEN_SECONDS = 3607;

  private final Pod pod;
  private final ClusterObjects objects;
  private final DownwardApi downward;

  /**
   * For the volumes of one pod.
   *
   * @param pod the pod
   * @param objects where ConfigMaps and Secrets are read
   * @param downward the pod's own fields
   */
  VolumeFiles(Pod pod, ClusterObjects objects, DownwardApi downward) {
    this.pod = pod;
    this.objects = objects;
    this.downward = downward;
  }

  /**
   * The files of a ConfigMap volume.
   *
   * @param source the volume
   * @return path to content; empty when it is optional and missing
   * @throws ContainerConfigException if the ConfigMap or a key is missing
   */
  Map<String, byte[]> configMap(ConfigMapVolumeSource source) throws ContainerConfigException {
    return configMap(source.getName(), source.getItems(), source.getOptional());
  }

  /**
   * The files of a Secret volume.
   *
   * @param source the volume
   * @return path to content; empty when it is optional and missing
   * @throws ContainerConfigException if the Secret or a key is missing
   */
  Map<String, byte[]> secret(SecretVolumeSource source) throws ContainerConfigException {
    return secret(source.getSecretName(), source.getItems(), source.getOptional());
  }

  /**
   * The files of a downward API volume.
   *
   * @param items the files asked for
   * @return path to content
   * @throws ContainerConfigException if a field does not exist
   */
  Map<String, byte[]> downward(List<DownwardAPIVolumeFile> items) throws ContainerConfigException {
    Map<String, byte[]> files = new LinkedHashMap<>();
    for (DownwardAPIVolumeFile item : items) {
      String value =
          item.getFieldRef() != null
              ? downward.field(item.getFieldRef().getFieldPath())
              : downward.resource(item.getResourceFieldRef(), null);
      files.put(item.getPath(), value.getBytes(StandardCharsets.UTF_8));
    }
    return files;
  }

  /**
   * The files of a projected volume.
   *
   * @param projected the volume
   * @return path to content
   * @throws ContainerConfigException if something that is not optional is missing
   */
  Map<String, byte[]> projected(ProjectedVolumeSource projected) throws ContainerConfigException {
    Map<String, byte[]> files = new LinkedHashMap<>();
    for (VolumeProjection source : projected.getSources()) {
      if (source.getConfigMap() != null) {
        var map = source.getConfigMap();
        files.putAll(configMap(map.getName(), map.getItems(), map.getOptional()));
      } else if (source.getSecret() != null) {
        var secret = source.getSecret();
        files.putAll(secret(secret.getName(), secret.getItems(), secret.getOptional()));
      } else if (source.getDownwardAPI() != null) {
        files.putAll(downward(source.getDownwardAPI().getItems()));
      } else if (source.getServiceAccountToken() != null) {
        files.put(
            source.getServiceAccountToken().getPath(), token(source.getServiceAccountToken()));
      } else {
        throw new ContainerConfigException("unsupported source of a projected volume");
      }
    }
    return files;
  }

  private byte[] token(ServiceAccountTokenProjection source) {
    Long seconds = source.getExpirationSeconds();
    String audience = source.getAudience();
    String account = pod.getSpec().getServiceAccountName();
    return objects
        .token(
            pod,
            account == null ? "default" : account,
            audience == null ? "" : audience,
            seconds == null ? TOKEN_SECONDS : seconds)
        .getBytes(StandardCharsets.UTF_8);
  }

  private Map<String, byte[]> configMap(
      String name, @Nullable List<KeyToPath> items, @Nullable Boolean optional)
      throws ContainerConfigException {
    Optional<ConfigMap> map = objects.configMap(pod.getMetadata().getNamespace(), name);
    if (map.isEmpty() && !Boolean.TRUE.equals(optional)) {
      throw new ContainerConfigException("configmap \"" + name + "\" not found");
    }
    Map<String, byte[]> data = new LinkedHashMap<>();
    map.map(ConfigMap::getData)
        .orElse(Map.of())
        .forEach((key, value) -> data.put(key, value.getBytes(StandardCharsets.UTF_8)));
    map.map(ConfigMap::getBinaryData)
        .orElse(Map.of())
        .forEach((key, value) -> data.put(key, Base64.getDecoder().decode(value)));
    return pick(data, items, optional);
  }

  private Map<String, byte[]> secret(
      String name, @Nullable List<KeyToPath> items, @Nullable Boolean optional)
      throws ContainerConfigException {
    Optional<Secret> secret = objects.secret(pod.getMetadata().getNamespace(), name);
    if (secret.isEmpty() && !Boolean.TRUE.equals(optional)) {
      throw new ContainerConfigException("secret \"" + name + "\" not found");
    }
    Map<String, byte[]> data = new LinkedHashMap<>();
    secret
        .map(Secret::getData)
        .orElse(Map.of())
        .forEach((key, value) -> data.put(key, Base64.getDecoder().decode(value)));
    return pick(data, items, optional);
  }

  private static Map<String, byte[]> pick(
      Map<String, byte[]> data, @Nullable List<KeyToPath> items, @Nullable Boolean optional)
      throws ContainerConfigException {
    if (items == null || items.isEmpty()) {
      return data;
    }
    Map<String, byte[]> picked = new LinkedHashMap<>();
    for (KeyToPath item : items) {
      byte[] value = data.get(item.getKey());
      if (value != null) {
        picked.put(item.getPath(), value);
      } else if (!Boolean.TRUE.equals(optional)) {
        throw new ContainerConfigException("references non-existent key: " + item.getKey());
      }
    }
    return picked;
  }
}
