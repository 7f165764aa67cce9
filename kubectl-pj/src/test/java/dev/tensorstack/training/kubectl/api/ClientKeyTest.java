package dev.tensorstack.training.kubectl.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import org.junit.jupiter.api.Test;

class ClientKeyTest {

  /** Made by openssl ecparam -name prime256v1 -genkey -noout. */
  private static final String SEC1 =
      "MHcCAQEEIGbb9mrWlugtrOK94CceRsbsn9FM9XsE/FR5r+phrHNpoAoGCCqGSM49AwEHoUQDQgAE"
          + "58cni3zubKw2h5+PYmkPujrN2Xqakiq+e3SYh3jeVNXoNy2gavxteX2bO6URjEVEhgkGMYhYwsxP"
          + "Y8+FVXRQ+A==";

  /** The same key by openssl pkcs8 -topk8 -nocrypt. */
  private static final String PKCS8 =
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZtv2ataW6C2s4r3gJx5Gxuyf0Uz1"
          + "ewT8VHmv6mGsc2mhRANCAATnxyeLfO5srDaHn49iaQ+6Os3ZepqSKr57dJiHeN5U1eg3LaBq/G15"
          + "fZs7pRGMRUSGCQYxiFjCzE9jz4VVdFD4";

  private static Config adapted(String name, String body) {
    String pem = "-----BEGIN " + name + "-----\n" + body + "\n-----END " + name + "-----\n";
    Config config = Config.empty();
    config.setClientKeyData(Base64.getEncoder().encodeToString(pem.getBytes(US_ASCII)));
    ClientKey.adapt(config);
    return config;
  }

  private static ECPrivateKey read(Config config) throws GeneralSecurityException {
    String pem = new String(Base64.getDecoder().decode(config.getClientKeyData()), US_ASCII);
    String body = pem.replaceAll("-----[A-Z ]+-----", "");
    return (ECPrivateKey)
        KeyFactory.getInstance(config.getClientKeyAlgo())
            .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(body)));
  }

  @Test
  void ellipticKeysOfBothFormsAreTheSameKey() throws GeneralSecurityException {
    ECPrivateKey old = read(adapted("EC PRIVATE KEY", SEC1));
    ECPrivateKey wrapped = read(adapted("PRIVATE KEY", PKCS8));
    assertThat(old.getS()).isEqualTo(wrapped.getS());
    assertThat(old.getParams().getOrder()).isEqualTo(wrapped.getParams().getOrder());
    assertThat(old.getAlgorithm()).isEqualTo("EC");
  }

  @Test
  void otherKeysStayAsTheyAre() {
    Config config = adapted("RSA PRIVATE KEY", "AAAA");
    assertThat(config.getClientKeyAlgo()).isNotEqualTo("ec");
    Config none = Config.empty();
    ClientKey.adapt(none);
    assertThat(none.getClientKeyData()).isNull();
  }
}
