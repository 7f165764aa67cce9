package dev.tensorstack.training.progress;

import dev.tensorstack.training.core.naming.Metric;
import dev.tensorstack.training.engine.DaemonThreads;
import dev.tensorstack.training.https.BearerToken;
import dev.tensorstack.training.https.ConnectionLimits;
import dev.tensorstack.training.https.HttpsListener;
import dev.tensorstack.training.https.PortMessages;
import dev.tensorstack.training.https.StatusBody;
import dev.tensorstack.training.https.TooManyConnections;
import dev.tensorstack.training.progress.ReportAnswer.Result;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.KeyCertOptions;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The HTTPS server to which trainings report. It is not that of the webhooks: it has connections,
 * limits and workers of its own, and may be reached from where those may not. Only the event loops
 * are shared.
 */
final class ProgressServer {

  private static final Logger LOG = Logger.getLogger(ProgressServer.class);

  /** Of a report's body; its metrics are few. */
  static final int MOST_BYTES = 64 << 10;

  /** Of one address: a node's, where pods use its network. */
  private static final int OF_ONE_ADDRESS = 100;

  /** A report takes moments; whoever sends it drop by drop holds a place of others. */
  private static final Duration LONGEST_CONNECTION = Duration.ofSeconds(30);

  private static final ConnectionLimits LIMITS =
      new ConnectionLimits(2_000, OF_ONE_ADDRESS, LONGEST_CONNECTION);

  private static final PortMessages MESSAGES =
      new PortMessages(
          "trainings report their progress",
          "trainings cannot report their progress, and no hang is found",
          "OPERATOR_PROGRESS_PORT");

  private static final int WAITING = 512;
  private static final int THREADS = 4;

  private static final Pattern PATH =
      Pattern.compile("/progress/([a-z]{1,63})/([a-z0-9.-]{1,253})/([a-z0-9.-]{1,253})");

  private final Vertx vertx;
  private final Map<Result, Counter> counts;
  private final Function<ReportRequest, @Nullable String> leader;
  private final ReportHandler handler;
  private final ReportForwarding forwarding;
  private final MissedReports missed;
  private final HttpsListener listener;
  private final ThreadPoolExecutor workers =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          60,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(WAITING),
          new DaemonThreads("progress"));

  /**
   * A server that does not listen yet.
   *
   * @param leader says where the replica is that works on jobs: null when it is this one, an empty
   *     text when nobody knows
   * @param handler decides on reports
   * @param forwarding passes reports on
   * @param registry counts reports by their answers
   * @param missed is told when a report is turned away that may have been a good one
   */
  ProgressServer(
      Vertx vertx,
      Function<ReportRequest, @Nullable String> leader,
      ReportHandler handler,
      ReportForwarding forwarding,
      MeterRegistry registry,
      MissedReports missed) {
    this.missed = missed;
    this.vertx = vertx;
    this.leader = leader;
    this.handler = handler;
    this.forwarding = forwarding;
    this.counts = new EnumMap<>(Result.class);
    for (Result result : Result.values()) {
      counts.put(
          result,
          Counter.builder(Metric.PROGRESS_REPORTS.meter())
              .description(Metric.PROGRESS_REPORTS.description())
              .tag("result", result.label())
              .register(registry));
    }
    this.listener =
        new HttpsListener(
            vertx,
            LIMITS,
            MESSAGES,
            new TooManyConnections() {
              @Override
              public void ofAll() {
                missed.ofAnybody();
              }

              @Override
              public void of(String address) {
                missed.from(address);
              }
            });
    workers.allowCoreThreadTimeOut(true);
  }

  /**
   * Listens.
   *
   * @param host the address to listen on
   * @param port the port; 0 for any
   * @param keys the certificate, asked for at each handshake
   */
  void start(String host, int port, KeyCertOptions keys) {
    listener.start(host, port, keys, this::receive);
  }

  /** Listens no more. */
  void stop() {
    listener.stop();
    workers.shutdownNow();
  }

  /** Whether the port is listened on. */
  boolean listens() {
    return listener.listens();
  }

  /** The port that it listens on. */
  int port() {
    return listener.port();
  }

  private void receive(HttpServerRequest request) {
    Matcher path = PATH.matcher(String.valueOf(request.path()));
    if (!path.matches()) {
      refuse(
          request,
          new ReportAnswer(Result.NOT_FOUND, "reports go to $KUBEFLOW_TRAINER_SERVER_URL"));
      return;
    }
    if (request.method() != HttpMethod.POST) {
      refuse(request, new ReportAnswer(Result.MALFORMED, "a report is a POST"));
      return;
    }
    Buffer body = Buffer.buffer();
    boolean[] tooLarge = new boolean[1];
    request.handler(
        part -> {
          if (body.length() + part.length() > MOST_BYTES) {
            if (!tooLarge[0]) {
              tooLarge[0] = true;
              refuse(
                  request,
                  new ReportAnswer(
                      Result.TOO_LARGE, "a report has at most " + MOST_BYTES + " bytes"));
            }
          } else {
            body.appendBuffer(part);
          }
        });
    request.endHandler(
        end -> {
          if (!tooLarge[0]) {
            decide(
                request,
                new ReportRequest(
                    path.group(1),
                    path.group(2),
                    path.group(3),
                    BearerToken.of(request.getHeader("Authorization")),
                    body.getBytes(),
                    String.valueOf(request.remoteAddress().hostAddress()),
                    ReportForwarding.isPassedOn(request)));
          }
        });
  }

  private void decide(HttpServerRequest request, ReportRequest report) {
    String address = leader.apply(report);
    if (address == null) {
      Context context = vertx.getOrCreateContext();
      try {
        workers.execute(
            () -> {
              ReportAnswer answer = decided(report);
              context.runOnContext(now -> answer(request, answer));
            });
      } catch (RejectedExecutionException full) {
        missed.ofAnybody();
        answer(request, new ReportAnswer(Result.UNAVAILABLE, "too many reports wait", 5));
      }
    } else if (address.isEmpty() || report.passedOn()) {
      answer(
          request,
          new ReportAnswer(
              Result.UNAVAILABLE, "no replica of the operator works on jobs at this moment", 5));
    } else {
      forwarding.passOn(request, report, address);
    }
  }

  private ReportAnswer decided(ReportRequest report) {
    try {
      return handler.answer(report);
    } catch (RuntimeException mistake) {
      missed.ofAnybody();
      LOG.errorf(mistake, "a report for %s/%s could not be read", report.namespace(), report.job());
      return new ReportAnswer(Result.UNAVAILABLE, "the report could not be taken", 5);
    }
  }

  /** What more of it may come is not read. */
  private void refuse(HttpServerRequest request, ReportAnswer answer) {
    request.response().putHeader("Connection", "close");
    answer(request, answer).onComplete(told -> request.connection().close());
  }

  private Future<Void> answer(HttpServerRequest request, ReportAnswer answer) {
    Result result = answer.result();
    Objects.requireNonNull(counts.get(result)).increment();
    if (request.response().ended() || request.response().closed()) {
      return Future.succeededFuture();
    }
    if (answer.retryAfter() != null) {
      request.response().putHeader("Retry-After", String.valueOf(answer.retryAfter()));
    }
    return request
        .response()
        .setStatusCode(result.code())
        .putHeader("Content-Type", "application/json")
        .end(
            new StatusBody(
                    result == Result.ACCEPTED, result.code(), result.reason(), answer.message())
                .json());
  }
}
