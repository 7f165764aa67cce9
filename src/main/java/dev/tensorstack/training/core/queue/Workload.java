package dev.tensorstack.training.core.queue;

import static dev.tensorstack.training.core.queue.UntypedFields.maps;
import static dev.tensorstack.training.core.queue.UntypedFields.number;
import static dev.tensorstack.training.core.queue.UntypedFields.text;
import static java.util.Objects.requireNonNullElse;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A Workload of Kueue to read from; what is missing in it is nothing.
 *
 * @param object the Workload, in any version
 */
record Workload(GenericKubernetesResource object) {

  static final String QUOTA_RESERVED = "QuotaReserved";
  static final String ADMITTED = "Admitted";
  static final String EVICTED = "Evicted";
  static final String FINISHED = "Finished";
  static final String REQUEUED = "Requeued";
  static final String PODS_READY = "PodsReady";

  /** What the reason of an eviction begins with when a Workload is not active any more. */
  static final String DEACTIVATED = "Deactivated";

  /**
   * A condition; texts are empty where nothing is given.
   *
   * @param isTrue whether its status is {@code True}
   */
  record Condition(boolean isTrue, String reason, String message) {

    /** Its message, or the reason where there is none. */
    String words() {
      return message.isEmpty() ? reason : message;
    }

    /** Whether an eviction came of {@code spec.active: false}. */
    boolean isDeactivated() {
      return reason.startsWith(DEACTIVATED);
    }
  }

  /** A condition by its type; neither true nor with a reason when there is none. */
  Condition condition(String type) {
    for (Map<?, ?> one : conditions()) {
      if (type.equals(text(one.get("type")))) {
        return new Condition(
            "True".equals(text(one.get("status"))),
            text(one.get("reason")),
            text(one.get("message")));
      }
    }
    return new Condition(false, "", "");
  }

  List<Map<?, ?>> conditions() {
    return maps(status().get("conditions"));
  }

  List<Map<?, ?>> admissionChecks() {
    return maps(status().get("admissionChecks"));
  }

  long generation() {
    return requireNonNullElse(object.getMetadata().getGeneration(), 0L);
  }

  Map<?, ?> spec() {
    return fields(object.getAdditionalProperties().get("spec"));
  }

  private Map<?, ?> status() {
    return fields(object.getAdditionalProperties().get("status"));
  }

  private static Map<?, ?> fields(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? map : Map.of();
  }

  List<Map<?, ?>> podSets() {
    return maps(spec().get("podSets"));
  }

  /** How many pods it asks for, by pod set. */
  Map<String, Integer> asked() {
    return counts(podSets());
  }

  /** How many pods were given back of each pod set. */
  Map<String, Integer> reclaimed() {
    return counts(maps(status().get("reclaimablePods")));
  }

  private static Map<String, Integer> counts(List<Map<?, ?>> sets) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (Map<?, ?> one : sets) {
      counts.put(text(one.get("name")), number(one.get("count"), 0));
    }
    return counts;
  }

  /** What each pod set was given. */
  List<Map<?, ?>> assignments() {
    return maps(fields(status().get("admission")).get("podSetAssignments"));
  }

  /**
   * How many pods each pod set was given, without those that were given back: of what it asked for.
   */
  Map<String, Integer> held() {
    Map<String, Integer> asked = asked();
    Map<String, Integer> reclaimed = reclaimed();
    Map<String, Integer> held = new LinkedHashMap<>();
    for (Map<?, ?> assignment : assignments()) {
      String set = text(assignment.get("name"));
      int ofAll = asked.getOrDefault(set, 0);
      int without = ofAll - reclaimed.getOrDefault(set, 0);
      held.put(set, Math.max(0, Math.min(number(assignment.get("count"), ofAll), without)));
    }
    return held;
  }
}
