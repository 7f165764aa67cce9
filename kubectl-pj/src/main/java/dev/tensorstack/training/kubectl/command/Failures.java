package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.ApiException;
import dev.tensorstack.training.kubectl.api.CredentialException;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What went wrong, in words for the user: the object, the field, the remedy. */
public final class Failures {

  private static final Pattern MISSING_RIGHT =
      Pattern.compile(
          "User \"([^\"]*)\" cannot (\\S+) resource \"([^\"]+)\" in API group \"([^\"]*)\""
              + "(?: in the namespace \"([^\"]+)\")?");

  private static final String UNAUTHORIZED =
      "the API server does not know you (Unauthorized): log in again, or see whom the kubeconfig"
          + " names with kubectl config view --minify";

  private Failures() {}

  /**
   * A failure in words.
   *
   * @param failure what a command threw
   * @return a sentence; null when it is a mistake of the plugin itself, of which the stack trace
   *     tells more
   */
  public static @Nullable String inWords(Throwable failure) {
    if (failure instanceof ApiException refused) {
      if (refused.isUnauthorized()) {
        return UNAUTHORIZED;
      }
      return refused.isForbidden() ? forbidden(refused.getMessage()) : refused.getMessage();
    }
    if (failure instanceof CredentialException
        || failure instanceof IllegalArgumentException
        || failure instanceof IOException) {
      return failure.getMessage();
    }
    if (failure instanceof KubernetesClientException) {
      return "the kubeconfig cannot be used: " + root(failure);
    }
    return failure instanceof InterruptedException ? "interrupted" : null;
  }

  /** The client wraps what went wrong in words that say nothing. */
  private static String root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage() == null ? root.toString() : root.getMessage();
  }

  static String forbidden(@Nullable String message) {
    Matcher right = MISSING_RIGHT.matcher(String.valueOf(message));
    if (!right.find()) {
      return String.valueOf(message);
    }
    String namespace = right.group(5);
    return right.group(1)
        + " may not "
        + right.group(2)
        + " "
        + right.group(3)
        + (namespace == null ? "" : " in namespace " + namespace)
        + ". The missing right is verbs: ["
        + right.group(2)
        + "], resources: ["
        + right.group(3)
        + "], apiGroups: [\""
        + right.group(4)
        + "\"] in a "
        + (namespace == null ? "ClusterRole" : "Role of that namespace")
        + (namespace == null
            ? ". Without it: one namespace at a time, with -n"
            : ". See what you may do: kubectl auth can-i --list -n " + namespace);
  }
}
