package dev.tensorstack.training.localnode;

/** A container or a volume cannot be set up as its pod asks, for now. */
final class ContainerConfigException extends Exception {
  private static final long serialVersionUID = 1L;
  private final String reason;

  /**
   * A problem in a container's environment.
   *
   * @param message what is missing
   */
  ContainerConfigException(String message) {
    this("CreateContainerConfigError", message);
  }

  /**
   * A problem with the reason that the container waits for.
   *
   * @param reason the reason as a kubelet writes it
   * @param message what is wrong
   */
  ContainerConfigException(String reason, String message) {
    super(message);
    this.reason = reason;
  }

  /**
   * The reason to show while the container waits.
   *
   * @return never null
   */
  String reason() {
    return reason;
  }

  /**
   * The explanation to show while the container waits.
   *
   * @return never null
   */
  String explanation() {
    String message = getMessage();
    return message == null ? reason : message;
  }
}
