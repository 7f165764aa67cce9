package dev.tensorstack.training.webhook.certificate;

import io.quarkus.tls.CertificateUpdatedEvent;
import io.quarkus.tls.TlsConfiguration;
import io.quarkus.tls.TlsConfigurationRegistry;
import jakarta.enterprise.event.Event;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;

/** Exchanges the certificate of the HTTPS server while it runs: new connections get the new one. */
@Singleton
public class TlsServer {

  private static final Logger LOG = Logger.getLogger(TlsServer.class);

  private final ServedCertificate served;
  private final TlsConfigurationRegistry registry;
  private final Event<CertificateUpdatedEvent> event;

  /**
   * The server's side.
   *
   * @param served its key store
   * @param registry its TLS configuration
   * @param event tells the server
   */
  public TlsServer(
      ServedCertificate served,
      TlsConfigurationRegistry registry,
      Event<CertificateUpdatedEvent> event) {
    this.served = served;
    this.registry = registry;
    this.event = event;
  }

  /**
   * Serves another certificate; returns when the server does. The server has to be listening.
   *
   * @param material the certificate
   */
  public void serve(CertificateMaterial material) {
    TlsConfiguration configuration =
        registry.get(ServedCertificate.TLS_CONFIGURATION).orElseThrow();
    if (!served.exchange(material, configuration::reload)) {
      throw new IllegalStateException(
          "the HTTPS server cannot use the new certificate, " + material.serving());
    }
    event.fire(new CertificateUpdatedEvent(ServedCertificate.TLS_CONFIGURATION, configuration));
    LOG.infof("the webhooks serve %s", material.serving());
  }
}
