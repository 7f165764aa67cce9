package dev.tensorstack.training.progress;

import dev.tensorstack.training.core.pod.ProgressEndpoint;
import dev.tensorstack.training.engine.Leadership;
import dev.tensorstack.training.tls.certificate.BadCertificateException;
import dev.tensorstack.training.tls.certificate.ServedAuthorities;
import dev.tensorstack.training.tls.certificate.ServedCertificate;
import dev.tensorstack.training.tls.certificate.TrustBundle;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The reports of trainings: where pods send them, and the server that takes them. */
public final class ProgressReports {

  private static final Logger LOG = Logger.getLogger(ProgressReports.class);
  private static final Duration FILE_VALID = Duration.ofSeconds(60);

  private final ProgressSettings settings;
  private final ServedCertificate certificate;
  private final Leadership leadership;
  private volatile @Nullable ProgressServer server;
  private volatile @Nullable FromFile fromFile;

  private record FromFile(TrustBundle bundle, long at) {}

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
    if (url == null || certificate.isTemporary()) {
      return null;
    }
    TrustBundle authorities = authorities();
    return authorities.isEmpty() ? null : new ProgressEndpoint(url, authorities.pem());
  }

  /** What is known of a file stays in use when it cannot be read any more. */
  private TrustBundle authorities() {
    Path file = settings.authorities();
    if (file == null) {
      return certificate.material().trust();
    }
    long now = System.nanoTime();
    FromFile known = fromFile;
    if (known != null && now - known.at() < FILE_VALID.toNanos()) {
      return known.bundle();
    }
    TrustBundle bundle = known == null ? TrustBundle.EMPTY : known.bundle();
    try {
      bundle =
          TrustBundle.ofPem(file.toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
    } catch (IOException | BadCertificateException unusable) {
      LOG.warnf(
          "the authorities for pods cannot be used (OPERATOR_PROGRESS_CA): %s; %s",
          unusable,
          bundle.isEmpty()
              ? "new pods are not told where to report their progress"
              : "those before stay in use");
    }
    fromFile = new FromFile(bundle, now);
    return bundle;
  }

  /**
   * Whether reports can be received.
   *
   * @return false before the port is listened on, and while somebody else has it
   */
  public boolean listens() {
    ProgressServer listening = server;
    return listening != null && listening.listens();
  }

  /**
   * Waits until pods can be told where to report: those that are created before never are.
   *
   * @param patience how long at most
   * @throws InterruptedException when the thread is interrupted
   */
  public void awaitCertificate(Duration patience) throws InterruptedException {
    if (settings.url() != null && !certificate.await(patience)) {
      LOG.warnf(
          "there is no certificate after %s: pods are not told where to report their progress until"
              + " there is one",
          patience);
    }
  }

  /**
   * Listens, unless it is switched off.
   *
   * @param vertx makes servers and clients
   * @param client talks to the API server
   * @param clock the time
   * @param registry where counts go
   * @param receivers take the reports; asked for only when it listens
   * @param missed is told when a report is turned away that may have been a good one
   */
  public void start(
      Vertx vertx,
      KubernetesClient client,
      Clock clock,
      MeterRegistry registry,
      Supplier<ReportReceivers> receivers,
      MissedReports missed) {
    if (settings.url() == null) {
      return;
    }
    ProgressServer created =
        new ProgressServer(
            vertx,
            report ->
                leadership.leads() ? null : Objects.requireNonNullElse(leadership.leader(), ""),
            new ReportHandler(receivers.get().byPlural(), new TokenReviews(client, clock), missed),
            new ReportForwarding(
                vertx, new ServedAuthorities(this::authorities), settings::host, settings::port),
            registry,
            missed);
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
