package dev.tensorstack.training.tls.certificate;

/** Certificates or keys that cannot be used; the message says which part, and why. */
public class BadCertificateException extends Exception {

  private static final long serialVersionUID = 1L;

  /**
   * With a reason.
   *
   * @param message what is wrong, for the log
   */
  public BadCertificateException(String message) {
    super(message);
  }

  /**
   * With a reason and its cause.
   *
   * @param message what is wrong, for the log
   * @param cause what was thrown
   */
  public BadCertificateException(String message, Throwable cause) {
    super(message, cause);
  }
}
