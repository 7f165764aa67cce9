package dev.tensorstack.training.kubectl.api;

import dev.tensorstack.training.kubectl.job.Tree;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a credential plugin gave: a token, a certificate with its key, or all three.
 *
 * @param token the token; null when there is none
 * @param certificate the certificates in PEM; null when there are none
 * @param key the key of the first certificate in PEM; null when there is none
 * @param expires when it is no longer valid; null when the plugin does not tell it
 */
record Credential(
    @Nullable String token,
    @Nullable String certificate,
    @Nullable String key,
    @Nullable Instant expires) {

  /**
   * Reads an {@code ExecCredential}.
   *
   * @param answer what the plugin printed
   * @param apiVersion the version that the kubeconfig asks for
   * @return the credential
   * @throws IllegalArgumentException with a part of a sentence, when it is none
   */
  static Credential of(Tree answer, String apiVersion) {
    if (!"ExecCredential".equals(answer.text("kind"))) {
      throw new IllegalArgumentException("printed no ExecCredential");
    }
    if (!apiVersion.equals(answer.text("apiVersion"))) {
      throw new IllegalArgumentException(
          "printed an ExecCredential of "
              + answer.text("apiVersion")
              + " instead of "
              + apiVersion
              + ", which the kubeconfig asks for");
    }
    Tree status = answer.at("status");
    Credential credential =
        new Credential(
            status.text("token"),
            status.text("clientCertificateData"),
            status.text("clientKeyData"),
            status.time("expirationTimestamp"));
    if ((credential.certificate == null) != (credential.key == null)) {
      throw new IllegalArgumentException("printed a certificate without its key, or the reverse");
    }
    if (credential.token == null && credential.certificate == null) {
      throw new IllegalArgumentException("printed an ExecCredential without token and certificate");
    }
    return credential;
  }

  /**
   * Whether it is still of use.
   *
   * @param now the present time
   * @return false once it has expired
   */
  boolean isValid(Instant now) {
    return expires == null || now.isBefore(expires);
  }

  @Override
  public String toString() {
    return "credential until " + expires;
  }
}
