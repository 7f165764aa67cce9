package dev.tensorstack.training.tls.registration;

import jakarta.inject.Singleton;
import java.util.List;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Ready means that the webhooks can be called: the API server knows them and trusts the certificate
 * that their server shows. Nothing else counts, because what is not ready gets no calls, and jobs
 * could not be created any more.
 */
@Readiness
@Singleton
public class WebhookReadiness implements HealthCheck {

  private final WebhookState state;

  /**
   * A check.
   *
   * @param state how things are
   */
  public WebhookReadiness(WebhookState state) {
    this.state = state;
  }

  @Override
  public HealthCheckResponse call() {
    List<String> missing = state.missing();
    HealthCheckResponseBuilder response =
        HealthCheckResponse.named("webhooks").status(missing.isEmpty());
    if (!missing.isEmpty()) {
      response.withData("missing", String.join("; ", missing));
    }
    return response.build();
  }
}
