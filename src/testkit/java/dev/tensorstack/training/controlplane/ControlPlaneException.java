package dev.tensorstack.training.controlplane;

/** The control plane could not be provided, started or used; the message says what to do. */
public final class ControlPlaneException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ControlPlaneException(String message) {
    super(message);
  }

  ControlPlaneException(String message, Throwable cause) {
    super(message, cause);
  }
}
