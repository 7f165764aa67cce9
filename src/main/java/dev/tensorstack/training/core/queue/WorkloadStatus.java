package dev.tensorstack.training.core.queue;

import static dev.tensorstack.training.core.queue.UntypedFields.text;
import static dev.tensorstack.training.core.queue.Workload.ADMITTED;
import static dev.tensorstack.training.core.queue.Workload.DEACTIVATED;
import static dev.tensorstack.training.core.queue.Workload.EVICTED;
import static dev.tensorstack.training.core.queue.Workload.PODS_READY;
import static dev.tensorstack.training.core.queue.Workload.QUOTA_RESERVED;
import static dev.tensorstack.training.core.queue.Workload.REQUEUED;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.core.queue.Workload.Condition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is written into the status of a Workload, whose owner tells Kueue of its pods there. */
final class WorkloadStatus {

  /** Only these evictions send a job back to its queue by themselves; others have a condition. */
  private static final Set<String> REQUEUED_AT_ONCE = Set.of("Preempted", "NodeFailures");

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};

  private WorkloadStatus() {}

  /** As {@link dev.tensorstack.training.core.model.JobQueue#givenBack} says. */
  static Map<String, Object> givenBack(Workload entry, Instant now) {
    Condition evicted = entry.condition(EVICTED);
    String message = evicted.words();
    Map<String, Object> status = new LinkedHashMap<>();
    status.put("admission", null);
    List<Map<String, Object>> conditions =
        otherConditions(entry, Set.of(QUOTA_RESERVED, ADMITTED, REQUEUED, PODS_READY));
    long generation = entry.generation();
    conditions.add(condition(QUOTA_RESERVED, false, "Pending", message, now, generation));
    conditions.add(
        condition(
            ADMITTED, false, "NoReservation", "The workload has no reservation", now, generation));
    conditions.add(
        condition(
            REQUEUED,
            REQUEUED_AT_ONCE.contains(evicted.reason()),
            // By any other reason Kueue does not queue it again when somebody activates it.
            evicted.isDeactivated() ? DEACTIVATED : evicted.reason(),
            message,
            now,
            generation));
    status.put("conditions", conditions);
    if (!entry.reclaimed().isEmpty()) {
      // All replicas run again in the next turn.
      status.put("reclaimablePods", null);
    }
    return status;
  }

  /** A list is written as a whole. */
  private static List<Map<String, Object>> otherConditions(Workload entry, Set<String> without) {
    List<Map<String, Object>> conditions = new ArrayList<>();
    for (Map<?, ?> one : entry.conditions()) {
      if (!without.contains(text(one.get("type")))) {
        conditions.add(MAPPER.convertValue(one, MAP));
      }
    }
    return conditions;
  }

  private static Map<String, Object> condition(
      String type, boolean value, String reason, String message, Instant now, long generation) {
    Map<String, Object> condition = new LinkedHashMap<>();
    condition.put("type", type);
    condition.put("status", value ? "True" : "False");
    condition.put("reason", reason.isEmpty() ? "Pending" : reason);
    condition.put("message", message);
    condition.put("lastTransitionTime", now.truncatedTo(ChronoUnit.SECONDS).toString());
    condition.put("observedGeneration", generation);
    return condition;
  }

  /** As {@link dev.tensorstack.training.core.model.JobQueue#told} says. */
  static @Nullable Map<String, Object> told(
      Workload entry, Map<String, Integer> needed, boolean started, Instant now) {
    Map<String, Object> status = new LinkedHashMap<>();
    List<Map<String, Object>> reclaimed = reclaimed(entry, needed);
    if (reclaimed != null) {
      status.put("reclaimablePods", reclaimed);
    }
    // Otherwise Kueue takes the job back after a while, unless waitForPodsReady is off.
    if (started && !entry.condition(PODS_READY).isTrue()) {
      List<Map<String, Object>> conditions = otherConditions(entry, Set.of(PODS_READY));
      conditions.add(
          condition(
              PODS_READY, true, "Started", "All pods are ready or done", now, entry.generation()));
      status.put("conditions", conditions);
    }
    return status.isEmpty() ? null : status;
  }

  /** A list of numbers that may only grow; null when it is as it should be. */
  private static @Nullable List<Map<String, Object>> reclaimed(
      Workload entry, Map<String, Integer> needed) {
    Map<String, Integer> needs = new LinkedHashMap<>();
    needed.forEach((type, pods) -> needs.merge(WorkloadSpec.podSetOf(type), pods, Integer::sum));
    Map<String, Integer> asked = entry.asked();
    Map<String, Integer> before = entry.reclaimed();
    Map<String, Integer> after = new LinkedHashMap<>(before);
    entry
        .held()
        .forEach(
            (set, held) -> {
              int need = needs.getOrDefault(set, 0);
              if (need < held) {
                after.put(set, asked.getOrDefault(set, 0) - need);
              }
            });
    if (after.equals(before)) {
      return null;
    }
    List<Map<String, Object>> list = new ArrayList<>();
    after.forEach((set, pods) -> list.add(Map.of("name", set, "count", pods)));
    return list;
  }
}
