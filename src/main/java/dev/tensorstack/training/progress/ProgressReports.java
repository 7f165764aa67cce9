package dev.tensorstack.training.progress;

import dev.tensorstack.training.core.pod.ProgressEndpoint;
import dev.tensorstack.training.engine.Leadership;
import dev.tensorstack.training.engine.ReportInbox;
import dev.tensorstack.training.tls.certificate.ServedCertificate;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The reports of trainings: where pods send them, and the server that takes them. */
public final class ProgressReports {

  private final ProgressSettings settings;
  private final ServedCertificate certificate;
  private final Leadership leadership;
  private volatile @Nullable ProgressServer server;

  /**
   * Nobody listens yet.
   *
   * @param settings whether and where to listen
   * @param certificate what is served
   * @param leadership says which replica works on jobs
   */
  public ProgressReports(
      ProgressSettings settings, ServedCertificate certificate, Leadership leadership) {
    this.settings = settings;
    this.certificate = certificate;
    this.leadership = leadership;
  }

  /**
   * Where pods report.
   *
   * @return null when they cannot: it is switched off, or there is no certificate that they could
   *     check
   */
  public @Nullable ProgressEndpoint endpoint() {
    String url = settings.url();
    ProgressServer listening = server;
    if (url == null || certificate.isTemporary() || (listening != null && listening.hasFailed())) {
      return null;
    }
    String authorities = certificate.material().trust().pem();
    return authorities.isBlank() ? null : new ProgressEndpoint(url, authorities);
  }

  /**
   * Whether pods that were created now would not be told where to report, although they are to be.
   *
   * @return true until there is a certificate
   */
  public boolean isNotReady() {
    return settings.url() != null && certificate.isTemporary();
  }

  /**
   * Listens, unless it is switched off.
   *
   * @param inboxes take the reports, by the plural of the kind
   */
  public void start(
      Vertx vertx,
      KubernetesClient client,
      Clock clock,
      MeterRegistry registry,
      Supplier<Map<String, ReportInbox>> inboxes) {
    if (settings.url() == null) {
      return;
    }
    ProgressServer created =
        new ProgressServer(
            vertx,
            report ->
                leadership.leads() ? null : Objects.requireNonNullElse(leadership.leader(), ""),
            new ReportDesk(inboxes.get(), new TokenReviews(client, clock)),
            new ReportForwarding(vertx, certificate.authorities(), settings::host, settings::port),
            registry);
    server = created;
    created.start(settings.listenOn(), settings.port(), certificate.keys());
  }

  /** Listens no more. */
  public void stop() {
    ProgressServer listening = server;
    if (listening != null) {
      listening.stop();
    }
  }
}
