package dev.tensorstack.training.kubectl.api;

/** The kubeconfig names a program or a file that should give credentials, and it gives none. */
public final class CredentialException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * A failure.
   *
   * @param message a sentence for the user
   */
  CredentialException(String message) {
    super(message);
  }

  /**
   * A failure with a cause.
   *
   * @param message a sentence for the user
   * @param cause why
   */
  CredentialException(String message, Throwable cause) {
    super(message, cause);
  }
}
