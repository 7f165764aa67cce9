package dev.tensorstack.training.tls.certificate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.function.Predicate;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Certificates that somebody else makes and renews: {@code tls.crt}, {@code tls.key} and, unless
 * somebody else writes the {@code caBundle} too, {@code ca.crt} in a directory. What cannot be used
 * is reported, and what was there before stays in use.
 */
public final class FileCertificates implements CertificateSource {

  private static final Logger LOG = Logger.getLogger(FileCertificates.class);

  /** A mounted Secret is exchanged as a whole, but not between the reading of two files. */
  private static final int READINGS = 5;

  private final Path directory;
  private @Nullable Contents read;
  private @Nullable CertificateMaterial good;
  private @Nullable String warned;

  /**
   * The certificates of a directory.
   *
   * @param directory need not exist yet
   */
  public FileCertificates(Path directory) {
    this.directory = directory;
  }

  /** What the files hold. */
  private record Contents(String certificate, String key, Optional<String> authorities) {}

  @Override
  public CertificateMaterial read(Predicate<X509Certificate> trusted)
      throws BadCertificateException {
    CertificateMaterial before = good;
    try {
      Contents now = contents();
      if (before != null && now.equals(read)) {
        return before;
      }
      CertificateMaterial next = parse(now);
      LOG.infof("%s: %s", directory, next.serving());
      read = now;
      good = next;
      warned = null;
      return next;
    } catch (BadCertificateException unusable) {
      if (before == null) {
        throw unusable;
      }
      warnOnce(
          unusable.getMessage()
              + "; the certificate before it stays in use, until "
              + before.serving().notAfter());
      return before;
    }
  }

  private void warnOnce(String message) {
    if (!message.equals(warned)) {
      LOG.warn(message);
      warned = message;
    }
  }

  /** The files of one moment: read until two readings agree. */
  private Contents contents() throws BadCertificateException {
    Contents one = readOnce();
    for (int reading = 1; reading < READINGS; reading++) {
      Contents other = readOnce();
      if (other.equals(one)) {
        break;
      }
      one = other;
    }
    return one;
  }

  private Contents readOnce() throws BadCertificateException {
    try {
      Path authorities = directory.resolve("ca.crt");
      return new Contents(
          text("tls.crt"),
          text("tls.key"),
          Files.exists(authorities) ? Optional.of(text("ca.crt")) : Optional.empty());
    } catch (IOException unreadable) {
      throw new BadCertificateException(
          directory
              + " cannot be used: "
              + unreadable
              + "; it has to hold tls.crt and tls.key, and ca.crt if the operator shall write the caBundle",
          unreadable);
    }
  }

  private String text(String file) throws IOException {
    return new String(Files.readAllBytes(directory.resolve(file)), StandardCharsets.ISO_8859_1);
  }

  private CertificateMaterial parse(Contents contents) throws BadCertificateException {
    try {
      ServingCertificate serving = ServingCertificate.parse(contents.certificate(), contents.key());
      TrustBundle trust =
          contents.authorities().isPresent()
              ? new TrustBundle(Pem.certificates("ca.crt", contents.authorities().get()))
              : TrustBundle.EMPTY;
      CertificateMaterial material = new CertificateMaterial(serving, trust);
      if (!trust.isEmpty() && !material.isTrusted(authority -> true)) {
        throw new BadCertificateException("no certificate in ca.crt has signed the one in tls.crt");
      }
      return material;
    } catch (BadCertificateException unusable) {
      throw new BadCertificateException(
          directory + " cannot be used: " + unusable.getMessage(), unusable);
    }
  }

  @Override
  public boolean knowsAuthorities() {
    return good == null ? Files.exists(directory.resolve("ca.crt")) : !good.trust().isEmpty();
  }
}
