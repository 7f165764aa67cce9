package dev.tensorstack.training.kubectl.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.junit.jupiter.api.Test;

class ClientKeyTest {

  private static String algorithm(String name, byte[] key) {
    String pem =
        "-----BEGIN "
            + name
            + "-----\n"
            + Base64.getMimeEncoder().encodeToString(key)
            + "\n-----END "
            + name
            + "-----\n";
    Config config = Config.empty();
    config.setClientKeyAlgo("RSA");
    config.setClientKeyData(Base64.getEncoder().encodeToString(pem.getBytes(US_ASCII)));
    ClientKey.adapt(config);
    return config.getClientKeyAlgo();
  }

  private static byte[] made(String algorithm) throws NoSuchAlgorithmException {
    return KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate().getEncoded();
  }

  @Test
  void anEllipticKeyIsKnownInBothForms() throws NoSuchAlgorithmException {
    assertThat(algorithm("PRIVATE KEY", made("EC"))).isEqualTo("EC");
    assertThat(algorithm("EC PRIVATE KEY", new byte[8])).isEqualTo("EC");
  }

  @Test
  void otherKeysStayAsTheyAre() throws NoSuchAlgorithmException {
    assertThat(algorithm("PRIVATE KEY", made("RSA"))).isEqualTo("RSA");
    assertThat(algorithm("RSA PRIVATE KEY", new byte[8])).isEqualTo("RSA");
    Config none = Config.empty();
    ClientKey.adapt(none);
    assertThat(none.getClientKeyData()).isNull();
  }
}
