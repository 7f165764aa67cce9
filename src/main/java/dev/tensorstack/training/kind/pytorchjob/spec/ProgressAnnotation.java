package dev.tensorstack.training.kind.pytorchjob.spec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.core.model.ProgressPolicy;
import dev.tensorstack.training.kind.ProgressCheck;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The annotation by which a {@code PyTorchJob}, which has no field for it, asks for its training's
 * progress: a JSON object with the fields of {@code runPolicy.progress}.
 */
public final class ProgressAnnotation {

  /** The annotation's name. */
  public static final String NAME = "batch.tensorstack.dev/progress";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> FIELDS =
      Set.of("startSeconds", "stallSeconds", "failOnNaN", "logPattern", "onFailure");

  private ProgressAnnotation() {}

  /**
   * What the annotations ask for.
   *
   * @param annotations the job's annotations
   * @return nothing without the annotation; of one that is wrong, reports without limits
   */
  public static ProgressPolicy read(Map<String, String> annotations) {
    String text = annotations.get(NAME);
    if (text == null) {
      return ProgressPolicy.NONE;
    }
    ProgressCheck.Limits limits = limits(text);
    if (limits == null || !ProgressCheck.check(NAME, NAME, limits).isEmpty()) {
      return ProgressPolicy.REPORTS;
    }
    return new ProgressPolicy(
        limits.logPattern() == null,
        limits.startSeconds(),
        limits.stallSeconds(),
        limits.failOnNaN(),
        limits.logPattern(),
        "Restart".equals(limits.onFailure()));
  }

  /**
   * What is wrong with the annotation.
   *
   * @param annotations the job's annotations
   * @return a sentence with the remedy; null when nothing is
   */
  public static @Nullable String problem(Map<String, String> annotations) {
    String text = annotations.get(NAME);
    if (text == null) {
      return null;
    }
    ProgressCheck.Limits limits = limits(text);
    if (limits == null) {
      return "is no JSON object with some of the fields "
          + new TreeSet<>(FIELDS)
          + " (numbers as numbers), so that no hang is found: write for example"
          + " {\"stallSeconds\": 900}";
    }
    return ProgressCheck.check(NAME, NAME, limits).stream()
        .findFirst()
        .map(wrong -> wrong.describe() + "; no hang is found")
        .orElse(null);
  }

  /** Null for what cannot be read. */
  private static ProgressCheck.@Nullable Limits limits(String text) {
    try {
      JsonNode node = JSON.readTree(text);
      if (node == null || !node.isObject()) {
        return null;
      }
      for (Map.Entry<String, JsonNode> field : node.properties()) {
        boolean isText = field.getKey().equals("logPattern") || field.getKey().equals("onFailure");
        JsonNode value = field.getValue();
        if (!FIELDS.contains(field.getKey())
            || !(value.isNull() || (isText ? value.isTextual() : value.canConvertToInt()))) {
          return null;
        }
      }
      String onFailure = text(node.get("onFailure"));
      if (onFailure != null && !Set.of("Report", "Restart").contains(onFailure)) {
        return null;
      }
      Long most = number(node.get("failOnNaN"));
      return new ProgressCheck.Limits(
          number(node.get("startSeconds")),
          number(node.get("stallSeconds")),
          most == null ? null : most.intValue(),
          text(node.get("logPattern")),
          onFailure);
    } catch (JsonProcessingException noJson) {
      return null;
    }
  }

  private static @Nullable Long number(@Nullable JsonNode value) {
    return value == null || value.isNull() ? null : value.longValue();
  }

  private static @Nullable String text(@Nullable JsonNode value) {
    return value == null || value.isNull() ? null : value.textValue();
  }
}
