package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.controlplane.AdminAccount;
import dev.tensorstack.training.controlplane.ControlPlane;
import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An account of a benchmark's client, with its token: every client has one with all rights, so that
 * the API server's checks cost the same for all, and so that requests can be told apart.
 *
 * @param user its name in the audit log
 * @param kubeconfig a file with which it works
 * @param token its bearer token
 */
record BenchmarkAccount(String user, Path kubeconfig, String token) {

  private static final String NAMESPACE = "default";

  /** Makes one of that name. */
  static BenchmarkAccount create(ControlPlane controlPlane, String name) {
    AdminAccount account = AdminAccount.create(controlPlane, NAMESPACE, name);
    try {
      Config config = Config.fromKubeconfig(Files.readString(account.kubeconfig()));
      String fixed = config.getOauthToken();
      return new BenchmarkAccount(
          account.user(), account.kubeconfig(), fixed != null ? fixed : config.getAutoOAuthToken());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
