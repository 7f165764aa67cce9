package dev.tensorstack.training.core.model;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads quantities of Kubernetes (k8s.io/apimachinery, pkg/api/resource) as far as a resource can
 * have them. What is written in a few characters, {@code 1e300000000}, takes a processor minutes
 * and all memory to work with as a number, so the client's own {@link
 * Quantity#getNumericalAmount()}, and its {@code equals} and {@code hashCode}, which use that, are
 * for quantities that are known to be within the bounds.
 */
public final class BoundedQuantity {

  /** The longest text that is read. */
  public static final int LONGEST = 64;

  /** The greatest exponent of ten, either way: that of the greatest suffix, {@code E}. */
  public static final int GREATEST_EXPONENT = 18;

  private static final Pattern QUANTITY =
      Pattern.compile(
          "([+-]?(?:[0-9]++(?:\\.[0-9]*+)?|\\.[0-9]++))"
              + "(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?)(?=[0-9])0*+([0-9]*+))?");

  private static final int LONGEST_EXPONENT = 2;

  private static final Map<String, BigDecimal> SUFFIXES =
      Map.ofEntries(
          Map.entry("n", BigDecimal.ONE.scaleByPowerOfTen(-9)),
          Map.entry("u", BigDecimal.ONE.scaleByPowerOfTen(-6)),
          Map.entry("m", BigDecimal.ONE.scaleByPowerOfTen(-3)),
          Map.entry("k", BigDecimal.valueOf(1_000L)),
          Map.entry("M", BigDecimal.valueOf(1_000_000L)),
          Map.entry("G", BigDecimal.valueOf(1_000_000_000L)),
          Map.entry("T", BigDecimal.valueOf(1_000_000_000_000L)),
          Map.entry("P", BigDecimal.valueOf(1_000_000_000_000_000L)),
          Map.entry("E", BigDecimal.valueOf(1_000_000_000_000_000_000L)),
          Map.entry("Ki", BigDecimal.valueOf(1L << 10)),
          Map.entry("Mi", BigDecimal.valueOf(1L << 20)),
          Map.entry("Gi", BigDecimal.valueOf(1L << 30)),
          Map.entry("Ti", BigDecimal.valueOf(1L << 40)),
          Map.entry("Pi", BigDecimal.valueOf(1L << 50)),
          Map.entry("Ei", BigDecimal.valueOf(1L << 60)));

  private BoundedQuantity() {}

  /**
   * The number that a quantity stands for.
   *
   * @param quantity a quantity as it was read, or null
   * @return the amount, in the resource's own unit (cores, bytes, pieces); null when there is none,
   *     when it is malformed or out of bounds: the rules and the API server say so
   */
  public static @Nullable BigDecimal amount(@Nullable Quantity quantity) {
    return quantity == null ? null : amount(quantity.toString());
  }

  /**
   * The number that a text stands for.
   *
   * @param text for example {@code 1500m} or {@code 16Gi}
   * @return the same as of a quantity
   */
  public static @Nullable BigDecimal amount(String text) {
    if (text.length() > LONGEST) {
      return null;
    }
    Matcher quantity = QUANTITY.matcher(text);
    if (!quantity.matches()) {
      return null;
    }
    BigDecimal number = new BigDecimal(quantity.group(1));
    if (quantity.group(2) != null) {
      return number.multiply(SUFFIXES.get(quantity.group(2)));
    }
    if (quantity.group(4) == null) {
      return number;
    }
    int exponent = exponent(quantity.group(4));
    if (exponent > GREATEST_EXPONENT) {
      return null;
    }
    return number.scaleByPowerOfTen(quantity.group(3).equals("-") ? -exponent : exponent);
  }

  /**
   * Whether the API server reads a text as a quantity, in bounds or not.
   *
   * @param text any text
   * @return true for {@code 500m} as for {@code 1e300000000}
   */
  public static boolean isWellFormed(String text) {
    return QUANTITY.matcher(text).matches();
  }

  /**
   * What of a text is more than any resource has.
   *
   * @param text any text
   * @return what it is, to go on after the quantity itself; null when it is within the bounds, or
   *     no quantity of a usual length
   */
  public static @Nullable String excess(String text) {
    if (text.length() > LONGEST) {
      return "has " + text.length() + " characters, more than " + LONGEST;
    }
    Matcher quantity = QUANTITY.matcher(text);
    boolean far =
        quantity.matches()
            && quantity.group(4) != null
            && exponent(quantity.group(4)) > GREATEST_EXPONENT;
    return far
        ? "has an exponent outside -" + GREATEST_EXPONENT + " to " + GREATEST_EXPONENT
        : null;
  }

  /** Of digits without zeros before them; none are left of 0. */
  private static int exponent(String digits) {
    if (digits.length() > LONGEST_EXPONENT) {
      return Integer.MAX_VALUE;
    }
    return digits.isEmpty() ? 0 : Integer.parseInt(digits);
  }
}
