package dev.tensorstack.training.controlplane;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.HexFormat;

/** The key, the tokens and the kubeconfig files of one control plane. */
final class Credentials {
  private Credentials() {}

  /** A random word that nobody guesses. */
  static String randomToken() {
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /**
   * A key pair for service account tokens, as PEM.
   *
   * @param privateKey signs
   * @param publicKey verifies
   */
  record SigningKeys(String privateKey, String publicKey) {
    /** A new pair. */
    static SigningKeys generate() {
      try {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = generator.generateKeyPair();
        return new SigningKeys(
            pem("PRIVATE KEY", pair.getPrivate()), pem("PUBLIC KEY", pair.getPublic()));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }

    private static String pem(String type, Key key) {
      String body =
          Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(key.getEncoded());
      return "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n";
    }
  }

  /** A kubeconfig that carries all it needs. */
  static String kubeconfig(String url, String certificateAuthorityPem, String token) {
    String authority =
        Base64.getEncoder().encodeToString(certificateAuthorityPem.getBytes(US_ASCII));
    return """
    apiVersion: v1
    kind: Config
    current-context: control-plane
    clusters:
    - name: control-plane
      cluster:
        server: %s
        certificate-authority-data: %s
    users:
    - name: user
      user:
        token: %s
    contexts:
    - name: control-plane
      context:
        cluster: control-plane
        user: user
    """
        .formatted(url, authority, token);
  }

  /** Writes a file that only its owner can read. */
  static void writePrivate(Path file, String content) throws IOException {
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.write(file, content.getBytes(UTF_8));
  }
}
