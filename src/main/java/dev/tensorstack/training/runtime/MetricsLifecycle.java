package dev.tensorstack.training.runtime;

import dev.tensorstack.training.metrics.HealthAlone;
import dev.tensorstack.training.metrics.SecureMetrics;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.ManagementInterface;
import io.vertx.core.Vertx;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Clock;

/**
 * Serves metrics over HTTPS from the start of the application to its end, if the settings say so,
 * and then no longer beside health.
 */
@Singleton
public class MetricsLifecycle {

  /** Before the routes of all extensions. */
  private static final int FIRST = Integer.MIN_VALUE;

  private final SecureMetrics metrics;

  /**
   * A lifecycle.
   *
   * @param metrics listens
   */
  public MetricsLifecycle(SecureMetrics metrics) {
    this.metrics = metrics;
  }

  void close(@Observes ManagementInterface management) {
    if (metrics.settings().secure()) {
      management.router().route().order(FIRST).handler(new HealthAlone(metrics.settings().port()));
    }
  }

  /**
   * The registry is the one that the extension makes, of the client for Prometheus before the new
   * one.
   */
  @SuppressWarnings("deprecation")
  void begin(
      @Observes StartupEvent started,
      Vertx vertx,
      KubernetesClient client,
      Clock clock,
      PrometheusMeterRegistry registry) {
    metrics.start(vertx, client, clock, registry::scrape);
  }

  void end(@Observes ShutdownEvent stopped) {
    metrics.stop();
  }
}
