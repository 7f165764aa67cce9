package dev.tensorstack.training.kind;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import dev.tensorstack.training.core.model.BoundedQuantity;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Whether two specs, or parts of them, say the same: as JSON, where a list that is absent and one
 * that is null or empty are the same, and with quantities as numbers, where {@code 1} and {@code
 * 1000m} are. The equality of the model knows only the second, fails on a quantity that is no
 * number, and works without end on one with a great exponent.
 */
public final class SpecComparison {

  private static final ObjectMapper JSON = QuantityJson.mapper(new AsNumber());

  private SpecComparison() {}

  /**
   * Compares.
   *
   * @param before a spec or a part of one, or null
   * @param after another of the same type, or null
   * @return true when nothing of what they say differs; never fails, whatever is in them
   */
  public static boolean same(@Nullable Object before, @Nullable Object after) {
    if (before == after || before == null || after == null) {
      return before == after;
    }
    return JSON.valueToTree(before).equals(JSON.valueToTree(after));
  }

  /** Writes the same number for the same amount; what is none as it is. */
  private static final class AsNumber extends JsonSerializer<Quantity> {

    @Override
    public void serialize(Quantity quantity, JsonGenerator json, SerializerProvider provider)
        throws IOException {
      BigDecimal amount = BoundedQuantity.amount(quantity);
      if (amount == null) {
        json.writeString(quantity.toString());
      } else {
        json.writeNumber(amount.stripTrailingZeros());
      }
    }
  }
}
