package dev.tensorstack.training.metrics;

import dev.tensorstack.training.tls.certificate.ServedCertificate;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.vertx.core.Vertx;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/** The metrics over HTTPS, on each replica of the operator. */
public final class SecureMetrics {

  private final MetricsSettings settings;
  private final ServedCertificate certificate;
  private volatile @Nullable MetricsServer server;

  /**
   * Nobody listens yet.
   *
   * @param settings whether and where to listen
   * @param certificate what is served
   */
  public SecureMetrics(MetricsSettings settings, ServedCertificate certificate) {
    this.settings = settings;
    this.certificate = certificate;
  }

  /**
   * The settings.
   *
   * @return whether and where metrics are served over HTTPS
   */
  public MetricsSettings settings() {
    return settings;
  }

  /**
   * Listens, if metrics are to be secure.
   *
   * @param vertx makes servers
   * @param client asks the API server who may read metrics
   * @param clock the time
   * @param exposition writes the metrics
   */
  public void start(Vertx vertx, KubernetesClient client, Clock clock, Exposition exposition) {
    if (!settings.secure()) {
      return;
    }
    MetricsServer created =
        new MetricsServer(
            vertx,
            new MetricsHandler(
                new AccessReviews(client)::verdict, exposition, settings.readerRole(), clock));
    server = created;
    created.start(settings.listenOn(), settings.port(), certificate.keys());
  }

  /** Listens no more. */
  public void stop() {
    MetricsServer listening = server;
    if (listening != null) {
      listening.stop();
    }
  }
}
