package dev.tensorstack.training.kind.trainingjob.v1beta1;

import java.util.regex.Pattern;

/**
 * The values of {@code managedBy}: who works on a job. They have the form that Kubernetes asks of
 * {@code managedBy} of its own Job (KEP-4368).
 */
public final class ManagedBy {

  /** This operator, as when nobody is named. */
  public static final String THIS_OPERATOR = "batch.tensorstack.dev/pytorchtrainingjob-operator";

  /** How many characters a value may have. */
  public static final int LONGEST = 63;

  /**
   * A DNS subdomain, a slash and a path, as a regular expression without anchors that Java and RE2
   * read alike (Kubernetes: {@code IsDomainPrefixedPath}).
   */
  public static final String FORM =
      "[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[-A-Za-z0-9/._~%!$&'()*+,;=:]+";

  private static final Pattern PATTERN = Pattern.compile(FORM);

  private ManagedBy() {}

  /**
   * Whether a value can be somebody's name.
   *
   * @param value any text; of a long one only the length is looked at
   * @return true for a domain-prefixed path of at most {@link #LONGEST} characters
   */
  public static boolean isName(String value) {
    return length(value) <= LONGEST && PATTERN.matcher(value).matches();
  }

  /**
   * How long a value is.
   *
   * @param value any text
   * @return the number of characters, as the API server counts them
   */
  public static int length(String value) {
    return value.codePointCount(0, value.length());
  }
}
