package dev.tensorstack.training.kind;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import com.fasterxml.jackson.databind.JsonMappingException;
import java.io.IOException;

/**
 * Reads one part of a job within {@link ReadLimits}. The parser behind it has no limits, so that
 * what is beyond them can still be passed over.
 */
final class LimitedParser extends JsonParserDelegate {

  private final JsonStreamContext outside;
  private int depth;

  /**
   * A parser of a part.
   *
   * @param parser is at the part's first token
   * @param outside what the part is in
   */
  LimitedParser(JsonParser parser, JsonStreamContext outside) {
    super(parser);
    this.outside = outside;
    depth = parser.currentToken().isStructStart() ? 1 : 0;
  }

  /** Something is beyond the limits. */
  static final class BeyondLimits extends JsonMappingException {
    private static final long serialVersionUID = 1;

    private final String place;

    private BeyondLimits(LimitedParser parser, JsonStreamContext at, String problem) {
      super(parser, problem);
      place = ReadLimits.path(at, parser.outside);
    }

    /** The path within the part. */
    String place() {
      return place;
    }
  }

  @Override
  public JsonToken nextToken() throws IOException {
    return checked(super.nextToken());
  }

  @Override
  public JsonToken nextValue() throws IOException {
    JsonToken token = nextToken();
    return token == JsonToken.FIELD_NAME ? nextToken() : token;
  }

  @Override
  public JsonParser skipChildren() throws IOException {
    JsonToken token = currentToken();
    super.skipChildren();
    if (token != null && token.isStructStart()) {
      depth--;
    }
    return this;
  }

  private JsonToken checked(JsonToken token) throws IOException {
    if (token == JsonToken.FIELD_NAME) {
      int length = currentName().length();
      if (length > ReadLimits.NAME) {
        throw new BeyondLimits(this, getParsingContext().getParent(), ReadLimits.tooLong(length));
      }
    } else if (token != null && token.isStructStart()) {
      depth++;
      if (depth > ReadLimits.DEPTH) {
        throw new BeyondLimits(this, getParsingContext().getParent(), ReadLimits.tooDeep());
      }
    } else if (token != null && token.isStructEnd()) {
      depth--;
    }
    return token;
  }
}
