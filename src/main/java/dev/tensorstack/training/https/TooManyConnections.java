package dev.tensorstack.training.https;

/** Is told of connections that are closed at once, because there are too many. */
public interface TooManyConnections {

  /** All have too many together. */
  void ofAll();

  /**
   * One address has too many.
   *
   * @param address an IP address
   */
  void of(String address);
}
