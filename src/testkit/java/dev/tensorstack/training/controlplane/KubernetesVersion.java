package dev.tensorstack.training.controlplane;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The version of Kubernetes that the control plane has, and what the test kit has to know about it.
 *
 * <p>{@link #chosen()} is the system property {@code kubernetes.version} or the environment
 * variable {@code KUBERNETES_VERSION}, for example {@code v1.31.14}; without either, it is {@link
 * #DEFAULT}. What depends on the version is decided here and nowhere else.
 *
 * @param minor the minor version, from 30 to 36
 * @param patch the patch version
 */
public record KubernetesVersion(int minor, int patch) {
  /** What the control plane is made from unless told otherwise. */
  public static final KubernetesVersion DEFAULT = new KubernetesVersion(36, 3);

  /** The oldest minor version that the operator is made for; the chart asks for it, too. */
  static final int OLDEST_MINOR = 30;

  /** The newest minor version that the test kit knows. */
  static final int NEWEST_MINOR = DEFAULT.minor();

  private static final String PROPERTY = "kubernetes.version";
  private static final String VARIABLE = "KUBERNETES_VERSION";
  private static final Pattern FORM = Pattern.compile("v?1\\.(\\d{1,3})\\.(\\d{1,4})");

  /** The first version whose PodGroups, {@code scheduling.k8s.io/v1alpha2}, the operator uses. */
  private static final int POD_GROUPS = 36;

  /**
   * The version for this JVM.
   *
   * @throws ControlPlaneException when the setting is no version, or one that is not supported; the
   *     message says which are
   */
  public static KubernetesVersion chosen() {
    return Optional.ofNullable(System.getProperty(PROPERTY))
        .or(() -> Optional.ofNullable(System.getenv(VARIABLE)))
        .filter(text -> !text.isBlank())
        .map(KubernetesVersion::parse)
        .orElse(DEFAULT);
  }

  /**
   * Reads a version.
   *
   * @param text such as {@code v1.31.14}; the {@code v} may be left out
   * @throws ControlPlaneException when it is no version, or one that is not supported; the message
   *     says which are
   */
  static KubernetesVersion parse(String text) {
    Matcher matcher = FORM.matcher(text.strip());
    if (!matcher.matches()) {
      throw new ControlPlaneException(
          refusal(text) + " is not a version of Kubernetes with minor and patch version");
    }
    KubernetesVersion version =
        new KubernetesVersion(
            Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    if (version.minor() < OLDEST_MINOR) {
      throw new ControlPlaneException(refusal(text) + " is older than what the operator supports");
    }
    if (version.minor() > NEWEST_MINOR) {
      throw new ControlPlaneException(refusal(text) + " is newer than what the test kit knows");
    }
    return version;
  }

  private static String refusal(String text) {
    return String.format(
        "set %s (-D%s) to a version from 1.%d to 1.%d, for example %s, or to nothing: %s",
        VARIABLE, PROPERTY, OLDEST_MINOR, NEWEST_MINOR, DEFAULT, text.strip());
  }

  /**
   * Whether it is of a minor version or a later one.
   *
   * @param otherMinor for example 34 for Kubernetes 1.34
   */
  public boolean atLeast(int otherMinor) {
    return minor >= otherMinor;
  }

  /**
   * Whether it can serve the native PodGroup in a version that the operator uses, and its scheduler
   * can place gangs. Older ones refuse to start with the feature gates for it.
   */
  public boolean hasPodGroups() {
    return atLeast(POD_GROUPS);
  }

  /** Where kube-scheduler says that it is ready: it has no path for that alone before 1.31. */
  String schedulerReadiness() {
    return atLeast(31) ? "/readyz" : "/healthz";
  }

  /** The version of the modules that Kubernetes publishes beside itself, such as k8s.io/api. */
  String ofStagingModules() {
    return "v0." + minor + "." + patch;
  }

  /** With the leading {@code v}. */
  @Override
  public String toString() {
    return "v1." + minor + "." + patch;
  }
}
