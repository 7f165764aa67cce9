package dev.tensorstack.training.tls.certificate;

import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Certificates of the operator's own making, as they are kept in a Secret.
 *
 * @param authority signs; the newest one
 * @param serving what is served; signed by the authority, or still by the one before it
 * @param trust the authority first, then those before it as long as they are valid
 */
record SelfSigned(CertificateAuthority authority, ServingCertificate serving, TrustBundle trust) {

  private static final String CERTIFICATE = "tls.crt";
  private static final String KEY = "tls.key";
  private static final String AUTHORITIES = "ca.crt";
  private static final String AUTHORITY_KEY = "ca.key";

  /** What the server needs of it. */
  CertificateMaterial material() {
    return new CertificateMaterial(serving, trust);
  }

  /** Whether the authority signed what is served, so that no change of authorities is under way. */
  boolean isSettled() {
    return authority.signed(serving.certificate());
  }

  /** The data of a Secret: base64 by key. */
  Map<String, String> toData() {
    Map<String, String> data = new LinkedHashMap<>();
    data.put(CERTIFICATE, encode(serving.chainPem()));
    data.put(KEY, encode(serving.keyPem()));
    data.put(AUTHORITIES, encode(trust.pem()));
    data.put(AUTHORITY_KEY, encode(Pem.ofKey(authority.key())));
    return data;
  }

  /**
   * Reads a Secret.
   *
   * @param data base64 by key; null when the Secret has none
   * @return its certificates
   * @throws BadCertificateException when a part is missing, cannot be read or does not fit the
   *     others
   */
  static SelfSigned ofData(@Nullable Map<String, String> data) throws BadCertificateException {
    Map<String, String> present = data == null ? Map.of() : data;
    ServingCertificate serving =
        ServingCertificate.parse(decode(present, CERTIFICATE), decode(present, KEY));
    List<X509Certificate> authorities = Pem.certificates(AUTHORITIES, decode(present, AUTHORITIES));
    CertificateAuthority authority =
        new CertificateAuthority(
            authorities.get(0), Pem.key(AUTHORITY_KEY, decode(present, AUTHORITY_KEY)));
    if (!ServingCertificate.fits(authority.key(), authority.certificate().getPublicKey())) {
      throw new BadCertificateException("ca.key is not the key of the first certificate in ca.crt");
    }
    if (authorities.stream().noneMatch(serving::isTrustedThrough)) {
      throw new BadCertificateException("no certificate in ca.crt has signed the one in tls.crt");
    }
    return new SelfSigned(authority, serving, new TrustBundle(authorities));
  }

  private static String encode(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static String decode(Map<String, String> data, String key)
      throws BadCertificateException {
    String value = data.get(key);
    if (value == null || value.isEmpty()) {
      throw new BadCertificateException(key + " is missing");
    }
    try {
      return new String(Base64.getDecoder().decode(value), StandardCharsets.US_ASCII);
    } catch (IllegalArgumentException noBase64) {
      throw new BadCertificateException(key + " cannot be read: no base64", noBase64);
    }
  }
}
