package dev.tensorstack.training.runtime;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a question that is asked of the API server again and again. It stays while there is
 * no other: an API server that is away for a moment neither starts the work on a kind nor ends it.
 */
final class LastAnswer {

  private static final Logger LOG = Logger.getLogger(LastAnswer.class);

  private @Nullable String answer;
  private boolean told;

  /**
   * No answer yet.
   *
   * @param before what is in the way as long as there has been none
   */
  LastAnswer(String before) {
    this.answer = before;
  }

  /**
   * Asks.
   *
   * @param question what is in the way, or null for nothing
   * @return its answer; the one before when the API server gives none; null when this operator may
   *     not ask
   */
  synchronized @Nullable String of(Supplier<@Nullable String> question) {
    try {
      answer = question.get();
    } catch (KubernetesClientException problem) {
      int code = problem.getCode();
      if (code == HttpURLConnection.HTTP_FORBIDDEN
          || code == HttpURLConnection.HTTP_UNAUTHORIZED
          || code == HttpURLConnection.HTTP_NOT_FOUND) {
        answer = null;
        if (!told) {
          LOG.infof("it cannot be looked for what is in the way: %s", problem.getMessage());
          told = true;
        }
      } else {
        LOG.debugf("no answer, the one before stays: %s", problem.getMessage());
      }
    }
    return answer;
  }
}
