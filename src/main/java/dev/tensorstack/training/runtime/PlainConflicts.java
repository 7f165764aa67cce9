package dev.tensorstack.training.runtime;

import static java.util.Objects.requireNonNullElse;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import org.jboss.logging.Logger;
import org.jboss.logging.MDC;
import org.jspecify.annotations.Nullable;

/**
 * Tells in one line that a job is looked at again because somebody was faster: the job was written
 * meanwhile, by a user or by the operator that has taken over (409), or an object was removed
 * (404). The framework would tell of it with a stack trace as of a defect, for its metrics wrap
 * what a reconciliation throws, and it does not recognise a conflict in there. All else is told as
 * it was.
 */
final class PlainConflicts implements Filter {

  private static final Logger LOG = Logger.getLogger(PlainConflicts.class);

  /** What tells of looks that have failed. */
  private static final java.util.logging.Logger FRAMEWORK =
      java.util.logging.Logger.getLogger(
          "io.javaoperatorsdk.operator.processing.event.EventProcessor");

  private static final String FAILED_LOOK = "Uncaught error during event processing";

  /** The client puts the whole Status behind its message. */
  private static final String STATUS = " Received status:";

  /** From now on. */
  static void install() {
    FRAMEWORK.setFilter(new PlainConflicts());
  }

  /**
   * Whether the framework's own words are told.
   *
   * @param record what it would tell
   * @return false when it was told in one line
   */
  @Override
  public boolean isLoggable(LogRecord record) {
    KubernetesClientException answer = answer(record.getThrown());
    if (answer == null || !requireNonNullElse(record.getMessage(), "").startsWith(FAILED_LOOK)) {
      return true;
    }
    switch (answer.getCode()) {
      case HttpURLConnection.HTTP_CONFLICT ->
          LOG.infof("%s has changed meanwhile and is looked at again: %s", job(), words(answer));
      case HttpURLConnection.HTTP_NOT_FOUND ->
          LOG.warnf("%s is looked at again, an object is not there: %s", job(), words(answer));
      default -> {
        return true;
      }
    }
    return false;
  }

  private static @Nullable KubernetesClientException answer(@Nullable Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof KubernetesClientException answer) {
        return answer;
      }
    }
    return null;
  }

  /** The framework notes in its thread what it works on. */
  private static String job() {
    Object name = MDC.get("resource.name");
    return name == null ? "a job" : "job " + MDC.get("resource.namespace") + "/" + name;
  }

  private static String words(KubernetesClientException answer) {
    String all = requireNonNullElse(answer.getMessage(), "no message");
    int status = all.indexOf(STATUS);
    return (status < 0 ? all : all.substring(0, status)).replace('\n', ' ');
  }
}
