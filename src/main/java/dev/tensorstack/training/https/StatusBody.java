package dev.tensorstack.training.https;

import io.vertx.core.json.JsonObject;

/**
 * The body of an answer, in the form of the API server's {@code Status}.
 *
 * @param success whether what was asked for is done
 * @param code the status code of HTTP
 * @param reason one word, as the API server would say it
 * @param message a sentence for who has asked
 */
public record StatusBody(boolean success, int code, String reason, String message) {

  /**
   * The body's text.
   *
   * @return JSON
   */
  public String json() {
    return new JsonObject()
        .put("kind", "Status")
        .put("apiVersion", "v1")
        .put("status", success ? "Success" : "Failure")
        .put("message", message)
        .put("reason", reason)
        .put("code", code)
        .encode();
  }
}
