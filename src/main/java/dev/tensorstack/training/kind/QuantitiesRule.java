package dev.tensorstack.training.kind;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import dev.tensorstack.training.core.model.BoundedQuantity;
import dev.tensorstack.training.core.model.Violation;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Quantities are of a size that a resource can have, wherever one stands: in requests and limits,
 * in volumes, in metrics, in TensorBoard's resources. The API server takes others; who adds them up
 * is busy for minutes.
 *
 * <p>Refuses: a quantity of more than {@value BoundedQuantity#LONGEST} characters, or with an
 * exponent outside -{@value BoundedQuantity#GREATEST_EXPONENT} to {@value
 * BoundedQuantity#GREATEST_EXPONENT}, wherever it stands.
 *
 * @param <S> the Java type of the kind's spec
 */
public final class QuantitiesRule<S> implements Rule<S> {

  private static final Object FOUND = QuantitiesRule.class;
  private static final ObjectMapper JSON = QuantityJson.mapper(new Check());

  /** Of so many the rest is the same mistake. */
  private static final int MOST_TOLD = 20;

  private static final int LONGEST_QUOTE = 40;

  @Override
  public String id() {
    return "quantities";
  }

  @Override
  public List<Violation> check(RuleContext<S> subject) {
    List<Violation> found = new ArrayList<>();
    try {
      JSON.writer()
          .withAttribute(FOUND, found)
          .writeValue(OutputStream.nullOutputStream(), subject.spec());
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return found;
  }

  /** Is shown each quantity while the job is written to nowhere. */
  private static final class Check extends JsonSerializer<Quantity> {

    @Override
    public void serialize(Quantity quantity, JsonGenerator json, SerializerProvider provider)
        throws IOException {
      String text = quantity.toString();
      String excess = BoundedQuantity.excess(text);
      @SuppressWarnings("unchecked") // It is what check() has put there.
      List<Violation> found = (List<Violation>) provider.getAttribute(FOUND);
      if (excess != null && found.size() < MOST_TOLD) {
        found.add(
            new Violation(
                "quantities",
                "spec" + path(json.getOutputContext()),
                Violation.Reason.FieldValueInvalid,
                '"'
                    + shortened(text)
                    + "\" "
                    + excess
                    + ": no resource has such a quantity; write for example 2, 500m or 16Gi"));
      }
      json.writeNull();
    }

    private static String path(JsonStreamContext at) {
      if (at.inRoot()) {
        return "";
      }
      String before = path(at.getParent());
      if (at.inArray()) {
        return before + "[" + at.getCurrentIndex() + "]";
      }
      String name = at.getCurrentName();
      // What is in a map is named by the user.
      return before
          + (at.getCurrentValue() instanceof Map ? "[" + shortened(name) + "]" : "." + name);
    }

    private static String shortened(String text) {
      return text.length() > LONGEST_QUOTE ? text.substring(0, LONGEST_QUOTE) + "…" : text;
    }
  }
}
