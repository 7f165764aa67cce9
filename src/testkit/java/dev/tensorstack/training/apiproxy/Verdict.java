package dev.tensorstack.training.apiproxy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.HttpURLConnection;

/**
 * What the proxy does with a request.
 *
 * @param kind what to do
 * @param code of an injected answer; of an answer that is cut short: the bytes of its body that get
 *     through
 * @param reason of an injected answer, as in {@code Status.reason}; its body when the code is 200
 */
public record Verdict(Kind kind, int code, String reason) {

  /** What to do. */
  public enum Kind {
    /** Go on. */
    PASS,
    /** Close the connection without an answer. */
    DROP,
    /** Answer in place of the API server. */
    ANSWER,
    /** Pass the beginning of the answer on, then close the connection. */
    TRUNCATE
  }

  /**
   * Go on.
   *
   * @return the verdict
   */
  public static Verdict pass() {
    return new Verdict(Kind.PASS, 0, "");
  }

  /**
   * Close the connection without an answer.
   *
   * @return the verdict
   */
  public static Verdict drop() {
    return new Verdict(Kind.DROP, 0, "");
  }

  /**
   * Cut the answer short; for hooks before answering. A watch ends after so many bytes.
   *
   * @param bytes of the body that get through
   * @return the verdict
   */
  public static Verdict truncate(int bytes) {
    return new Verdict(Kind.TRUNCATE, bytes, "");
  }

  /**
   * Answer in place of the API server.
   *
   * @param code for example 409
   * @param reason for example {@code Conflict}
   * @return the verdict
   */
  public static Verdict answer(int code, String reason) {
    return new Verdict(Kind.ANSWER, code, reason);
  }

  /**
   * Answer in place of the API server, as if all were well.
   *
   * @param json the body
   * @return the verdict
   */
  public static Verdict answer(String json) {
    return new Verdict(Kind.ANSWER, HttpURLConnection.HTTP_OK, json);
  }

  String toResponse() {
    if (code == HttpURLConnection.HTTP_OK) {
      return response("OK", reason);
    }
    String status =
        """
        {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",\
        "message":"injected: %s","reason":"%s","code":%d}"""
            .formatted(reason, reason, code);
    return response(reason, status);
  }

  private String response(String phrase, String body) {
    return "HTTP/1.1 "
        + code
        + " "
        + phrase
        + "\r\nContent-Type: application/json\r\nContent-Length: "
        + body.getBytes(UTF_8).length
        + "\r\n\r\n"
        + body;
  }
}
