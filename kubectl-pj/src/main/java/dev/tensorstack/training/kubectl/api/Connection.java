package dev.tensorstack.training.kubectl.api;

import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import java.io.File;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which cluster is asked, and as whom: what kubectl's options of the same names say.
 *
 * @param kubeconfig a kubeconfig file; null for that of {@code KUBECONFIG}, {@code ~/.kube/config},
 *     or a pod's service account
 * @param context a context of it; null for the current one
 * @param namespace a namespace; null for that of the context
 * @param as a user to act as; null for the user of the context
 */
public record Connection(
    @Nullable String kubeconfig,
    @Nullable String context,
    @Nullable String namespace,
    @Nullable String as) {

  private static final int CONNECT_MILLIS = 10_000;
  private static final int REQUEST_MILLIS = 30_000;

  /** Set in every pod. */
  private static final String IN_CLUSTER = "KUBERNETES_SERVICE_HOST";

  private static final String NO_KUBECONFIG =
      "there is no kubeconfig: name one with --kubeconfig or KUBECONFIG, or put it at ~/.kube/config";

  /**
   * Reads the configuration.
   *
   * @return the configuration of a client, and where its credentials come from
   * @throws IllegalArgumentException with a sentence for the user, when there is no such file or
   *     context, or no credentials
   */
  Kubeconfig.User user() {
    Kubeconfig.User user = read();
    Config config = user.config();
    config.setConnectionTimeout(CONNECT_MILLIS);
    config.setRequestTimeout(REQUEST_MILLIS);
    // What is refused is told at once; waiting is the user's own choice.
    config.setRequestRetryBackoffLimit(1);
    ClientKey.adapt(config);
    if (as != null) {
      config.setImpersonateUsername(as);
    }
    return user;
  }

  private Kubeconfig.User read() {
    if (kubeconfig != null && !new File(kubeconfig).isFile()) {
      throw new IllegalArgumentException("--kubeconfig: there is no file " + kubeconfig);
    }
    List<File> files =
        kubeconfig == null
            ? Config.getKubeconfigFilenames().stream()
                .map(File::new)
                .filter(file -> file.isFile() && file.length() > 0)
                .toList()
            : List.of(new File(kubeconfig));
    if (files.isEmpty()) {
      return inCluster();
    }
    Kubeconfig.User user = Kubeconfig.read(files).user(context);
    NamedContext chosen = user.config().getCurrentContext();
    if (context != null && (chosen == null || !context.equals(chosen.getName()))) {
      throw new IllegalArgumentException(
          "--context: the kubeconfig has no context " + context + " (kubectl config get-contexts)");
    }
    if (kubeconfig == null) {
      // Where to look when a token has to be read anew.
      user.config().setAutoConfigure(true);
    }
    return user;
  }

  /** What a pod has: a service account. */
  private Kubeconfig.User inCluster() {
    if (context != null) {
      throw new IllegalArgumentException("--context: " + NO_KUBECONFIG);
    }
    if (System.getenv(IN_CLUSTER) == null) {
      throw new IllegalArgumentException(NO_KUBECONFIG);
    }
    return new Kubeconfig.User(Config.autoConfigure(null), null);
  }

  /**
   * The namespace to work in.
   *
   * @param config the configuration
   * @return the user's choice, else the context's, else {@code default}
   */
  String namespaceOf(Config config) {
    if (namespace != null) {
      return namespace;
    }
    String own = config.getNamespace();
    return own == null || own.isEmpty() ? "default" : own;
  }
}
