package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.kind.ReadLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a review with something in it that is beyond {@link ReadLimits}: the API server sends what
 * its users write, and has to be told that it is refused. An error would be no answer, and the
 * webhook's {@code failurePolicy} might make a yes of it. What is beyond the limits is cut off, and
 * a digest stands in its place, so that two objects are still equal when they say the same.
 */
final class OverlongReview {

  /** The review, the request, the object; the spec is the first level that counts. */
  static final int AROUND_THE_SPEC = 3;

  /** What Jackson reads unless it is told otherwise; a double is never written so long. */
  private static final int LONGEST_NUMBER = StreamReadConstraints.DEFAULT_MAX_NUM_LEN;

  private static final int MOST_TOLD = 5;
  private static final List<String> SPEC = List.of("request", "object", "spec");
  private static final List<String> OLD_SPEC = List.of("request", "oldObject", "spec");

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  static {
    MAPPER
        .getFactory()
        .setStreamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(Integer.MAX_VALUE)
                .maxNameLength(Integer.MAX_VALUE)
                .maxNumberLength(Integer.MAX_VALUE)
                .maxStringLength(Integer.MAX_VALUE)
                .build());
  }

  private final byte[] body;
  private final List<Violation> excesses = new ArrayList<>();
  private boolean inOldSpec;
  private int unequal;

  private OverlongReview(byte[] body) {
    this.body = body;
  }

  /**
   * What could be read.
   *
   * @param review the whole review, with digests in the place of what was cut off
   * @param excesses what is beyond the limits in the object's spec; elsewhere nobody reads it
   * @param inOldSpec whether something was cut off in the stored object's spec
   */
  record Reading(JsonNode review, List<Violation> excesses, boolean inOldSpec) {}

  /**
   * Reads a review.
   *
   * @param body the body of an HTTP request
   * @return what could be read
   * @throws IOException when it is no JSON
   */
  static Reading read(byte[] body) throws IOException {
    OverlongReview review = new OverlongReview(body);
    try (JsonParser json = MAPPER.createParser(body)) {
      JsonToken first = json.nextToken();
      JsonNode tree =
          first == null
              ? JsonNodeFactory.instance.missingNode()
              : review.node(json, first, 1, null);
      if (json.nextToken() != null) {
        throw new JsonParseException(json, "something comes after it");
      }
      return new Reading(tree, List.copyOf(review.excesses), review.inOldSpec);
    }
  }

  /**
   * Reads what begins with a token.
   *
   * @param depth the level of an object or list that begins here
   * @param above what the spec is in that this is a part of; null outside of a spec
   */
  private JsonNode node(
      JsonParser json, JsonToken token, int depth, @Nullable JsonStreamContext above)
      throws IOException {
    if (token.isStructStart() && depth > ReadLimits.DEPTH + AROUND_THE_SPEC) {
      exceeds(above, json.getParsingContext().getParent(), ReadLimits.tooDeep());
      return cut(json);
    }
    return switch (token) {
      case START_OBJECT -> object(json, depth, above);
      case START_ARRAY -> array(json, depth, above);
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(json, above);
      default -> MAPPER.readTree(json);
    };
  }

  private ObjectNode object(JsonParser json, int depth, @Nullable JsonStreamContext above)
      throws IOException {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      JsonStreamContext here = json.getParsingContext();
      JsonStreamContext within =
          above == null && (isAt(here, SPEC) || isAt(here, OLD_SPEC)) ? here : above;
      if (name.length() > ReadLimits.NAME) {
        exceeds(within, here.getParent(), ReadLimits.tooLong(name.length()));
        name = digest(name.getBytes(StandardCharsets.UTF_8));
      }
      object.set(name, node(json, json.nextToken(), depth + 1, within));
    }
    return object;
  }

  private ArrayNode array(JsonParser json, int depth, @Nullable JsonStreamContext above)
      throws IOException {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (JsonToken token = json.nextToken();
        token != JsonToken.END_ARRAY;
        token = json.nextToken()) {
      array.add(node(json, token, depth + 1, above));
    }
    return array;
  }

  private JsonNode number(JsonParser json, @Nullable JsonStreamContext above) throws IOException {
    int length = json.getTextLength();
    if (length > LONGEST_NUMBER) {
      exceeds(
          above,
          json.getParsingContext(),
          "is a number of " + length + " digits, which nothing can hold: write a shorter one");
      return cut(json);
    }
    try {
      return MAPPER.readTree(json);
    } catch (NumberFormatException beyondAllExponents) {
      exceeds(
          above,
          json.getParsingContext(),
          "is a number with an exponent that nothing can hold: write a smaller one");
      return TextNode.valueOf("cut " + json.getText());
    }
  }

  private static boolean isAt(JsonStreamContext object, List<String> path) {
    JsonStreamContext at = object;
    for (int i = path.size() - 1; i >= 0; i--) {
      if (!at.inObject() || !path.get(i).equals(at.getCurrentName())) {
        return false;
      }
      at = at.getParent();
    }
    return at.inRoot();
  }

  private void exceeds(@Nullable JsonStreamContext above, JsonStreamContext at, String what) {
    if (above == null) {
      return;
    }
    if (isAt(above, OLD_SPEC)) {
      inOldSpec = true;
    } else if (excesses.size() < MOST_TOLD) {
      excesses.add(
          new Violation(
              ReadLimits.RULE,
              "spec" + ReadLimits.path(at, above),
              Violation.Reason.FieldValueInvalid,
              what));
    }
  }

  /** Passes over what begins with the present token. */
  private TextNode cut(JsonParser json) throws IOException {
    long begin = json.currentTokenLocation().getByteOffset();
    json.skipChildren();
    json.finishToken();
    long end = json.currentLocation().getByteOffset();
    if (begin < 0 || end < begin || end > body.length) {
      // Of text that is not UTF-8 no offsets are known: then it is like nothing else.
      unequal++;
      return TextNode.valueOf("cut " + unequal);
    }
    return TextNode.valueOf(digest(Arrays.copyOfRange(body, (int) begin, (int) end)));
  }

  private static String digest(byte[] text) {
    try {
      return "cut " + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
