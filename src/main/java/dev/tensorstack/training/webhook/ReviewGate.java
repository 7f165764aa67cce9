package dev.tensorstack.training.webhook;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * Bounds how many reviews are read and worked on at once, so that nobody who reaches the endpoint
 * can fill the memory with bodies or the API server with dry runs. Others wait for a moment, with
 * their bodies unread; then they get 429 with {@code Retry-After}. The API server asks again as
 * long as the webhook's {@code timeoutSeconds} last, and then its {@code failurePolicy} decides.
 */
@Singleton
public class ReviewGate {

  /** How long a review waits for its turn. */
  static final long PATIENCE_MILLIS = 3_000;

  /** From a review's turn to its answer; who sends slower than this holds up others. */
  static final long LONGEST_MILLIS = 10_000;

  private static final Logger LOG = Logger.getLogger(ReviewGate.class);

  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long NEVER = Long.MIN_VALUE;
  private static final int MOST_WAITING = 1_000;
  private static final int TOO_MANY = 429;
  private static final int BEFORE_ALL_ELSE = 1_000;
  private static final String BUSY =
      """
      {"apiVersion":"v1","kind":"Status","status":"Failure","code":429,"reason":"TooManyRequests",\
      "message":"too many reviews at once"}""";

  private final Turns turns;
  private final Vertx vertx;
  private final AtomicLong lastTold = new AtomicLong(NEVER);

  /**
   * A gate in front of both webhooks.
   *
   * @param vertx the HTTP server's
   * @param atOnce how many reviews pass at once
   */
  public ReviewGate(
      Vertx vertx,
      @ConfigProperty(name = "operator.webhooks.review-parallelism", defaultValue = "64")
          int atOnce) {
    this.vertx = vertx;
    turns = new Turns(atOnce, MOST_WAITING);
  }

  void register(@Observes Filters filters) {
    filters.register(this::enter, BEFORE_ALL_ELSE);
  }

  private void enter(RoutingContext call) {
    Context loop = vertx.getOrCreateContext();
    call.request().pause();
    Turns.Turn turn = turns.ask(begun -> loop.runOnContext(itsTurn -> pass(call, begun)));
    if (turn == null) {
      refuse(call);
      return;
    }
    call.addEndHandler(
        over -> {
          if (!turn.leave()) {
            turn.end();
          }
        });
    long patience =
        vertx.setTimer(
            PATIENCE_MILLIS,
            late -> {
              if (turn.leave()) {
                refuse(call);
              }
            });
    call.addEndHandler(over -> vertx.cancelTimer(patience));
  }

  private void pass(RoutingContext call, Turns.Turn turn) {
    HttpServerResponse response = call.response();
    if (response.ended() || response.closed()) {
      turn.end();
      return;
    }
    long limit =
        vertx.setTimer(
            LONGEST_MILLIS,
            late -> {
              response.reset();
              turn.end();
            });
    call.addEndHandler(over -> vertx.cancelTimer(limit));
    call.request().resume();
    call.next();
  }

  private void refuse(RoutingContext call) {
    long now = System.nanoTime();
    long before = lastTold.get();
    if ((before == NEVER || now - before > QUIET_NANOS) && lastTold.compareAndSet(before, now)) {
      LOG.warn(
          "too many reviews at once: some are refused, and the webhooks' failurePolicy decides;"
              + " who calls, and is operator.webhooks.review-parallelism enough?");
    }
    HttpServerResponse response = call.response();
    if (!response.ended() && !response.closed()) {
      // What is still sent of the body is thrown away.
      call.request().resume();
      response
          .setStatusCode(TOO_MANY)
          .putHeader("Retry-After", "1")
          .putHeader("Content-Type", "application/json")
          .end(BUSY);
    }
  }
}
