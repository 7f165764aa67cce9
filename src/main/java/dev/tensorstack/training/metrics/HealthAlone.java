package dev.tensorstack.training.metrics;

import dev.tensorstack.training.https.StatusBody;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;

/**
 * Refuses all that the port without TLS serves, but for health: the metrics are elsewhere then, and
 * the answer says where.
 */
public final class HealthAlone implements Handler<RoutingContext> {

  private static final int FORBIDDEN = 403;
  private static final String HEALTH = "/q/health";

  private final int port;

  /**
   * A filter that comes before all routes.
   *
   * @param port where metrics are served over HTTPS
   */
  public HealthAlone(int port) {
    this.port = port;
  }

  @Override
  public void handle(RoutingContext context) {
    if (isHealth(context.normalizedPath())) {
      context.next();
      return;
    }
    context
        .response()
        .setStatusCode(FORBIDDEN)
        .putHeader("Content-Type", "application/json")
        .end(
            new StatusBody(
                    false,
                    FORBIDDEN,
                    "Forbidden",
                    "only "
                        + HEALTH
                        + " is served here, because OPERATOR_METRICS_SECURE is true: get"
                        + " https on port "
                        + port
                        + ", "
                        + AccessReviews.PATH
                        + ", with the bearer token of a service account")
                .json());
  }

  /** Whether a path is the probes', or below theirs. */
  static boolean isHealth(String path) {
    return path.equals(HEALTH) || path.startsWith(HEALTH + "/");
  }
}
