package dev.tensorstack.training.kubectl.job;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The kinds of jobs, and what is different between them for a client. */
public enum JobKind {
  /** {@code batch.tensorstack.dev/v1beta1} {@code PyTorchTrainingJob}. */
  TRAINING_JOB(
      "batch.tensorstack.dev",
      "v1beta1",
      "PyTorchTrainingJob",
      "tensorstack.dev/owner-name",
      "replica-type",
      "replica-index",
      "python",
      "pj"),

  /** Kubeflow's {@code kubeflow.org/v1} {@code PyTorchJob}. */
  PYTORCH_JOB(
      "kubeflow.org",
      "v1",
      "PyTorchJob",
      "training.kubeflow.org/job-name",
      "training.kubeflow.org/replica-type",
      "training.kubeflow.org/replica-index",
      "pytorch",
      null);

  /** On pods of both kinds: the attempt that a pod belongs to, from 0. */
  static final String ATTEMPT_LABEL = "batch.tensorstack.dev/attempt";

  private final String group;
  private final String version;
  private final String kind;
  private final String nameLabel;
  private final String typeLabel;
  private final String indexLabel;
  private final String container;
  private final @Nullable String shortName;

  JobKind(
      String group,
      String version,
      String kind,
      String nameLabel,
      String typeLabel,
      String indexLabel,
      String container,
      @Nullable String shortName) {
    this.group = group;
    this.version = version;
    this.kind = kind;
    this.nameLabel = nameLabel;
    this.typeLabel = typeLabel;
    this.indexLabel = indexLabel;
    this.container = container;
    this.shortName = shortName;
  }

  /**
   * The kind as manifests spell it.
   *
   * @return for example {@code PyTorchJob}
   */
  public String kind() {
    return kind;
  }

  /**
   * The API group and version.
   *
   * @return for example {@code kubeflow.org/v1}
   */
  public String apiVersion() {
    return group + "/" + version;
  }

  /**
   * The kind as kubectl prints it before a name.
   *
   * @return for example {@code pytorchjob.kubeflow.org}
   */
  public String qualifiedName() {
    return singular() + "." + group;
  }

  /**
   * The name of the resource in paths and RBAC rules.
   *
   * @return for example {@code pytorchjobs}
   */
  public String plural() {
    return singular() + "s";
  }

  /**
   * The word that stands before a name, as short as it can be.
   *
   * @return {@code pj} or {@code pytorchjob}
   */
  public String word() {
    return shortName == null ? singular() : shortName;
  }

  private String singular() {
    return kind.toLowerCase(Locale.ROOT);
  }

  /**
   * The path of all jobs of this kind.
   *
   * @param namespace the namespace; null for all
   * @return a path that begins with a slash
   */
  public String path(@Nullable String namespace) {
    return "/apis/"
        + apiVersion()
        + (namespace == null ? "" : "/namespaces/" + namespace)
        + "/"
        + plural();
  }

  /**
   * The path of one job.
   *
   * @param namespace the namespace
   * @param name the job's name
   * @return a path that begins with a slash
   */
  public String path(String namespace, String name) {
    return path(namespace) + "/" + name;
  }

  /**
   * The kind that a word means, as kubectl understands it.
   *
   * @param word for example {@code pj}, {@code pytorchjobs}, {@code pytorchjob.kubeflow.org}
   * @return the kind; null when the word is none's
   */
  public static @Nullable JobKind of(String word) {
    String lower = word.toLowerCase(Locale.ROOT);
    for (JobKind one : values()) {
      for (String name : Set.of(one.singular(), one.plural())) {
        if (lower.equals(name)
            || lower.equals(name + "." + one.group)
            || lower.equals(name + "." + one.version + "." + one.group)) {
          return one;
        }
      }
      if (lower.equals(one.shortName)) {
        return one;
      }
    }
    return null;
  }

  /**
   * Selects a job's pods.
   *
   * @param job the job's name
   * @return a label selector
   */
  public String podSelector(String job) {
    return nameLabel + "=" + job;
  }

  /**
   * The label of a pod that names its job.
   *
   * @return the label's key
   */
  public String nameLabel() {
    return nameLabel;
  }

  String typeLabel() {
    return typeLabel;
  }

  String indexLabel() {
    return indexLabel;
  }

  /**
   * The name by which the container that trains is known.
   *
   * @return the name; where no container has it, the first one trains
   */
  public String trainingContainer() {
    return container;
  }

  /**
   * The change of the spec that pauses a job or lets it go on.
   *
   * @param paused whether it shall be paused
   * @return a merge patch
   */
  public Map<String, Object> pausePatch(boolean paused) {
    return switch (this) {
      case TRAINING_JOB ->
          Map.of("spec", Map.of("runMode", Map.of("pause", Map.of("enabled", paused))));
      case PYTORCH_JOB -> Map.of("spec", Map.of("runPolicy", Map.of("suspend", paused)));
    };
  }
}
