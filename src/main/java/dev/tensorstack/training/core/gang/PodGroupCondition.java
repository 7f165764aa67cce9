package dev.tensorstack.training.core.gang;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One of a PodGroup's conditions; texts are empty where nothing is given.
 *
 * @param type its type
 * @param status True, False or Unknown
 * @param reason one word
 * @param message a sentence for people
 * @param time when the status changed last, or null
 */
record PodGroupCondition(
    String type, String status, String reason, String message, @Nullable Instant time) {

  /** The conditions of a group; empty when it has none, or none that can be read. */
  static List<PodGroupCondition> of(GenericKubernetesResource podGroup) {
    List<PodGroupCondition> conditions = new ArrayList<>();
    if (status(podGroup).get("conditions") instanceof List<?> list) {
      for (Object entry : list) {
        if (entry instanceof Map<?, ?> condition) {
          conditions.add(
              new PodGroupCondition(
                  text(condition.get("type")),
                  text(condition.get("status")),
                  text(condition.get("reason")),
                  text(condition.get("message")),
                  time(text(condition.get("lastTransitionTime")))));
        }
      }
    }
    return conditions;
  }

  /** The phase of a group; empty when it has none. */
  static String phase(GenericKubernetesResource podGroup) {
    return text(status(podGroup).get("phase"));
  }

  boolean is(String expected) {
    return status.equals(expected);
  }

  /** For people: {@code reason: message}. */
  String words() {
    if (reason.isEmpty() || message.isEmpty()) {
      return reason.isEmpty() && message.isEmpty() ? type + " is " + status : reason + message;
    }
    return reason + ": " + message;
  }

  private static Map<?, ?> status(GenericKubernetesResource podGroup) {
    return podGroup.getAdditionalProperties().get("status") instanceof Map<?, ?> status
        ? status
        : Map.of();
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : value.toString();
  }

  private static @Nullable Instant time(String text) {
    try {
      return text.isEmpty() ? null : Instant.parse(text);
    } catch (DateTimeParseException notATime) {
      return null;
    }
  }
}
