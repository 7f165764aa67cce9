package dev.tensorstack.training.controller;

import dev.tensorstack.training.observation.WriteFailure;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Objects;

/** What the API server's refusals mean. */
final class Refusals {

  private static final int UNPROCESSABLE = 422;

  private Refusals() {}

  /** What a user can do about it. */
  static WriteFailure.Kind kind(KubernetesClientException refusal) {
    return switch (refusal.getCode()) {
      case HttpURLConnection.HTTP_BAD_REQUEST, UNPROCESSABLE -> WriteFailure.Kind.INVALID;
      case HttpURLConnection.HTTP_FORBIDDEN ->
          message(refusal).contains("exceeded quota")
              ? WriteFailure.Kind.QUOTA
              : WriteFailure.Kind.FORBIDDEN;
      default -> WriteFailure.Kind.TRANSIENT;
    };
  }

  /** The API server's words. */
  static String message(KubernetesClientException refusal) {
    return refusal.getStatus() != null && refusal.getStatus().getMessage() != null
        ? refusal.getStatus().getMessage()
        : Objects.requireNonNullElse(refusal.getMessage(), "no answer");
  }
}
