package dev.tensorstack.training.localnode;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Turns a container into a process of this machine: resolves everything that a kubelet resolves.
 */
final class ContainerPlan {
  private static final List<String> INHERITED = List.of("HOME", "LANG", "LC_ALL", "TZ", "USER");

  private final Pod pod;
  private final String podIp;
  private final LocalNodeOptions options;
  private final PodAddresses addresses;
  private final NodeDirectory directory;
  private final ClusterObjects objects;
  private final ContainerEnvironment environment;

  /**
   * For the containers of one pod.
   *
   * @param pod the pod
   * @param options the node's options
   * @param addresses the cluster's addresses
   * @param directory the node's files
   * @param objects where ConfigMaps, Secrets and Services are read
   */
  ContainerPlan(
      Pod pod,
      LocalNodeOptions options,
      PodAddresses addresses,
      NodeDirectory directory,
      ClusterObjects objects) {
    this.pod = pod;
    this.podIp = addresses.addressOf(pod);
    this.options = options;
    this.addresses = addresses;
    this.directory = directory;
    this.objects = objects;
    this.environment =
        new ContainerEnvironment(
            pod.getMetadata().getNamespace(),
            objects,
            new DownwardApi(pod, podIp, options.capacity()));
  }

  /**
   * Resolves one container.
   *
   * @param container one of the pod's containers
   * @param volumes the pod's volumes, name to directory
   * @return the process to start
   * @throws ContainerConfigException if something is missing, for now or for ever
   */
  ProcessSpec resolve(Container container, Map<String, Path> volumes)
      throws ContainerConfigException {
    Map<String, String> own = environment.resolve(container);
    List<String> words =
        Stream.concat(container.getCommand().stream(), container.getArgs().stream())
            .map(word -> VariableExpansion.expand(word, own))
            .toList();
    if (words.isEmpty()) {
      throw new ContainerConfigException("CreateContainerError", "no command specified");
    }
    Path failureText =
        directory.inPod(pod.getMetadata().getUid(), "termination", container.getName());
    Map<String, Path> mounts = new LinkedHashMap<>();
    mounts.put(TerminationMessage.path(container), failureText);
    mounts.putAll(PodVolumes.mounts(container, volumes, own));
    String subdomain = pod.getSpec().getSubdomain();
    String namespace = pod.getMetadata().getNamespace();
    PodNames names = new PodNames(addresses, namespace, subdomain == null ? "" : subdomain);
    ServiceNames services = new ServiceNames(addresses, objects, namespace);
    MountPaths paths = new MountPaths(mounts);
    UnaryOperator<String> ofPod = text -> names.replace(paths.replace(text));
    UnaryOperator<String> local = text -> services.replace(ofPod.apply(text));
    Set<String> fields = ownFields(container);

    Map<String, String> all = inherited();
    all.put("TERMINATION_MESSAGE_PATH", failureText.toString());
    all.putAll(options.environment());
    own.forEach(
        (name, value) -> all.put(name, (fields.contains(name) ? ofPod : local).apply(value)));
    all.put("PATH", searchPath(all.getOrDefault("PATH", "")));
    return new ProcessSpec(
        words.stream().map(local).toList(), all, workingDirectory(container, paths), failureText);
  }

  /** Variables that hold a field of the pod: its name is no host to look up there. */
  private static Set<String> ownFields(Container container) {
    return container.getEnv().stream()
        .filter(env -> env.getValueFrom() != null && env.getValueFrom().getFieldRef() != null)
        .map(EnvVar::getName)
        .collect(Collectors.toSet());
  }

  private Map<String, String> inherited() {
    Map<String, String> inherited = new LinkedHashMap<>();
    for (String name : INHERITED) {
      String value = System.getenv(name);
      if (value != null) {
        inherited.put(name, value);
      }
    }
    String path = System.getenv("PATH");
    inherited.put("PATH", path == null ? "/usr/local/bin:/usr/bin:/bin" : path);
    inherited.put("TMPDIR", directory.temporary(pod.getMetadata().getUid()).toString());
    inherited.put("HOSTNAME", PodAddresses.hostname(pod));
    return inherited;
  }

  private String searchPath(String path) {
    List<String> entries = new ArrayList<>();
    options.searchPath().forEach(entry -> entries.add(entry.toString()));
    if (!path.isEmpty()) {
      entries.add(path);
    }
    return entries.stream().collect(Collectors.joining(File.pathSeparator));
  }

  private Path workingDirectory(Container container, MountPaths paths) {
    Path work = directory.inPod(pod.getMetadata().getUid(), "work");
    String asked = container.getWorkingDir();
    if (asked == null || asked.isEmpty()) {
      return NodeDirectory.create(work);
    }
    Path real = Path.of(paths.replace(asked));
    if (real.isAbsolute() && Files.isDirectory(real)) {
      return real;
    }
    boolean mounted = !paths.replace(asked).equals(asked);
    return NodeDirectory.create(
        mounted ? real : work.resolve(asked.replaceAll("^/+", "")).normalize());
  }
}
