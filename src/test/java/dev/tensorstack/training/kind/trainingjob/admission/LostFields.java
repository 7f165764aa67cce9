package dev.tensorstack.training.kind.trainingjob.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Compares specs of jobs, for tests. */
public final class LostFields {

  /** An old spelling, and a mistake in one manifest: no field of the API. */
  private static final Set<String> NOT_KEPT = Set.of("enable", "subpath");

  private LostFields() {}

  /**
   * What a spec says that another one does not.
   *
   * @param written the spec of a manifest
   * @param kept what has become of it
   * @return a line for each field that is missing or different; empty when nothing was lost
   */
  public static List<String> between(JsonNode written, JsonNode kept) {
    List<String> lost = new ArrayList<>();
    compare("", written, kept, lost);
    return lost;
  }

  private static void compare(String path, JsonNode written, JsonNode kept, List<String> lost) {
    String word = path.substring(path.lastIndexOf('.') + 1);
    if (written.isNull() || NOT_KEPT.contains(word)) {
      return;
    }
    if (written.isObject() && kept.isObject()) {
      written
          .fields()
          .forEachRemaining(
              field ->
                  compare(
                      path + "." + field.getKey(),
                      field.getValue(),
                      kept.path(field.getKey()),
                      lost));
    } else if (written.isArray() && kept.isArray() && written.size() == kept.size()) {
      for (int i = 0; i < written.size(); i++) {
        compare(path + "[" + i + "]", written.get(i), kept.get(i), lost);
      }
    } else if (!same(written, kept) && !(written.isEmpty() && written.isArray())) {
      lost.add(path + ": " + written + " became " + kept);
    }
  }

  /** Quantities may be written in several ways. */
  private static boolean same(JsonNode written, JsonNode kept) {
    if (written.asText().equals(kept.asText()) && !kept.isMissingNode()) {
      return true;
    }
    try {
      return new Quantity(written.asText()).equals(new Quantity(kept.asText()));
    } catch (IllegalArgumentException notAQuantity) {
      return false;
    }
  }
}
