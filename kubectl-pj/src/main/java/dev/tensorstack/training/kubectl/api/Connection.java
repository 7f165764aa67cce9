package dev.tensorstack.training.kubectl.api;

import io.fabric8.kubernetes.client.Config;
import java.io.File;
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

  /**
   * Reads the configuration.
   *
   * @return the configuration of a client
   * @throws IllegalArgumentException with a sentence for the user, when there is no such file or
   *     context
   */
  Config config() {
    Config config = read();
    config.setConnectionTimeout(CONNECT_MILLIS);
    config.setRequestTimeout(REQUEST_MILLIS);
    // What is refused is told at once; waiting is the user's own choice.
    config.setRequestRetryBackoffLimit(1);
    ClientKey.adapt(config);
    if (as != null) {
      config.setImpersonateUsername(as);
    }
    return config;
  }

  private Config read() {
    if (kubeconfig != null && !new File(kubeconfig).isFile()) {
      throw new IllegalArgumentException("--kubeconfig: there is no file " + kubeconfig);
    }
    Config config =
        kubeconfig == null
            ? Config.autoConfigure(context)
            : Config.fromKubeconfig(context, new File(kubeconfig));
    if (context != null
        && (config.getCurrentContext() == null
            || !context.equals(config.getCurrentContext().getName()))) {
      throw new IllegalArgumentException(
          "--context: the kubeconfig has no context " + context + " (kubectl config get-contexts)");
    }
    return config;
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
