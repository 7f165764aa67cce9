package dev.tensorstack.training.progress;

import dev.tensorstack.training.core.naming.Metric;
import dev.tensorstack.training.engine.DaemonThreads;
import dev.tensorstack.training.progress.ReportAnswer.Result;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.KeyCertOptions;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

  private static final int CONNECTIONS = 2_000;

  /** Of one address: a node's, where pods use its network. */
  private static final int OF_ONE_ADDRESS = 100;

  /** A report takes moments; whoever sends it drop by drop holds a place of others. */
  private static final long LONGEST_CONNECTION_MILLIS = 30_000;

  private static final int WAITING = 512;
  private static final int THREADS = 4;
  private static final int IDLE_SECONDS = 10;
  private static final int HANDSHAKE_SECONDS = 5;
  private static final int MOST_OF_HEADERS = 24 << 10;

  private static final Pattern PATH =
      Pattern.compile("/progress/([a-z]{1,63})/([a-z0-9.-]{1,253})/([a-z0-9.-]{1,253})");

  private static final String BEARER = "Bearer ";

  private final Vertx vertx;
  private final Map<Result, Counter> counts;
  private final Function<ReportRequest, @Nullable String> leader;
  private final ReportHandler handler;
  private final ReportForwarding forwarding;
  private final MissedReports missed;
  private final AtomicInteger connections = new AtomicInteger();
  private final Map<String, Integer> byAddress = new ConcurrentHashMap<>();
  private final ThreadPoolExecutor workers =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          60,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(WAITING),
          new DaemonThreads("progress"));

  /** Somebody else may give the port back. */
  private static final long BETWEEN_TRIES_MILLIS = 5_000;

  private volatile @Nullable HttpServer server;
  private volatile boolean listens;
  private volatile boolean stopped;

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
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost(host)
            .setPort(port)
            .setSsl(true)
            .setKeyCertOptions(keys)
            .setEnabledSecureTransportProtocols(Set.of("TLSv1.3", "TLSv1.2"))
            .setUseAlpn(false)
            .setMaxHeaderSize(MOST_OF_HEADERS)
            .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
            .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS)
            .setIdleTimeout(IDLE_SECONDS);
    listen(options, false);
  }

  /** A server that could not listen once never can. */
  private void listen(HttpServerOptions options, boolean told) {
    if (stopped) {
      return;
    }
    HttpServer created =
        vertx
            .createHttpServer(options)
            .connectionHandler(this::count)
            .requestHandler(this::receive);
    server = created;
    created
        .listen()
        .onSuccess(
            listening -> {
              listens = true;
              LOG.infof("trainings report their progress on port %d", listening.actualPort());
            })
        .onFailure(
            problem -> {
              if (!told) {
                LOG.errorf(
                    "trainings cannot report their progress, and no hang is found: port %d cannot"
                        + " be listened on: %s; it is tried again every %d s: free it, or set"
                        + " OPERATOR_PROGRESS_PORT to another one",
                    options.getPort(), problem.getMessage(), BETWEEN_TRIES_MILLIS / 1_000);
              }
              long unused = vertx.setTimer(BETWEEN_TRIES_MILLIS, over -> listen(options, true));
            });
  }

  /** Listens no more. */
  void stop() {
    stopped = true;
    HttpServer listening = server;
    if (listening != null) {
      listening.close();
    }
    workers.shutdownNow();
  }

  /** Whether the port is listened on. */
  boolean listens() {
    return listens;
  }

  /** The port that it listens on. */
  int port() {
    HttpServer listening = server;
    return listening == null ? 0 : listening.actualPort();
  }

  private void count(HttpConnection connection) {
    String address = String.valueOf(connection.remoteAddress().hostAddress());
    int all = connections.incrementAndGet();
    int ofAddress = byAddress.merge(address, 1, Integer::sum);
    long end = vertx.setTimer(LONGEST_CONNECTION_MILLIS, over -> connection.close());
    connection.closeHandler(
        closed -> {
          vertx.cancelTimer(end);
          connections.decrementAndGet();
          byAddress.computeIfPresent(address, (any, number) -> number == 1 ? null : number - 1);
        });
    if (all > CONNECTIONS) {
      missed.ofAnybody();
      connection.close();
    } else if (ofAddress > OF_ONE_ADDRESS) {
      missed.from(address);
      connection.close();
    }
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
                    token(request.getHeader("Authorization")),
                    body.getBytes(),
                    String.valueOf(request.remoteAddress().hostAddress()),
                    ReportForwarding.isPassedOn(request)));
          }
        });
  }

  private static @Nullable String token(@Nullable String authorization) {
    return authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? authorization.substring(BEARER.length()).strip()
        : null;
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
            new JsonObject()
                .put("kind", "Status")
                .put("apiVersion", "v1")
                .put("status", result == Result.ACCEPTED ? "Success" : "Failure")
                .put("message", answer.message())
                .put("reason", result.reason())
                .put("code", result.code())
                .encode());
  }
}
