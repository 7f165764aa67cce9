package dev.tensorstack.training.kind;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.util.Collection;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads one part of a job; a part that does not fit its type, or is beyond {@link ReadLimits},
 * becomes null and is reported on the job that it belongs to. One unreadable object must not stop
 * the watch that brings all the others.
 *
 * @param <T> the type of the part
 */
public abstract class TolerantReader<T> extends JsonDeserializer<T> {

  private static final int LONGEST_QUOTE = 40;

  private final Class<T> type;
  private final String part;

  /**
   * A reader of one part.
   *
   * @param type the Java type of the part
   * @param part its field, such as {@code spec}
   */
  protected TolerantReader(Class<T> type, String part) {
    this.type = type;
    this.part = part;
  }

  @Override
  public @Nullable T deserialize(JsonParser parser, DeserializationContext context)
      throws IOException {
    JsonStreamContext inside = parser.getParsingContext();
    JsonStreamContext outside = parser.currentToken().isStructStart() ? inside.getParent() : inside;
    Object owner = outside.getCurrentValue();
    int depth = depth(outside);
    try {
      return context.readValue(new LimitedParser(parser, outside), type);
    } catch (JsonMappingException problem) {
      skipTo(depth, parser);
      if (owner instanceof ReadInParts job) {
        job.markUnreadable(part + path(problem), words(problem));
        return null;
      }
      throw problem;
    } finally {
      // A record is made when its object has been read, and then put in the place of its owner.
      outside.setCurrentValue(owner);
    }
  }

  /** What is expected, for people who have never seen the Java types. */
  private static String words(JsonMappingException problem) {
    Class<?> expected =
        problem instanceof MismatchedInputException mismatch ? mismatch.getTargetType() : null;
    if (expected == null || problem instanceof LimitedParser.BeyondLimits) {
      return problem.getOriginalMessage();
    }
    String value =
        problem instanceof InvalidFormatException wrong && wrong.getValue() != null
            ? ", not " + shortened(String.valueOf(wrong.getValue()))
            : "";
    return kindOf(expected) + " is expected here" + value;
  }

  private static String shortened(String value) {
    return '"'
        + (value.length() > LONGEST_QUOTE ? value.substring(0, LONGEST_QUOTE) + "…" : value)
        + '"';
  }

  private static String kindOf(Class<?> type) {
    if (Collection.class.isAssignableFrom(type) || type.isArray()) {
      return "a list";
    }
    if (type == String.class) {
      return "a text";
    }
    if (type == Quantity.class || type == IntOrString.class) {
      return "a number or a text";
    }
    if (type == Boolean.class || type == boolean.class) {
      return "true or false";
    }
    boolean number = Number.class.isAssignableFrom(type) || type == int.class || type == long.class;
    return number ? "a number" : "an object";
  }

  /** Passes over what is left of the part; fails when there is no JSON any more. */
  private static void skipTo(int depth, JsonParser parser) throws IOException {
    while (depth(parser.getParsingContext()) > depth && parser.nextToken() != null) {
      parser.skipChildren();
    }
  }

  private static int depth(JsonStreamContext context) {
    int depth = 0;
    for (JsonStreamContext at = context; !at.inRoot(); at = at.getParent()) {
      depth++;
    }
    return depth;
  }

  private static String path(JsonMappingException problem) {
    if (problem instanceof LimitedParser.BeyondLimits beyond) {
      return beyond.place();
    }
    return problem.getPath().stream()
        .map(
            reference ->
                reference.getFieldName() == null
                    ? "[" + reference.getIndex() + "]"
                    : "." + reference.getFieldName())
        .collect(Collectors.joining());
  }
}
