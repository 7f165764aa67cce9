package dev.tensorstack.training.kubectl.api;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The private key of a kubeconfig. The client takes one in PKCS #8 for an RSA key unless it is told
 * otherwise, and elliptic ones are common: k3s and others make them.
 */
final class ClientKey {

  private static final String SEC1_HEAD = "-----BEGIN EC PRIVATE KEY-----";
  private static final String PKCS8_HEAD = "-----BEGIN PRIVATE KEY-----";
  private static final String PKCS8_TAIL = "-----END PRIVATE KEY-----";
  private static final String ALGORITHM = "EC";

  /** The object identifier id-ecPublicKey in DER. */
  private static final byte[] ELLIPTIC = {6, 7, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 2, 1};

  private ClientKey() {}

  /**
   * Tells a configuration what its key is.
   *
   * @param config the configuration; changed where its key is elliptic
   * @throws IllegalArgumentException with a sentence for the user, when the key's file cannot be
   *     read
   */
  static void adapt(Config config) {
    String pem = pem(config);
    if (pem != null && (pem.contains(SEC1_HEAD) || isElliptic(pem))) {
      config.setClientKeyAlgo(ALGORITHM);
    }
  }

  private static @Nullable String pem(Config config) {
    String data = config.getClientKeyData();
    if (data != null) {
      return new String(Base64.getMimeDecoder().decode(data), US_ASCII);
    }
    String file = config.getClientKeyFile();
    if (file == null) {
      return null;
    }
    try {
      return Files.readString(Path.of(file), US_ASCII);
    } catch (IOException e) {
      throw new IllegalArgumentException("the kubeconfig's client-key: " + e, e);
    }
  }

  private static boolean isElliptic(String pem) {
    int begin = pem.indexOf(PKCS8_HEAD);
    int end = pem.indexOf(PKCS8_TAIL);
    if (begin < 0 || end < begin) {
      return false;
    }
    byte[] key = Base64.getMimeDecoder().decode(pem.substring(begin + PKCS8_HEAD.length(), end));
    for (int i = 0; i + ELLIPTIC.length <= key.length; i++) {
      if (Arrays.equals(key, i, i + ELLIPTIC.length, ELLIPTIC, 0, ELLIPTIC.length)) {
        return true;
      }
    }
    return false;
  }
}
