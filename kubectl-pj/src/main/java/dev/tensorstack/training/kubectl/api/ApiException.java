package dev.tensorstack.training.kubectl.api;

import dev.tensorstack.training.kubectl.job.Tree;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The API server refused a request, or gave no answer. */
public final class ApiException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** The code of an answer that never came. */
  private static final int NO_ANSWER = 0;

  private final int code;
  private final transient Tree status;

  private ApiException(String message, int code, Tree status, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.status = status;
  }

  /**
   * A refusal.
   *
   * @param code the HTTP code
   * @param status the {@code Status} that came with it; absent when there was none
   * @param text the body as it came
   * @return the exception; its message is the API server's own
   */
  static ApiException refused(int code, Tree status, String text) {
    String message = Objects.requireNonNullElse(status.text("message"), text.strip());
    return new ApiException(message.isEmpty() ? "HTTP " + code : message, code, status, null);
  }

  /**
   * No answer.
   *
   * @param url the API server's address
   * @param cause why
   * @return the exception
   */
  static ApiException unreachable(String url, Throwable cause) {
    Throwable root = cause;
    while (root.getCause() != null && !(root instanceof CredentialException)) {
      root = root.getCause();
    }
    if (root instanceof CredentialException) {
      // Nothing was sent.
      return new ApiException(String.valueOf(root.getMessage()), NO_ANSWER, Tree.of(null), cause);
    }
    String why = Objects.requireNonNullElse(root.getMessage(), root.getClass().getSimpleName());
    return new ApiException(
        "the API server at " + url + " does not answer: " + why, NO_ANSWER, Tree.of(null), cause);
  }

  /**
   * The HTTP code.
   *
   * @return the code; 0 when there was no answer
   */
  public int code() {
    return code;
  }

  /**
   * Whether the API server does not know the user.
   *
   * @return true for 401
   */
  public boolean isUnauthorized() {
    return code == 401;
  }

  /**
   * Whether the object, or its kind, is not there.
   *
   * @return true for 404
   */
  public boolean isNotFound() {
    return code == 404;
  }

  /**
   * Whether the cluster does not know the kind at all.
   *
   * @return true for a 404 that names no object
   */
  public boolean isUnknownKind() {
    return code == 404 && status.text("details", "name") == null;
  }

  /**
   * Whether the user has not the right.
   *
   * @return true for 403 of the authorizer; admission may refuse with 403, too
   */
  public boolean isForbidden() {
    return code == 403;
  }
}
