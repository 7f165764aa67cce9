package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.kind.ReadLimits;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code admission.k8s.io/v1} reviews. What is read is not trusted: the size is bounded by
 * the HTTP server, depth and names by {@link ReadLimits}, and each part is checked before it is
 * used. What is beyond the limits is read by {@link OverlongReview}, so that it is answered.
 */
final class ReviewReader {

  private static final String API_VERSION = "admission.k8s.io/v1";
  private static final int LONGEST_UID = 256;

  private final ObjectKind wanted;
  private final JsonMapper mapper =
      JsonMapper.builder()
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  /**
   * Reads with the limits of what most reviews are.
   *
   * @param wanted the kind of the objects that it is asked about
   */
  ReviewReader(ObjectKind wanted) {
    this.wanted = wanted;
    mapper
        .getFactory()
        .setStreamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(ReadLimits.DEPTH + OverlongReview.AROUND_THE_SPEC)
                .maxNameLength(ReadLimits.NAME)
                .build());
  }

  /**
   * Reads a review.
   *
   * @param body the body of an HTTP request
   * @return the question in it
   * @throws BadReviewException when it is anything else; the message says what is wrong
   */
  AdmissionCall read(byte[] body) throws BadReviewException {
    OverlongReview.Reading read = parse(body);
    JsonNode review = read.review();
    if (!review.path("kind").asText().equals("AdmissionReview")) {
      throw new BadReviewException("kind is not AdmissionReview");
    }
    if (!review.path("apiVersion").asText().equals(API_VERSION)) {
      throw new BadReviewException(
          "only " + API_VERSION + " is understood: the webhook's admissionReviewVersions are [v1]");
    }
    JsonNode request = review.path("request");
    String uid = text(request, "uid");
    if (uid == null || uid.isEmpty() || uid.length() > LONGEST_UID) {
      throw new BadReviewException("request.uid is missing or no short text");
    }
    AdmissionCall.Operation operation = operation(text(request, "operation"));
    String subresource = textOr(request, "subResource", "");
    checkKind(request.path("kind"), subresource);
    checkResource(request.path("resource"));
    JsonNode object = object(request, "object");
    JsonNode old = object(request, "oldObject");
    boolean stores =
        operation == AdmissionCall.Operation.CREATE || operation == AdmissionCall.Operation.UPDATE;
    if (stores && object == null) {
      throw new BadReviewException("request.object is missing");
    }
    if (operation == AdmissionCall.Operation.UPDATE && old == null) {
      throw new BadReviewException("request.oldObject is missing: an update has one");
    }
    return new AdmissionCall(
        uid,
        operation,
        subresource,
        textOr(request, "namespace", ""),
        name(request, object),
        object == null ? MissingNode.getInstance() : object,
        operation == AdmissionCall.Operation.UPDATE ? old : null,
        read.excesses(),
        !read.inOldSpec());
  }

  private OverlongReview.Reading parse(byte[] body) throws BadReviewException {
    try {
      OverlongReview.Reading read = readAll(body);
      if (!read.review().isObject()) {
        throw new BadReviewException("the body is no JSON object");
      }
      return read;
    } catch (JsonProcessingException problem) {
      throw new BadReviewException("the body is no JSON: " + problem.getOriginalMessage());
    } catch (IOException problem) {
      throw new BadReviewException("the body cannot be read: " + problem.getMessage());
    }
  }

  private OverlongReview.Reading readAll(byte[] body) throws IOException {
    try {
      JsonNode tree = mapper.readTree(body);
      return new OverlongReview.Reading(
          tree == null ? MissingNode.getInstance() : tree, List.of(), false);
    } catch (StreamConstraintsException | NumberFormatException beyondLimits) {
      return OverlongReview.read(body);
    }
  }

  private static AdmissionCall.Operation operation(@Nullable String word)
      throws BadReviewException {
    for (AdmissionCall.Operation operation : AdmissionCall.Operation.values()) {
      if (operation.name().equals(word)) {
        return operation;
      }
    }
    throw new BadReviewException("request.operation is none of CREATE, UPDATE, DELETE, CONNECT");
  }

  private void checkKind(JsonNode kind, String subresource) throws BadReviewException {
    boolean job =
        subresource.isEmpty()
            && kind.path("group").asText().equals(wanted.group())
            && kind.path("kind").asText().equals(wanted.kind());
    boolean scale = subresource.equals("scale") && kind.path("kind").asText().equals("Scale");
    if (!job && !scale) {
      throw new BadReviewException(
          "request.kind is neither a "
              + wanted.kind()
              + " of "
              + wanted.group()
              + " nor the Scale of one");
    }
  }

  /** The scale of something else is of a kind that jobs have too. */
  private void checkResource(JsonNode resource) throws BadReviewException {
    boolean jobs =
        resource.path("group").asText().equals(wanted.group())
            && resource.path("resource").asText().equals(wanted.plural());
    if (!jobs && !resource.isMissingNode() && !resource.isNull()) {
      throw new BadReviewException(
          "request.resource is not " + wanted.plural() + " of " + wanted.group());
    }
  }

  private static @Nullable JsonNode object(JsonNode request, String field)
      throws BadReviewException {
    JsonNode value = request.path(field);
    if (value.isMissingNode() || value.isNull()) {
      return null;
    }
    if (!value.isObject()) {
      throw new BadReviewException("request." + field + " is no JSON object");
    }
    return value;
  }

  private static @Nullable String name(JsonNode request, @Nullable JsonNode object) {
    String name = text(request, "name");
    if (name == null || name.isEmpty()) {
      name = object == null ? null : text(object.path("metadata"), "name");
    }
    return name == null || name.isEmpty() ? null : name;
  }

  private static String textOr(JsonNode parent, String field, String otherwise) {
    String text = text(parent, field);
    return text == null ? otherwise : text;
  }

  private static @Nullable String text(JsonNode parent, String field) {
    JsonNode value = parent.path(field);
    return value.isTextual() ? value.textValue() : null;
  }
}
