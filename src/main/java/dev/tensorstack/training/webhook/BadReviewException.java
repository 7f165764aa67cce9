package dev.tensorstack.training.webhook;

/**
 * A request that is no admission review this operator can answer. The message is for its sender.
 */
final class BadReviewException extends Exception {

  private static final long serialVersionUID = 1L;

  BadReviewException(String message) {
    super(message);
  }
}
