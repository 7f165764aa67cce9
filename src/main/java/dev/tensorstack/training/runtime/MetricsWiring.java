package dev.tensorstack.training.runtime;

import dev.tensorstack.training.metrics.MetricsSettings;
import dev.tensorstack.training.metrics.SecureMetrics;
import dev.tensorstack.training.tls.certificate.ServedCertificate;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.ConfigProvider;

/** Decides, from the settings, whether metrics are served over HTTPS. */
public class MetricsWiring {

  /** After the name of the Service, as the chart names the role. */
  private static final String READER = "-reader";

  /**
   * The metrics over HTTPS.
   *
   * @param configuration properties and environment variables
   * @param certificate what is served
   * @return not listening yet
   */
  @Produces
  @Singleton
  public SecureMetrics secureMetrics(
      OperatorConfiguration configuration, ServedCertificate certificate) {
    OperatorConfiguration.Metrics metrics = configuration.metrics();
    return new SecureMetrics(
        new MetricsSettings(
            metrics.secure(),
            ConfigProvider.getConfig()
                .getOptionalValue("quarkus.http.host", String.class)
                .orElse("0.0.0.0"),
            metrics.securePort(),
            metrics.service() + READER),
        certificate);
  }
}
