package dev.tensorstack.training.runtime;

import dev.tensorstack.training.engine.Leadership;
import dev.tensorstack.training.progress.ProgressReports;
import dev.tensorstack.training.progress.ProgressSettings;
import dev.tensorstack.training.tls.certificate.ServedCertificate;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.net.URI;
import java.util.Optional;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jspecify.annotations.Nullable;

/** Decides, from the settings and the surroundings, where trainings report their progress. */
public class ProgressWiring {

  /**
   * The reports of trainings.
   *
   * @param configuration properties and environment variables
   * @param certificate what is served
   * @param leadership says which replica works on jobs
   * @return not listening yet
   * @throws IllegalArgumentException when a setting is wrong
   */
  @Produces
  @Singleton
  public ProgressReports reports(
      OperatorConfiguration configuration, ServedCertificate certificate, Leadership leadership) {
    return new ProgressReports(settings(configuration), certificate, leadership);
  }

  /** As pods reach this operator: as set, else as the API server does. */
  static ProgressSettings settings(OperatorConfiguration configuration) {
    OperatorConfiguration.Progress progress = configuration.progress();
    OperatorConfiguration.Webhooks webhooks = configuration.webhooks();
    Optional<String> service =
        OwnNamespace.find(configuration.namespace())
            .map(namespace -> webhooks.service() + "." + namespace + ".svc");
    Optional<URI> webhooksUrl = webhooks.url().map(WebhookWiring::checked);
    String host = service.or(() -> webhooksUrl.map(URI::getHost)).orElse("localhost");
    return new ProgressSettings(
        ConfigProvider.getConfig()
            .getOptionalValue("quarkus.http.host", String.class)
            .orElse("0.0.0.0"),
        progress.port(),
        progress.enabled() ? url(progress, webhooksUrl, service) : null,
        progress.ca().orElse(null),
        host);
  }

  private static @Nullable String url(
      OperatorConfiguration.Progress progress,
      Optional<URI> webhooksUrl,
      Optional<String> service) {
    if (progress.url().isPresent()) {
      return WebhookWiring.checked(progress.url().get(), "operator.progress.url", "pods reach")
          .toString();
    }
    return webhooksUrl
        .map(URI::getHost)
        .or(() -> service)
        .map(host -> "https://" + host + ":" + progress.port())
        .orElse(null);
  }
}
