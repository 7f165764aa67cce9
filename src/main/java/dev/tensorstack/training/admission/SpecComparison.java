package dev.tensorstack.training.admission;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whether two specs, or parts of them, say the same. Compared as numbers, the quantities {@code 1}
 * and {@code 1000m} are the same; compared as JSON, a list that is absent and one that is null or
 * empty are. The equality of the model alone knows only the first, and fails on a quantity that is
 * no number.
 */
public final class SpecComparison {

  private static final ObjectMapper JSON = new ObjectMapper();

  private SpecComparison() {}

  /**
   * Compares.
   *
   * @param before a spec or a part of one, or null
   * @param after another of the same type, or null
   * @return true when nothing of what they say differs; never fails, whatever is in them
   */
  public static boolean same(@Nullable Object before, @Nullable Object after) {
    try {
      if (Objects.equals(before, after)) {
        return true;
      }
    } catch (ArithmeticException | IllegalArgumentException malformed) {
      // The API server refuses such a quantity with its own words.
    }
    return JSON.valueToTree(before).equals(JSON.valueToTree(after));
  }
}
