package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HostPathVolumeSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Makes the directories that stand for the volumes of one pod. */
final class PodVolumes {
  private final Pod pod;
  private final NodeDirectory directory;
  private final VolumeFiles files;

  /**
   * The volumes of one pod.
   *
   * @param pod the pod
   * @param directory where the directories lie
   * @param objects where ConfigMaps and Secrets are read
   * @param downward the pod's own fields
   */
  PodVolumes(Pod pod, NodeDirectory directory, ClusterObjects objects, DownwardApi downward) {
    this.pod = pod;
    this.directory = directory;
    this.files = new VolumeFiles(pod, objects, downward);
  }

  /**
   * Makes all volumes; may be called again after a failure.
   *
   * @return volume name to directory (or file, for a host path)
   * @throws ContainerConfigException if something that is not optional is missing, or the kind of
   *     volume is not supported
   */
  Map<String, Path> prepare() throws ContainerConfigException {
    Map<String, Path> made = new LinkedHashMap<>();
    for (Volume volume : pod.getSpec().getVolumes()) {
      try {
        made.put(volume.getName(), prepare(volume));
      } catch (IOException e) {
        throw failed(volume, e.toString());
      }
    }
    return made;
  }

  /**
   * The mounts of one container.
   *
   * @param container one of the pod's containers
   * @param volumes what {@link #prepare} returned
   * @param environment the container's variables, for {@code subPathExpr}
   * @return mount path to file or directory; a missing sub path is created as a directory
   * @throws ContainerConfigException if a mount names no volume of the pod, or leaves it
   */
  static Map<String, Path> mounts(
      Container container, Map<String, Path> volumes, Map<String, String> environment)
      throws ContainerConfigException {
    Map<String, Path> mounts = new LinkedHashMap<>();
    for (VolumeMount mount : container.getVolumeMounts()) {
      Path volume = volumes.get(mount.getName());
      if (volume == null) {
        throw new ContainerConfigException("no volume named " + mount.getName());
      }
      String sub = mount.getSubPath() == null ? "" : mount.getSubPath();
      if (mount.getSubPathExpr() != null && !mount.getSubPathExpr().isEmpty()) {
        sub = VariableExpansion.expand(mount.getSubPathExpr(), environment);
      }
      Path target = volume.resolve(sub).normalize();
      if (!target.startsWith(volume.normalize())) {
        throw new ContainerConfigException("subPath " + sub + " leaves volume " + mount.getName());
      }
      if (!Files.exists(target)) {
        NodeDirectory.create(target);
      }
      mounts.put(mount.getMountPath(), target);
    }
    return mounts;
  }

  private Path prepare(Volume volume) throws IOException, ContainerConfigException {
    if (volume.getHostPath() != null) {
      return hostPath(volume, volume.getHostPath());
    }
    if (volume.getPersistentVolumeClaim() != null) {
      return directory.claim(
          pod.getMetadata().getNamespace(), volume.getPersistentVolumeClaim().getClaimName());
    }
    if (volume.getEphemeral() != null) {
      return directory.claim(
          pod.getMetadata().getNamespace(), pod.getMetadata().getName() + "-" + volume.getName());
    }
    Path path =
        NodeDirectory.create(directory.inPod(pod.getMetadata().getUid(), "v", volume.getName()));
    Map<String, byte[]> content = new LinkedHashMap<>();
    try {
      if (volume.getConfigMap() != null) {
        content.putAll(files.configMap(volume.getConfigMap()));
      } else if (volume.getSecret() != null) {
        content.putAll(files.secret(volume.getSecret()));
      } else if (volume.getDownwardAPI() != null) {
        content.putAll(files.downward(volume.getDownwardAPI().getItems()));
      } else if (volume.getProjected() != null) {
        content.putAll(files.projected(volume.getProjected()));
      } else if (volume.getEmptyDir() == null) {
        throw new ContainerConfigException("this kind of volume is not supported by a local node");
      }
    } catch (ContainerConfigException e) {
      throw failed(volume, e.explanation());
    }
    for (Map.Entry<String, byte[]> file : content.entrySet()) {
      Path target = path.resolve(file.getKey()).normalize();
      if (!target.startsWith(path)) {
        throw failed(volume, "path " + file.getKey() + " leaves the volume");
      }
      Files.write(NodeDirectory.createParent(target), file.getValue());
    }
    return path;
  }

  private static Path hostPath(Volume volume, HostPathVolumeSource source)
      throws IOException, ContainerConfigException {
    Path path = Path.of(source.getPath());
    String type = source.getType() == null ? "" : source.getType();
    if (type.equals("DirectoryOrCreate")) {
      NodeDirectory.create(path);
    } else if (type.equals("FileOrCreate") && !Files.exists(path)) {
      Files.createFile(path);
    }
    boolean asked =
        switch (type) {
          case "Directory" -> Files.isDirectory(path);
          case "File" -> Files.isRegularFile(path);
          default -> true;
        };
    if (!asked) {
      throw failed(volume, "hostPath type check failed: " + path + " is not a " + type);
    }
    return path;
  }

  private static ContainerConfigException failed(Volume volume, String why) {
    return new ContainerConfigException(
        "ContainerCreating",
        "MountVolume.SetUp failed for volume \"" + volume.getName() + "\" : " + why);
  }
}
