package dev.tensorstack.training.metrics;

import dev.tensorstack.training.https.AnswersByToken;
import dev.tensorstack.training.https.RateLimit;
import dev.tensorstack.training.metrics.MetricsAnswer.Refusal;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Function;
import org.jboss.logging.Logger;

/** Decides who gets the metrics. Safe for use by several threads. */
final class MetricsHandler {

  private static final Logger LOG = Logger.getLogger(MetricsHandler.class);

  /** Each Prometheus has a token, and a new one every hour or so. */
  private static final int KEPT = 1_000;

  /** Tokens that are refused, of one address: each may cost two calls to the API server. */
  private static final int MISTAKES_AT_ONCE = 10;

  private static final Duration BETWEEN_MISTAKES = Duration.ofSeconds(2);
  private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

  /** Longer than any token of a service account. */
  private static final int LONGEST_TOKEN = 16_384;

  private static final int SOON = 5;

  private final Function<String, Verdict> reviews;
  private final Exposition exposition;
  private final String remedy;
  private final AnswersByToken<Verdict> verdicts;
  private final RateLimit<String> mistakes = new RateLimit<>(MISTAKES_AT_ONCE, BETWEEN_MISTAKES);
  private final RateLimit<String> warnings = new RateLimit<>(1, BETWEEN_WARNINGS);

  /**
   * A handler.
   *
   * @param reviews says whether the user of a token may read metrics; fails when nobody knows
   * @param exposition writes the metrics
   * @param readerRole the ClusterRole that messages name
   * @param clock the time
   */
  MetricsHandler(
      Function<String, Verdict> reviews, Exposition exposition, String readerRole, Clock clock) {
    this.reviews = reviews;
    this.exposition = exposition;
    this.remedy =
        "grant get on the nonResourceURL "
            + AccessReviews.PATH
            + ": bind the ClusterRole "
            + readerRole
            + " to it";
    this.verdicts = new AnswersByToken<>(KEPT, Verdict::isAllowed, Verdict::valid, clock);
  }

  /**
   * The answer to a request; it may take two calls to the API server.
   *
   * @param request who asks for what
   * @return the metrics, or why there are none
   */
  MetricsAnswer answer(MetricsRequest request) {
    String token = request.token();
    if (token == null || token.isEmpty() || token.length() > LONGEST_TOKEN) {
      return MetricsAnswer.refused(
          Refusal.UNAUTHENTICATED,
          "the header Authorization: Bearer TOKEN is missing: send the token of a service account");
    }
    boolean isKnown = verdicts.isKnown(token);
    if (!isKnown && !mistakes.has(request.sender())) {
      return MetricsAnswer.refused(
          Refusal.TOO_MANY,
          "too many tokens of this address were refused",
          (int) BETWEEN_MISTAKES.toSeconds());
    }
    Verdict verdict;
    try {
      verdict = verdicts.answer(token, reviews);
    } catch (KubernetesClientException away) {
      return unknown(away);
    }
    if (!verdict.isAllowed() && !isKnown) {
      boolean unused = mistakes.take(request.sender());
    }
    return switch (verdict.access()) {
      case UNAUTHENTICATED ->
          MetricsAnswer.refused(
              Refusal.UNAUTHENTICATED,
              "the API server does not accept the token: send one of a service account that is"
                  + " still valid, for the API server's audience");
      case FORBIDDEN ->
          MetricsAnswer.refused(
              Refusal.FORBIDDEN,
              "user " + verdict.user() + " may not get " + AccessReviews.PATH + ": " + remedy);
      case ALLOWED -> {
        String format = ExpositionFormat.of(request.accept());
        yield MetricsAnswer.of(format, exposition.text(format));
      }
    };
  }

  private MetricsAnswer unknown(KubernetesClientException away) {
    boolean refused = away.getCode() == HttpURLConnection.HTTP_FORBIDDEN;
    if (warnings.take("")) {
      LOG.warnf(
          "metrics are not told: the API server does not say who may read them: %s%s",
          away.getMessage(),
          refused
              ? "; give the operator's service account create on tokenreviews.authentication.k8s.io"
                  + " and subjectaccessreviews.authorization.k8s.io"
              : "");
    }
    return MetricsAnswer.refused(
        Refusal.UNAVAILABLE,
        refused
            ? "the operator may not ask the API server who may read metrics: see its log"
            : "the API server does not say who may read metrics",
        SOON);
  }
}
