package dev.tensorstack.training.tryout;

/** A step of the try-out has not led where it had to; the message says which and why. */
final class StepFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * @param message which step, and what is not as promised
   */
  StepFailedException(String message) {
    super(message);
  }
}
