package dev.tensorstack.training.kubectl.api;

import static dev.tensorstack.training.kubectl.job.Samples.tree;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class CredentialTest {

  private static final String V1 = "client.authentication.k8s.io/v1";

  private static Credential read(String status) {
    return Credential.of(
        tree("{'kind':'ExecCredential','apiVersion':'" + V1 + "','status':" + status + "}"), V1);
  }

  @Test
  void aCredentialIsValidUntilItExpires() {
    Credential credential = read("{'token':'t','expirationTimestamp':'2026-11-21T16:30:00Z'}");
    assertThat(credential.token()).isEqualTo("t");
    assertThat(credential.isValid(Instant.parse("2026-11-21T16:29:59Z"))).isTrue();
    assertThat(credential.isValid(Instant.parse("2026-11-21T16:30:00Z"))).isFalse();
    assertThat(read("{'token':'t'}").isValid(Instant.MAX)).isTrue();
  }

  @Test
  void whatIsNoneIsNamed() {
    assertThatThrownBy(() -> read("{}")).hasMessageContaining("without token and certificate");
    assertThatThrownBy(() -> read("{'clientCertificateData':'c'}"))
        .hasMessageContaining("without its key");
    assertThatThrownBy(() -> Credential.of(tree("{'kind':'Pod'}"), V1))
        .hasMessageContaining("no ExecCredential");
    assertThatThrownBy(
            () ->
                Credential.of(
                    tree(
                        "{'kind':'ExecCredential','apiVersion':'client.authentication.k8s.io/v2'}"),
                    V1))
        .hasMessageContaining("k8s.io/v2 instead of client.authentication.k8s.io/v1");
  }

  @Test
  void secretsAreNotPrinted() {
    assertThat(read("{'token':'secret'}").toString()).doesNotContain("secret");
  }
}
