package dev.tensorstack.training.core.pod;

import static dev.tensorstack.training.core.naming.EnvironmentVariables.KUBEFLOW_TRAINER_SERVER_CA_CERT;
import static dev.tensorstack.training.core.naming.EnvironmentVariables.KUBEFLOW_TRAINER_SERVER_TOKEN;
import static dev.tensorstack.training.core.naming.EnvironmentVariables.KUBEFLOW_TRAINER_SERVER_URL;
import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where trainings report their progress: the training container of a pod is told so in the
 * variables of Kubeflow's Trainer (docs/tasks/progress.md).
 *
 * @param url where the operator serves it, without a slash at its end
 * @param authorities the authorities of its certificate, PEM
 */
public record ProgressEndpoint(String url, String authorities) {

  /** Whom the pods' tokens are for: nobody else takes them. */
  public static final String AUDIENCE = "progress.batch.tensorstack.dev";

  /** The annotation that carries the authorities: a pod needs no other object for them. */
  public static final String AUTHORITIES = "batch.tensorstack.dev/progress-ca";

  /** The label that says that a pod was told, and which authorities it trusts. */
  public static final String TOLD = "batch.tensorstack.dev/progress-told";

  private static final int FINGERPRINT = 16;

  /** The volume with the authorities and the token. */
  static final String VOLUME = "training-progress";

  private static final String DIRECTORY = "/var/run/secrets/batch.tensorstack.dev/progress";
  private static final String CA_FILE = "ca.crt";
  private static final String TOKEN_FILE = "token";

  /** The kubelet renews it when four fifths are over. */
  private static final long TOKEN_SECONDS = 3_600;

  /**
   * Where the pods of a job report.
   *
   * @param job the job
   * @return the URL
   */
  String of(TrainingJob job) {
    return url + path(job.kind().plural(), job.namespace(), job.name());
  }

  /**
   * The path of a job's reports.
   *
   * @param plural the plural of the job's kind
   * @param namespace its namespace
   * @param name its name
   * @return what follows after the host
   */
  public static String path(String plural, String namespace, String name) {
    return "/progress/" + plural + "/" + namespace + "/" + name;
  }

  /**
   * Tells a pod. What the template says itself stays: a variable of the same name, and a volume.
   *
   * @param job the pod's job
   * @param metadata the pod's metadata
   * @param pod the pod's spec
   * @param training its training container
   */
  void tell(TrainingJob job, ObjectMeta metadata, PodSpec pod, Container training) {
    List<EnvVar> given = requireNonNullElse(training.getEnv(), List.of());
    Set<String> names =
        given.stream().filter(Objects::nonNull).map(EnvVar::getName).collect(Collectors.toSet());
    List<Volume> volumes = new ArrayList<>(requireNonNullElse(pod.getVolumes(), List.of()));
    boolean taken =
        volumes.stream().anyMatch(volume -> volume != null && VOLUME.equals(volume.getName()));
    if (taken || names.contains(KUBEFLOW_TRAINER_SERVER_URL)) {
      return;
    }
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put(KUBEFLOW_TRAINER_SERVER_URL, of(job));
    variables.put(KUBEFLOW_TRAINER_SERVER_CA_CERT, DIRECTORY + "/" + CA_FILE);
    variables.put(KUBEFLOW_TRAINER_SERVER_TOKEN, DIRECTORY + "/" + TOKEN_FILE);
    variables.keySet().removeAll(names);
    List<EnvVar> env = new ArrayList<>();
    variables.forEach(
        (name, value) -> env.add(new EnvVarBuilder().withName(name).withValue(value).build()));
    env.addAll(given);
    training.setEnv(env);
    List<VolumeMount> mounts =
        new ArrayList<>(requireNonNullElse(training.getVolumeMounts(), List.of()));
    mounts.add(
        new VolumeMountBuilder()
            .withName(VOLUME)
            .withMountPath(DIRECTORY)
            .withReadOnly(true)
            .build());
    training.setVolumeMounts(mounts);
    volumes.add(volume());
    pod.setVolumes(volumes);
    metadata.getAnnotations().put(AUTHORITIES, authorities);
    metadata.getLabels().put(TOLD, fingerprint());
  }

  /**
   * What tells this address and these authorities from others.
   *
   * @return hexadecimal digits, short enough for a label
   */
  public String fingerprint() {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest((url + "\n" + authorities).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest).substring(0, FINGERPRINT);
    } catch (NoSuchAlgorithmException everyPlatformHasIt) {
      throw new IllegalStateException(everyPlatformHasIt);
    }
  }

  private static Volume volume() {
    return new VolumeBuilder()
        .withName(VOLUME)
        .withNewProjected()
        .addNewSource()
        .withNewServiceAccountToken()
        .withAudience(AUDIENCE)
        .withExpirationSeconds(TOKEN_SECONDS)
        .withPath(TOKEN_FILE)
        .endServiceAccountToken()
        .endSource()
        .addNewSource()
        .withNewDownwardAPI()
        .addNewItem()
        .withPath(CA_FILE)
        .withNewFieldRef()
        .withFieldPath("metadata.annotations['" + AUTHORITIES + "']")
        .endFieldRef()
        .endItem()
        .endDownwardAPI()
        .endSource()
        .endProjected()
        .build();
  }
}
