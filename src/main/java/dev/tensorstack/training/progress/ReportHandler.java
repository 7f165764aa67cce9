package dev.tensorstack.training.progress;

import dev.tensorstack.training.engine.ReportReceiver;
import dev.tensorstack.training.https.RateLimit;
import dev.tensorstack.training.progress.ReportAnswer.Result;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Map;
import org.jboss.logging.Logger;

/**
 * Decides on a report, on the replica that works on jobs: is it one, who sends it, may that pod
 * report for this job, and not too often?
 */
final class ReportHandler {

  private static final Logger LOG = Logger.getLogger(ReportHandler.class);

  /** Of a pod, in which several processes may report: some at once, and then five each second. */
  private static final int REPORTS_AT_ONCE = 20;

  private static final Duration BETWEEN_REPORTS = Duration.ofMillis(200);

  /** Tokens that prove nothing, of one address: each may cost a call to the API server. */
  private static final int MISTAKES_AT_ONCE = 10;

  private static final Duration BETWEEN_MISTAKES = Duration.ofSeconds(10);

  private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

  /** Longer than any token of a pod. */
  private static final int LONGEST_TOKEN = 16_384;

  private final Map<String, ReportReceiver> receivers;
  private final TokenReviews tokens;
  private final MissedReports missed;
  private final RateLimit<String> reports = new RateLimit<>(REPORTS_AT_ONCE, BETWEEN_REPORTS);
  private final RateLimit<String> mistakes = new RateLimit<>(MISTAKES_AT_ONCE, BETWEEN_MISTAKES);
  private final RateLimit<String> warnings = new RateLimit<>(1, BETWEEN_WARNINGS);
  private final RateLimit<String> passedOn =
      new RateLimit<>(10 * MISTAKES_AT_ONCE, BETWEEN_MISTAKES.dividedBy(10));

  /**
   * A handler.
   *
   * @param receivers take reports, by the plural of the kind
   * @param tokens say who sends a report
   * @param missed is told when a report is turned away that may have been a good one
   */
  ReportHandler(Map<String, ReportReceiver> receivers, TokenReviews tokens, MissedReports missed) {
    this.missed = missed;
    this.receivers = Map.copyOf(receivers);
    this.tokens = tokens;
  }

  /** The answer to a report; it may take a call to the API server. */
  ReportAnswer answer(ReportRequest request) {
    ReportReceiver receiver = receivers.get(request.plural());
    if (receiver == null) {
      return new ReportAnswer(
          Result.NOT_FOUND, "no jobs of the kind " + request.plural() + " report here");
    }
    String token = request.token();
    if (token == null || token.isEmpty() || token.length() > LONGEST_TOKEN) {
      return new ReportAnswer(
          Result.UNAUTHENTICATED,
          "the header Authorization: Bearer TOKEN is missing, with the pod's token");
    }
    // Another replica speaks for all pods that it was asked by.
    RateLimit<String> limit = request.passedOn() ? passedOn : mistakes;
    boolean isKnown = tokens.isKnown(token);
    if (!isKnown && !limit.has(request.sender())) {
      missed.from(request.sender());
      return new ReportAnswer(
          Result.TOO_MANY,
          "too many tokens of this address proved nothing",
          (int) BETWEEN_MISTAKES.toSeconds());
    }
    ReportingPod pod;
    try {
      pod = tokens.pod(token);
    } catch (KubernetesClientException away) {
      missed.ofAnybody();
      if (warnings.take("")) {
        LOG.warnf(
            "reports of %s/%s, and perhaps of others: the API server does not say whose token it"
                + " is: %s",
            request.namespace(), request.job(), away.getMessage());
      }
      return new ReportAnswer(
          Result.UNAVAILABLE, "the API server does not say whose token this is", 5);
    }
    if (pod == null) {
      boolean counted = isKnown || limit.take(request.sender());
      return new ReportAnswer(
          Result.UNAUTHENTICATED,
          "the token proves no pod: send the file that KUBEFLOW_TRAINER_SERVER_TOKEN names, read"
              + " anew for each report");
    }
    if (!reports.take(pod.uid())) {
      receiver.turnedAway(request.namespace(), request.job(), pod.name(), pod.uid());
      return new ReportAnswer(Result.TOO_MANY, "a report every few seconds is enough", 1);
    }
    if (!pod.namespace().equals(request.namespace())) {
      return foreign(request, pod);
    }
    ReportReceiver.Content content;
    try {
      content = ReportReader.read(request.body());
    } catch (ReportReader.BadReportException bad) {
      return new ReportAnswer(Result.MALFORMED, bad.problem());
    }
    return switch (receiver.receive(
        request.namespace(), request.job(), pod.name(), pod.uid(), content)) {
      case ACCEPTED -> new ReportAnswer(Result.ACCEPTED, "it will be in the job's status");
      case NO_JOB ->
          new ReportAnswer(
              Result.NOT_FOUND, "there is no job " + request.namespace() + "/" + request.job());
      case NOT_ITS_POD -> foreign(request, pod);
      case NOT_WANTED ->
          new ReportAnswer(
              Result.NOT_WANTED,
              "job "
                  + request.namespace()
                  + "/"
                  + request.job()
                  + " has ended, or takes no reports over HTTPS");
    };
  }

  private static ReportAnswer foreign(ReportRequest request, ReportingPod pod) {
    return new ReportAnswer(
        Result.FOREIGN,
        "pod "
            + pod.namespace()
            + "/"
            + pod.name()
            + " is no present pod of job "
            + request.namespace()
            + "/"
            + request.job());
  }
}
