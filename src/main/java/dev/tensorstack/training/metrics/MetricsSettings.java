package dev.tensorstack.training.metrics;

/**
 * Whether and where metrics are served over HTTPS.
 *
 * @param secure whether they are, and then nowhere else
 * @param listenOn the address to listen on
 * @param port the port to listen on; 0 for any
 * @param readerRole the ClusterRole that messages name, with which metrics may be read
 */
public record MetricsSettings(boolean secure, String listenOn, int port, String readerRole) {}
