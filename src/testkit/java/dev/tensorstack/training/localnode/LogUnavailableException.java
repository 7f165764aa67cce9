package dev.tensorstack.training.localnode;

/** There is no log to show. */
final class LogUnavailableException extends Exception {
  private static final long serialVersionUID = 1L;
  private final int status;

  /**
   * The problem and how HTTP says it.
   *
   * @param status the HTTP status
   * @param message what {@code kubectl} shows
   */
  LogUnavailableException(int status, String message) {
    super(message);
    this.status = status;
  }

  /**
   * The HTTP status.
   *
   * @return 400 or 404
   */
  int status() {
    return status;
  }

  @Override
  public String toString() {
    return String.valueOf(getMessage());
  }
}
