package dev.tensorstack.training.tls.registration;

import dev.tensorstack.training.core.naming.Metric;
import dev.tensorstack.training.tls.certificate.BadCertificateException;
import dev.tensorstack.training.tls.certificate.CertificateSource;
import dev.tensorstack.training.tls.certificate.ClientAuthorities;
import dev.tensorstack.training.tls.certificate.ServedCertificate;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.vertx.http.HttpsServerStart;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Looks after the webhooks from the moment their server listens until the operator ends, on a
 * thread of its own. Nothing that goes wrong here ends the operator; it is tried again.
 */
@Singleton
public class WebhookLoop {

  private static final Logger LOG = Logger.getLogger(WebhookLoop.class);

  private static final Duration SOON = Duration.ofMillis(500);
  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(5);

  private final WebhookKeeper keeper;
  private final Registration registration;
  private final ClientAuthorities clients;
  private final WebhookState state;
  private final Duration checkInterval;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread daemon = new Thread(task, "webhooks");
            daemon.setDaemon(true);
            return daemon;
          });

  private Duration retry = FIRST_RETRY;
  private @Nullable String logged;

  /**
   * A loop, which begins with the server.
   *
   * @param source the certificate
   * @param registration the API server's side
   * @param served what is served
   * @param clients who may call
   * @param timing when to look
   * @param state how things are, for others
   * @param clock the time
   * @param metrics gets the time at which the certificate expires
   */
  public WebhookLoop(
      CertificateSource source,
      Registration registration,
      ServedCertificate served,
      ClientAuthorities clients,
      WebhookTiming timing,
      WebhookState state,
      Clock clock,
      MeterRegistry metrics) {
    this.keeper = new WebhookKeeper(source, registration, served, timing.trustDelay(), clock);
    this.registration = registration;
    this.clients = clients;
    this.state = state;
    this.checkInterval = timing.checkInterval();
    Gauge.builder(
            Metric.CERTIFICATE_EXPIRY.meter(),
            served,
            present ->
                present.isTemporary()
                    ? Double.NaN
                    : present.material().serving().notAfter().getEpochSecond())
        .description(Metric.CERTIFICATE_EXPIRY.description())
        .strongReference(true)
        .register(metrics);
  }

  void begin(@ObservesAsync HttpsServerStart listening) {
    state.listening();
    look(Duration.ZERO);
  }

  /** While the server still listens, so that no call is refused. */
  void end(@Observes ShutdownDelayInitiatedEvent stopping) {
    state.stopping();
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("the last look at the webhooks does not end");
      }
      // API servers notice a moment later, and may call until then: quarkus.shutdown.delay.
      registration.remove();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException problem) {
      LOG.warnf(
          "the webhooks could not be taken back: %s; if the operator does not come back, delete"
              + " its webhook configurations, or no job can be created",
          problem.getMessage());
    }
  }

  private void look(Duration delay) {
    try {
      var unused = thread.schedule(this::lookAndAgain, delay.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException stopped) {
      LOG.debug("no further look at the webhooks", stopped);
    }
  }

  private void lookAndAgain() {
    Duration next;
    try {
      Registration.Outcome outcome = keeper.look().with(clients.refresh());
      state.looked(outcome);
      logOnce(String.join("; ", outcome.problems()));
      retry = FIRST_RETRY;
      next = outcome.changed() ? SOON : checkInterval;
    } catch (BadCertificateException | RuntimeException problem) {
      String message = Objects.toString(problem.getMessage(), problem.toString());
      state.couldNotLook(message);
      logOnce(message);
      next = retry;
      // Not beyond what is used: an API server may be away for days.
      retry = shorter(retry.multipliedBy(2), checkInterval);
    }
    look(shorter(next, checkInterval));
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /** The same problem is told once, and its end too. */
  private void logOnce(String problem) {
    if (problem.equals(logged) || (problem.isEmpty() && logged == null)) {
      return;
    }
    if (problem.isEmpty()) {
      LOG.info("the webhooks are all right again");
      logged = null;
    } else {
      LOG.warnf("webhooks: %s; it is tried again", problem);
      logged = problem;
    }
  }
}
