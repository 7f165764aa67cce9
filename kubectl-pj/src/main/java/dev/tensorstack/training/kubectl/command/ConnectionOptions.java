package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.Connection;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which cluster is asked, and as whom; named as kubectl's. */
public final class ConnectionOptions {

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      description = "The namespace; that of the context unless given.")
  private @Nullable String namespace;

  @Option(
      names = "--context",
      paramLabel = "CONTEXT",
      description = "The context of the kubeconfig; the current one unless given.")
  private @Nullable String context;

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "The kubeconfig; that of KUBECONFIG, or ~/.kube/config, unless given.")
  private @Nullable String kubeconfig;

  @Option(
      names = "--as",
      paramLabel = "USER",
      description = "Act as this user, as far as your rights allow it.")
  private @Nullable String as;

  /**
   * What the user chose.
   *
   * @return the connection
   */
  public Connection connection() {
    return new Connection(kubeconfig, context, namespace, as);
  }
}
