package dev.tensorstack.training.https;

/**
 * What the log says of a port.
 *
 * @param listening what happens there, as the begin of a sentence that ends with the port
 * @param failure what cannot happen while somebody else has the port
 * @param setting the environment variable with which another port is chosen
 */
public record PortMessages(String listening, String failure, String setting) {}
