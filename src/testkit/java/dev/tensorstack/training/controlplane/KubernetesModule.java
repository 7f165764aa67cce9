package dev.tensorstack.training.controlplane;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The Go module that builds a version of Kubernetes other than {@link KubernetesVersion#DEFAULT},
 * which has one of its own in the checkout.
 *
 * <p>It is made from the {@code go.mod} that the version itself comes with, so that everything is
 * built with the dependencies that it was released with. There the modules that Kubernetes
 * publishes beside itself are folders; here they are the published ones of the same version.
 */
final class KubernetesModule {
  private static final String PATH = "k8s.io/kubernetes";
  private static final Pattern NAME = Pattern.compile("(?m)^module\\s+\\S+$");
  private static final Pattern FOLDER = Pattern.compile("=>\\s+\\./staging/src/(\\S+)");

  private KubernetesModule() {}

  /** What {@code go mod download} is told to fetch: path and version with an @ between. */
  static String query(KubernetesVersion version) {
    return PATH + "@" + version;
  }

  /**
   * Makes the {@code go.mod}.
   *
   * @param released the text of the one that the version comes with
   * @throws ControlPlaneException when that is of another form than all known ones
   */
  static String goMod(String released, KubernetesVersion version) {
    Matcher name = NAME.matcher(released);
    Matcher folder = FOLDER.matcher(released);
    if (!name.find() || !folder.find()) {
      throw new ControlPlaneException(
          "the go.mod of Kubernetes "
              + version
              + " has no module line or no folders of other modules: KubernetesModule has to learn"
              + " its form");
    }
    return folder
            .replaceAll("=> $1 " + version.ofStagingModules())
            .replaceFirst(NAME.pattern(), "module controlplane/kubernetes")
        + ("\nrequire " + PATH + " " + version + "\n");
  }
}
