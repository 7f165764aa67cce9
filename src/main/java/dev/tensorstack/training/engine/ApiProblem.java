package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;

/** What an exception says of the API server. */
final class ApiProblem {

  private ApiProblem() {}

  /**
   * Whether it comes from the API server: a conflict, a refusal, or it is away. The framework tries
   * again.
   *
   * @return false for a defect of the operator
   */
  static boolean is(Throwable problem) {
    for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
      if (cause instanceof KubernetesClientException) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the job was deleted meanwhile: nobody is left to report to. A subresource that is
   * missing is 404 as well, but names no object.
   *
   * @param kind the kind of the job
   * @param job its name
   */
  static boolean isGone(Throwable problem, ObjectKind kind, String job) {
    for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
      if (cause instanceof KubernetesClientException refusal
          && refusal.getCode() == HttpURLConnection.HTTP_NOT_FOUND
          && refusal.getStatus() != null
          && refusal.getStatus().getDetails() != null
          && kind.plural().equals(refusal.getStatus().getDetails().getKind())
          && job.equals(refusal.getStatus().getDetails().getName())) {
        return true;
      }
    }
    return false;
  }
}
