package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.core.model.Violation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * What is answered to an {@link AdmissionCall}.
 *
 * @param violations why the object is refused; empty when it is admitted
 * @param warnings what the user is told in either case
 * @param patch a JSON patch that completes the object; null for none
 */
record Decision(List<Violation> violations, List<String> warnings, @Nullable JsonNode patch) {

  /** The object may be stored as it is. */
  static final Decision ADMITTED = new Decision(List.of(), List.of(), null);

  /** An answer without warnings and patch: a refusal when there are violations. */
  static Decision of(List<Violation> violations) {
    return violations.isEmpty() ? ADMITTED : new Decision(violations, List.of(), null);
  }

  /** Whether the object may be stored. */
  boolean allowed() {
    return violations.isEmpty();
  }

  /** The ids of the rules that refuse, each once. */
  List<String> refusingRules() {
    return violations.stream().map(Violation::rule).distinct().toList();
  }

  /**
   * What the API server writes into its audit log, under the webhook's name.
   *
   * @return {@code refused-by}: rules; {@code completed}: the fields that the patch touches
   */
  Map<String, String> audit() {
    Map<String, String> audit = new LinkedHashMap<>();
    if (!violations.isEmpty()) {
      audit.put("refused-by", String.join(" ", refusingRules()));
    } else if (patch != null && !patch.isEmpty()) {
      audit.put(
          "completed",
          StreamSupport.stream(patch.spliterator(), false)
              .map(operation -> operation.path("path").asText())
              .collect(Collectors.joining(" ")));
    }
    return audit;
  }
}
