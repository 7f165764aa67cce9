package dev.tensorstack.training.engine;

import dev.tensorstack.training.core.observe.WriteFailure;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Objects;
import java.util.regex.Pattern;

/** What the API server's refusals mean. */
final class Refusals {

  private static final int UNPROCESSABLE = 422;
  private static final int TOO_MANY_REQUESTS = 429;

  private static final Pattern DENIAL =
      Pattern.compile(
          "admission webhook \\S+ denied the request"
              + "|ValidatingAdmissionPolicy '[^']*' with binding '[^']*' denied request");

  private Refusals() {}

  /** What a user can do about it. */
  static WriteFailure.Kind kind(KubernetesClientException refusal) {
    if (isDenial(message(refusal))) {
      return WriteFailure.Kind.FORBIDDEN;
    }
    return switch (refusal.getCode()) {
      case HttpURLConnection.HTTP_BAD_REQUEST, UNPROCESSABLE -> WriteFailure.Kind.INVALID;
      case HttpURLConnection.HTTP_FORBIDDEN ->
          message(refusal).contains("exceeded quota")
              ? WriteFailure.Kind.QUOTA
              : WriteFailure.Kind.FORBIDDEN;
      default -> WriteFailure.Kind.TRANSIENT;
    };
  }

  /**
   * A webhook or a policy of the cluster has denied the object, with whatever code: 400 and 422 are
   * usual. The object is not wrong as such, and what forbids it may change.
   */
  private static boolean isDenial(String message) {
    return DENIAL.matcher(message).find();
  }

  /**
   * Whether the same request may be taken another time: there was no answer (the client says so
   * with 0 or, when a connection was closed, with -1), there were too many requests, or the API
   * server has failed.
   */
  static boolean passes(KubernetesClientException refusal) {
    int code = refusal.getCode();
    return code <= 0 || code == TOO_MANY_REQUESTS || code >= HttpURLConnection.HTTP_INTERNAL_ERROR;
  }

  /** The API server's words. */
  static String message(KubernetesClientException refusal) {
    return refusal.getStatus() != null && refusal.getStatus().getMessage() != null
        ? refusal.getStatus().getMessage()
        : Objects.requireNonNullElse(refusal.getMessage(), "no answer");
  }
}
