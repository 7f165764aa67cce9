package dev.tensorstack.training.core.plan;

import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What Kueue says of a job's Workloads. */
final class KueueWorkloads {

  private final World world;
  private final String key;

  /**
   * One Workload of a job.
   *
   * @param world the job's world
   * @param name the Workload's name
   */
  KueueWorkloads(World world, String name) {
    this.world = world;
    this.key = "Workload.kueue.x-k8s.io " + name;
  }

  /** The Workload; null when there is none. */
  @Nullable GenericKubernetesResource find() {
    return world.dependents().get(key);
  }

  /** Its spec in words. */
  String spec() {
    return String.valueOf(Objects.requireNonNull(find()).getAdditionalProperties().get("spec"));
  }

  /** Its status; empty when it has none. */
  Map<String, Object> status() {
    Object status = Objects.requireNonNull(find()).getAdditionalProperties().get("status");
    Map<String, Object> copy = new HashMap<>();
    if (status instanceof Map<?, ?> fields) {
      fields.forEach((field, value) -> copy.put(String.valueOf(field), value));
    }
    return copy;
  }

  private void say(Map<String, Object> status) {
    World.write(Objects.requireNonNull(find()), status);
  }

  private static Map<String, Object> condition(
      String type, boolean value, String reason, String message) {
    return Map.of(
        "type", type, "status", value ? "True" : "False", "reason", reason, "message", message);
  }

  /** It waits. */
  void waits(String words) {
    say(Map.of("conditions", List.of(condition("QuotaReserved", false, "WaitingForQuota", words))));
  }

  /**
   * It is admitted.
   *
   * @param pods by pod set, how many
   */
  void admit(Map<String, Integer> pods) {
    List<Object> assignments = new ArrayList<>();
    pods.forEach(
        (set, count) ->
            assignments.add(Map.of("name", set, "count", count, "flavors", Map.of("cpu", "a100"))));
    admit(assignments);
  }

  /**
   * Its pods are admitted on these nodes, in this order; also when it was admitted before.
   *
   * @param set the name of its only pod set
   * @param hosts the nodes, one for each pod
   */
  void admitOn(String set, String... hosts) {
    admit(
        List.of(
            Map.of(
                "name",
                set,
                "count",
                hosts.length,
                "flavors",
                Map.of("cpu", "a100"),
                "topologyAssignment",
                Map.of(
                    "levels",
                    List.of("kubernetes.io/hostname"),
                    "domains",
                    Arrays.stream(hosts)
                        .map(host -> Map.of("values", List.of(host), "count", 1))
                        .toList()))));
  }

  private void admit(List<Object> assignments) {
    say(
        Map.of(
            "conditions",
            List.of(
                condition("QuotaReserved", true, "QuotaReserved", "reserved"),
                condition("Admitted", true, "Admitted", "admitted")),
            "admission",
            Map.of("clusterQueue", "cluster-queue", "podSetAssignments", assignments)));
  }

  /** It is preempted. */
  void evict() {
    List<Object> conditions =
        new ArrayList<>((List<?>) Objects.requireNonNull(status().get("conditions")));
    conditions.add(condition("Evicted", true, "Preempted", "preempted by job big"));
    say(Map.of("conditions", conditions));
  }
}
