package dev.tensorstack.training.tryout;

/** There is no Python with PyTorch, and none could be made. The message says what to install. */
public final class PythonEnvironmentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message for the person at the keyboard, several lines
   */
  public PythonEnvironmentException(String message) {
    super(message);
  }

  /**
   * @param message for the person at the keyboard, several lines
   * @param cause what went wrong underneath
   */
  public PythonEnvironmentException(String message, Throwable cause) {
    super(message, cause);
  }
}
