package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.naming.ObjectKind;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Whether a review can be what it says: an API server sends none whose object is in another
 * namespace, or has another name, than the request. Such a review is refused, and neither jobs nor
 * pods are looked at in the namespace that it names: they may be somebody else's.
 */
final class ReviewConsistency {

  /** The rule's name in refusals. */
  static final String RULE = "review";

  private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
  private static final Pattern STORED_NAME =
      Pattern.compile(
          "(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*+");
  private static final int LONGEST_QUOTE = 80;
  private static final String REMEDY = "; only an API server's own reviews are answered";

  private ReviewConsistency() {}

  /**
   * Compares a request with its objects.
   *
   * @param call the question
   * @param wanted the kind of the objects that it is about
   * @return what does not fit; empty when all does
   */
  static List<Violation> check(AdmissionCall call, ObjectKind wanted) {
    List<Violation> found = new ArrayList<>();
    if (!call.namespace().isEmpty() && !LABEL.matcher(call.namespace()).matches()) {
      found.add(
          violation("metadata.namespace", quoted(call.namespace()) + " is no name of a namespace"));
    }
    if (isStored(call) && call.name() != null && !STORED_NAME.matcher(call.name()).matches()) {
      found.add(violation("metadata.name", quoted(call.name()) + " is no name of an object"));
    }
    compare(call, wanted, "object", call.object(), found);
    if (call.old() != null) {
      compare(call, wanted, "oldObject", call.old(), found);
    }
    if (!isPossible(call)) {
      found.add(
          violation(
              "operation",
              call.operation()
                  + " is no operation on a "
                  + (call.subresource().isEmpty() ? "job" : call.subresource())));
    }
    return found;
  }

  /** At creation the name is the user's, and a rule of its own says what is wrong with it. */
  private static boolean isStored(AdmissionCall call) {
    return call.operation() != AdmissionCall.Operation.CREATE;
  }

  private static boolean isPossible(AdmissionCall call) {
    return switch (call.operation()) {
      case CREATE, DELETE -> !call.isScale();
      case UPDATE -> true;
      case CONNECT -> false;
    };
  }

  private static void compare(
      AdmissionCall call, ObjectKind wanted, String part, JsonNode object, List<Violation> found) {
    JsonNode metadata = object.path("metadata");
    differs(part, "namespace", metadata.path("namespace"), call.namespace(), found);
    if (call.name() != null) {
      differs(part, "name", metadata.path("name"), call.name(), found);
    }
    JsonNode kind = object.path("kind");
    String word = call.isScale() ? "Scale" : wanted.kind();
    if (isThere(kind) && !kind.asText().equals(word)) {
      found.add(violation("kind", part + " is a " + quoted(kind.asText()) + ", not a " + word));
    }
    JsonNode version = object.path("apiVersion");
    if (!call.isScale() && isThere(version) && !version.asText().startsWith(wanted.group() + "/")) {
      found.add(
          violation(
              "apiVersion",
              part + " is of " + quoted(version.asText()) + ", not of " + wanted.group()));
    }
  }

  /** What an object does not say of itself contradicts nothing. */
  private static void differs(
      String part, String field, JsonNode said, String asked, List<Violation> found) {
    if (isThere(said) && !(said.isTextual() && said.textValue().equals(asked))) {
      found.add(
          violation(
              "metadata." + field,
              part
                  + " says "
                  + quoted(said.asText())
                  + ", the request "
                  + (asked.isEmpty() ? "none" : quoted(asked))));
    }
  }

  private static boolean isThere(JsonNode value) {
    return !value.isMissingNode()
        && !value.isNull()
        && !(value.isTextual() && value.textValue().isEmpty());
  }

  private static Violation violation(String field, String what) {
    return new Violation(RULE, field, Violation.Reason.FieldValueInvalid, what + REMEDY);
  }

  private static String quoted(String text) {
    return '"'
        + (text.length() > LONGEST_QUOTE ? text.substring(0, LONGEST_QUOTE) + "…" : text)
        + '"';
  }
}
