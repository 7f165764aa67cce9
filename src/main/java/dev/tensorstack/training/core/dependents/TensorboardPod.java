package dev.tensorstack.training.core.dependents;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.core.model.LogSource;
import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.core.model.Tensorboard;
import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.core.naming.Ports;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The spec of TensorBoard's pod: one container that may read the logs and nothing else, as
 * Kubernetes' restricted pod security wants it.
 */
final class TensorboardPod {

  /**
   * TensorBoard 2.17 with TensorFlow and tensorflow-io, which read S3 and HTTP. It is what
   * TensorStack publishes for its own TensorBoard application.
   */
  static final String DEFAULT_IMAGE = "t9kpublic/tensorboard:2.17.0";

  /** A user that is not root; the image's own user may be. */
  private static final int USER = 1000;

  private static final String LOGS = "/logs/";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};

  private final TrainingJob job;
  private final Tensorboard tensorboard;
  private final List<LogSource> sources;

  /** Claims in the order of their first use. */
  private final List<String> claims;

  /** Secrets of object stores; admission sees to it that there is one at most. */
  private final List<String> secrets;

  /**
   * The pod of a job's TensorBoard.
   *
   * @param job the job
   * @param tensorboard its TensorBoard, with at least one place of logs
   */
  TensorboardPod(TrainingJob job, Tensorboard tensorboard) {
    this.job = job;
    this.tensorboard = tensorboard;
    this.sources = tensorboard.logs();
    this.claims = holders(LogSource.Kind.CLAIM);
    this.secrets = holders(LogSource.Kind.OBJECT_STORE);
  }

  private List<String> holders(LogSource.Kind kind) {
    Set<String> holders = new LinkedHashSet<>();
    sources.stream().filter(source -> source.kind() == kind).forEach(s -> holders.add(s.holder()));
    return List.copyOf(holders);
  }

  /**
   * The pod's spec.
   *
   * @return the {@code spec} of a pod template
   */
  Map<String, Object> spec() {
    List<Object> volumes = new ArrayList<>();
    List<Object> mounts = new ArrayList<>();
    volumes.add(Map.of("name", "tmp", "emptyDir", Map.of()));
    mounts.add(Map.of("name", "tmp", "mountPath", "/tmp"));
    for (int i = 0; i < claims.size(); i++) {
      String volume = "logs-" + i;
      volumes.add(
          Map.of("name", volume, "persistentVolumeClaim", Map.of("claimName", claims.get(i))));
      mounts.add(Map.of("name", volume, "mountPath", LOGS + claims.get(i), "readOnly", true));
    }
    if (!secrets.isEmpty()) {
      volumes.add(ObjectStoreSignIn.volume(secrets.get(0)));
      mounts.add(ObjectStoreSignIn.mount());
    }
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("containers", List.of(container(mounts)));
    spec.put("volumes", volumes);
    spec.put("automountServiceAccountToken", false);
    spec.put("enableServiceLinks", false);
    spec.put("affinity", nearTheJob());
    spec.put(
        "securityContext",
        Map.of(
            "runAsNonRoot",
            true,
            "runAsUser",
            USER,
            "seccompProfile",
            Map.of("type", "RuntimeDefault")));
    List<Object> pullSecrets = pullSecrets();
    if (!pullSecrets.isEmpty()) {
      spec.put("imagePullSecrets", pullSecrets);
    }
    return spec;
  }

  private Map<String, Object> container(List<Object> mounts) {
    Map<String, Object> container = new LinkedHashMap<>();
    container.put("name", Labels.TENSORBOARD);
    container.put("image", image());
    container.put(
        "command", secrets.isEmpty() ? List.of("tensorboard") : ObjectStoreSignIn.command());
    container.put("args", arguments());
    // A user without an entry in /etc/passwd has no home otherwise.
    container.put("env", List.of(Map.of("name", "HOME", "value", "/tmp")));
    if (!secrets.isEmpty()) {
      container.put("envFrom", ObjectStoreSignIn.environment(secrets.get(0)));
    }
    container.put(
        "ports",
        List.of(Map.of("name", "http", "containerPort", Ports.TENSORBOARD, "protocol", "TCP")));
    // It imports for minutes on a small CPU, and answers slowly while it reads logs.
    container.put("startupProbe", probe(5, 120));
    container.put("readinessProbe", probe(10, 3));
    container.put("livenessProbe", probe(30, 6));
    if (tensorboard.resources() != null) {
      container.put("resources", JSON.convertValue(tensorboard.resources(), OBJECT));
    }
    container.put("volumeMounts", mounts);
    container.put(
        "securityContext",
        Map.of(
            "allowPrivilegeEscalation",
            false,
            "readOnlyRootFilesystem",
            true,
            "capabilities",
            Map.of("drop", List.of("ALL"))));
    return container;
  }

  private String image() {
    return tensorboard.image() == null || tensorboard.image().isBlank()
        ? DEFAULT_IMAGE
        : tensorboard.image();
  }

  private static Map<String, Object> probe(int periodSeconds, int failures) {
    return Map.of(
        "httpGet",
        Map.of("path", "/", "port", Ports.TENSORBOARD),
        "periodSeconds",
        periodSeconds,
        "timeoutSeconds",
        10,
        "failureThreshold",
        failures);
  }

  /**
   * With one place it is {@code --logdir}, with several {@code --logdir_spec}, in which each has a
   * name that its runs are shown under.
   */
  private List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    if (sources.size() == 1) {
      arguments.add("--logdir=" + path(sources.get(0)));
    } else {
      Set<String> names = new HashSet<>();
      List<String> places = new ArrayList<>();
      for (LogSource source : sources) {
        places.add(uniqueName(source, names) + ":" + path(source));
      }
      arguments.add("--logdir_spec=" + String.join(",", places));
    }
    arguments.add("--bind_all");
    arguments.add("--port=" + Ports.TENSORBOARD);
    return arguments;
  }

  private static String path(LogSource source) {
    return source.kind() == LogSource.Kind.CLAIM ? LOGS + inClaim(source) : source.path();
  }

  private static String inClaim(LogSource source) {
    return source.path().isEmpty() ? source.holder() : source.holder() + "/" + source.path();
  }

  /** Neither a colon nor a comma, which separate names and places. */
  private static String uniqueName(LogSource source, Set<String> names) {
    String place =
        source.kind() == LogSource.Kind.CLAIM
            ? inClaim(source)
            : source.path().replaceFirst("^[a-z0-9]+://", "");
    String name = place.replaceAll("[^A-Za-z0-9._/-]", "_").replaceAll("/+$", "");
    String unique = name;
    for (int i = 2; !names.add(unique); i++) {
      unique = name + "-" + i;
    }
    return unique;
  }

  /**
   * A volume that only one node can mount is with the job's pods: where these run, TensorBoard can
   * read it too.
   */
  private Map<String, Object> nearTheJob() {
    return Map.of(
        "podAffinity",
        Map.of(
            "preferredDuringSchedulingIgnoredDuringExecution",
            List.of(
                Map.of(
                    "weight",
                    100,
                    "podAffinityTerm",
                    Map.of(
                        "labelSelector",
                        Map.of("matchLabels", job.labels().ofPublished()),
                        "topologyKey",
                        "kubernetes.io/hostname")))));
  }

  /** Those of the master: TensorBoard's image may come from the same registry. */
  private List<Object> pullSecrets() {
    List<ReplicaType> types = job.spec().types();
    PodSpec master = types.isEmpty() ? null : types.get(0).template().getSpec();
    if (master == null || master.getImagePullSecrets() == null) {
      return List.of();
    }
    Set<String> names = new LinkedHashSet<>();
    for (LocalObjectReference secret : master.getImagePullSecrets()) {
      if (secret != null && secret.getName() != null) {
        names.add(secret.getName());
      }
    }
    List<Object> references = new ArrayList<>();
    names.forEach(name -> references.add(Map.of("name", name)));
    return references;
  }
}
