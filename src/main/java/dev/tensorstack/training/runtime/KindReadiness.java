package dev.tensorstack.training.runtime;

import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Says which kinds are not worked on, and why; of several replicas the leader does. It is never
 * down: the webhooks, which are called where the pod is ready, serve all kinds.
 */
@Readiness
@Singleton
public class KindReadiness implements HealthCheck {

  private final KindStates states;

  /**
   * A check.
   *
   * @param states how it stands with the kinds
   */
  public KindReadiness(KindStates states) {
    this.states = states;
  }

  @Override
  public HealthCheckResponse call() {
    HealthCheckResponseBuilder response = HealthCheckResponse.named("kinds").up();
    states.obstacles().forEach(response::withData);
    return response.build();
  }
}
