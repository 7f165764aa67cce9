package dev.tensorstack.training.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** A client for the cluster of the environment variable {@code KUBECONFIG}. */
final class ClusterClient {

  /** An API server that shares its processors with trainings may be slow, which is no finding. */
  private static final int PATIENCE_MILLIS = 60_000;

  private ClusterClient() {}

  /** Makes one; it is to be closed. */
  static KubernetesClient open() {
    Config config = Config.autoConfigure(null);
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder(config)
                .withClientKeyAlgo(algorithm(config.getClientKeyData(), config.getClientKeyAlgo()))
                .withConnectionTimeout(PATIENCE_MILLIS)
                .withRequestTimeout(PATIENCE_MILLIS)
                .build())
        .build();
  }

  /** The client takes each PKCS #8 key for one of RSA unless it is told. */
  private static String algorithm(@Nullable String key, String otherwise) {
    if (key == null) {
      return otherwise;
    }
    String pem = new String(Base64.getMimeDecoder().decode(key), UTF_8);
    if (!pem.contains("-----BEGIN PRIVATE KEY-----")) {
      return otherwise;
    }
    byte[] pkcs8 = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
    try {
      return KeyFactory.getInstance("RSA")
          .generatePrivate(new PKCS8EncodedKeySpec(pkcs8))
          .getAlgorithm();
    } catch (GeneralSecurityException otherKind) {
      return "EC";
    }
  }
}
