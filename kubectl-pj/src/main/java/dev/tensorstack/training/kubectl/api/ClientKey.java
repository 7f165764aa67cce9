package dev.tensorstack.training.kubectl.api;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.fabric8.kubernetes.client.Config;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The private key of a kubeconfig in the form that the client reads without further libraries: it
 * takes keys for RSA ones unless told otherwise, and elliptic ones, as k3s and kubeadm make them,
 * only in PKCS #8.
 */
final class ClientKey {

  private static final String SEC1_HEAD = "-----BEGIN EC PRIVATE KEY-----";
  private static final String PKCS8_HEAD = "-----BEGIN PRIVATE KEY-----";
  private static final String PKCS8_TAIL = "-----END PRIVATE KEY-----";

  private static final byte[] ELLIPTIC = {6, 7, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 2, 1};
  private static final byte[] EDWARDS = {6, 3, 0x2b, 0x65, 0x70};

  private static final int SEQUENCE = 0x30;
  private static final int OCTETS = 0x04;
  private static final byte PARAMETERS = (byte) 0xa0;
  private static final byte OBJECT_IDENTIFIER = 6;

  private ClientKey() {}

  /**
   * Makes the key of a configuration one that can be read.
   *
   * @param config the configuration; changed where its key is elliptic
   * @throws IllegalArgumentException with a sentence for the user, when the key's file cannot be
   *     read
   */
  static void adapt(Config config) {
    String pem = pem(config);
    if (pem == null) {
      return;
    }
    if (pem.contains(SEC1_HEAD)) {
      set(config, pkcs8(decode(pem)));
      return;
    }
    if (pem.contains(PKCS8_HEAD)) {
      byte[] key = decode(pem);
      if (indexOf(key, ELLIPTIC) >= 0) {
        set(config, key);
      } else if (indexOf(key, EDWARDS) >= 0) {
        config.setClientKeyAlgo("Ed25519");
      }
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

  private static void set(Config config, byte[] pkcs8) {
    String pem =
        PKCS8_HEAD
            + "\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(pkcs8)
            + "\n"
            + PKCS8_TAIL
            + "\n";
    config.setClientKeyData(Base64.getEncoder().encodeToString(pem.getBytes(US_ASCII)));
    config.setClientKeyFile(null);
    // In capitals, the client would look for a library that it does not bring along.
    config.setClientKeyAlgo("ec");
  }

  /** The last key of a file: one of parameters may stand before it. */
  private static byte[] decode(String pem) {
    int head = pem.lastIndexOf("PRIVATE KEY-----\n", pem.lastIndexOf("-----END "));
    head = head < 0 ? pem.lastIndexOf("PRIVATE KEY-----", pem.lastIndexOf("-----END ")) : head;
    String body = pem.substring(pem.indexOf("-----", head) + 5, pem.lastIndexOf("-----END "));
    return Base64.getMimeDecoder().decode(body);
  }

  /**
   * Wraps a key.
   *
   * @param sec1 an {@code ECPrivateKey} of RFC 5915 that names its curve
   * @return a {@code PrivateKeyInfo} of RFC 5208
   */
  static byte[] pkcs8(byte[] sec1) {
    byte[] algorithm = der(SEQUENCE, ELLIPTIC, curve(sec1));
    return der(SEQUENCE, new byte[] {2, 1, 0}, algorithm, der(OCTETS, sec1));
  }

  private static byte[] curve(byte[] sec1) {
    for (int i = 0; i + 3 < sec1.length; i++) {
      if (sec1[i] == PARAMETERS
          && sec1[i + 2] == OBJECT_IDENTIFIER
          && sec1[i + 1] == sec1[i + 3] + 2) {
        return Arrays.copyOfRange(sec1, i + 2, i + 4 + sec1[i + 3]);
      }
    }
    throw new IllegalArgumentException(
        "the kubeconfig's client-key names no curve: convert it with openssl pkcs8 -topk8 -nocrypt");
  }

  private static byte[] der(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    whole.write(tag);
    int length = content.size();
    if (length > 0xff) {
      whole.write(0x82);
      whole.write(length >> 8);
    } else if (length > 0x7f) {
      whole.write(0x81);
    }
    whole.write(length & 0xff);
    try {
      content.writeTo(whole);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return whole.toByteArray();
  }

  private static int indexOf(byte[] bytes, byte[] wanted) {
    for (int i = 0; i + wanted.length <= bytes.length; i++) {
      if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
        return i;
      }
    }
    return -1;
  }
}
