package dev.tensorstack.training.observation;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.naming.GangSchedulers;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads what a PodGroup says about itself (docs/design/gang.md). */
public final class PodGroupReader {

  private static final String GROUP_SCHEDULED = "GroupScheduled";
  private static final String SUFFICIENT_MEMBERS = "SufficientGroupMember";
  private static final String UNSCHEDULABLE = "Unschedulable";
  private static final Set<String> VOLCANO_CONDITIONS = Set.of(UNSCHEDULABLE, "Scheduled");
  private static final Set<String> KUBERNETES_CONDITIONS =
      Set.of("PodGroupInitiallyScheduled", "PodGroupScheduled");

  private PodGroupReader() {}

  /** One of a group's conditions. */
  private record Condition(
      String type, String status, String reason, String message, @Nullable Instant time) {

    boolean is(String expected) {
      return status.equals(expected);
    }

    String words() {
      if (reason.isEmpty() || message.isEmpty()) {
        return reason.isEmpty() && message.isEmpty() ? type + " is " + status : reason + message;
      }
      return reason + ": " + message;
    }
  }

  /**
   * Why a group waits.
   *
   * @param podGroup a PodGroup as the API server has it, of any scheduler
   * @return the words of its scheduler, {@code reason: message}, or that the group is being deleted
   *     or waits for its queue; null when it is scheduled or says nothing. The coscheduling plugin
   *     says all it has to say on the pods
   */
  public static @Nullable String waiting(GenericKubernetesResource podGroup) {
    if (podGroup.getMetadata().getDeletionTimestamp() != null) {
      return "the PodGroup is being deleted";
    }
    List<Condition> conditions = conditions(podGroup);
    return switch (requireNonNullElse(podGroup.getApiVersion(), "").split("/", 2)[0]) {
      case GangSchedulers.T9K_GROUP -> t9k(conditions);
      case GangSchedulers.VOLCANO_GROUP -> volcano(conditions, phase(podGroup));
      case GangSchedulers.KUBERNETES_GROUP -> kubernetes(conditions);
      default -> null;
    };
  }

  /** Too few pods is the better answer: without them there is nothing to schedule. */
  private static @Nullable String t9k(List<Condition> conditions) {
    for (Condition condition : conditions) {
      if (condition.type().equals(GROUP_SCHEDULED) && condition.is("True")) {
        return null;
      }
    }
    for (String type : List.of(SUFFICIENT_MEMBERS, GROUP_SCHEDULED)) {
      for (Condition condition : conditions) {
        if (condition.type().equals(type) && condition.is("False")) {
          return condition.words();
        }
      }
    }
    return null;
  }

  /** Unschedulable stays true when things get better; the later of the two conditions counts. */
  private static @Nullable String volcano(List<Condition> conditions, String phase) {
    Condition latest =
        conditions.stream()
            .filter(condition -> VOLCANO_CONDITIONS.contains(condition.type()))
            .filter(condition -> condition.is("True"))
            // Of two at the same second, being scheduled is the end of a wait.
            .max(
                Comparator.comparing(
                        (Condition condition) ->
                            requireNonNullElse(condition.time(), Instant.EPOCH))
                    .thenComparing(condition -> !condition.type().equals(UNSCHEDULABLE)))
            .orElse(null);
    if (latest != null) {
      return latest.type().equals(UNSCHEDULABLE) ? latest.words() : null;
    }
    return phase.equals("Pending") ? "the PodGroup is Pending: its queue has no room yet" : null;
  }

  private static @Nullable String kubernetes(List<Condition> conditions) {
    return conditions.stream()
        .filter(condition -> KUBERNETES_CONDITIONS.contains(condition.type()))
        .filter(condition -> condition.is("False"))
        .findFirst()
        .map(Condition::words)
        .orElse(null);
  }

  private static String phase(GenericKubernetesResource podGroup) {
    return text(status(podGroup).get("phase"));
  }

  private static List<Condition> conditions(GenericKubernetesResource podGroup) {
    List<Condition> conditions = new ArrayList<>();
    if (status(podGroup).get("conditions") instanceof List<?> list) {
      for (Object entry : list) {
        if (entry instanceof Map<?, ?> condition) {
          conditions.add(
              new Condition(
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
