package dev.tensorstack.training.core.gang;

import dev.tensorstack.training.core.model.BoundedQuantity;
import dev.tensorstack.training.core.model.GangFacts;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What Volcano's queues say of gangs that wait. A gang that is larger than its queue's capability
 * waits for ever, and so does one in a queue that is missing or closed; Volcano 1.15 says so in
 * normal events of the PodGroup, in its log, or nowhere (docs/design/gang.md, Volcano as it ran).
 */
final class VolcanoQueue {

  static final ObjectKind KIND =
      new ObjectKind("scheduling.volcano.sh", "v1beta1", "Queue", "queues");

  /** Where a PodGroup is that names no queue. */
  private static final String DEFAULT = "default";

  private static final String OPEN = "Open";

  /** Unknown is a group of which a part runs: what is missing has to come. */
  private static final Set<String> LET_IN = Set.of("Inqueue", "Running", "Completed", "Unknown");

  private VolcanoQueue() {}

  /** Whether a group was let into its queue. */
  static boolean isIn(GenericKubernetesResource podGroup) {
    return LET_IN.contains(PodGroupCondition.phase(podGroup));
  }

  /** What counts of a queue; not what is in use of it, which changes all the time. */
  static GangFacts.Queue read(GenericKubernetesResource queue) {
    return new GangFacts.Queue(
        text(map(queue, "status").get("state")), quantities(map(queue, "spec").get("capability")));
  }

  /**
   * What keeps a group waiting that is not in its queue, or whose queue is not open, or can never
   * hold it.
   *
   * @return a sentence for people; null when nothing is known to
   */
  static @Nullable String hindrance(GenericKubernetesResource podGroup, GangFacts facts) {
    boolean isIn = isIn(podGroup);
    String queue = queue(podGroup, facts, isIn);
    String said = isIn ? null : said(facts);
    if (said == null) {
      return queue;
    }
    return (queue == null ? "" : queue + "; ") + "Volcano says: " + said;
  }

  private static @Nullable String queue(
      GenericKubernetesResource podGroup, GangFacts facts, boolean isIn) {
    if (facts.queues() == null) {
      return null;
    }
    Map<?, ?> spec = map(podGroup, "spec");
    String named = text(spec.get("queue"));
    String name = named.isEmpty() ? DEFAULT : named;
    Map<String, String> wanted = quantities(spec.get("minResources"));
    String gang =
        "the gang asks for "
            + (wanted.isEmpty() ? "" : list(wanted) + ", ")
            + "minMember "
            + text(spec.get("minMember"));
    GangFacts.Queue queue = facts.queues().get(name);
    if (queue == null) {
      return "queue "
          + name
          + " does not exist: create it, and the gang starts by itself, or name another one; "
          + gang;
    }
    String state = queue.state().isEmpty() ? "without a state yet" : queue.state();
    String title =
        "queue "
            + name
            + " ("
            + state
            + ", "
            + (queue.capability().isEmpty()
                ? "no capability given"
                : "capability " + list(queue.capability()))
            + ")";
    if (exceeds(wanted, queue.capability())) {
      return title + " can never hold the gang: enlarge it, or ask for less; " + gang;
    }
    if (queue.state().equals(OPEN)) {
      return isIn ? null : title + " has no room for the gang yet; " + gang;
    }
    return title
        + (isIn
            ? " gives pods of the gang no node until it is Open; "
            : " lets no gang in until it is Open; ")
        + gang;
  }

  private static boolean exceeds(Map<String, String> wanted, Map<String, String> capability) {
    return capability.entrySet().stream()
        .anyMatch(
            limit -> {
              BigDecimal most = BoundedQuantity.amount(limit.getValue());
              BigDecimal asked = BoundedQuantity.amount(wanted.getOrDefault(limit.getKey(), "0"));
              return most != null && asked != null && asked.compareTo(most) > 0;
            });
  }

  /**
   * Volcano's own words. What it says in a warning is that the gang has too few pods with a node;
   * the reason why it is not let in is in a normal event.
   */
  private static @Nullable String said(GangFacts facts) {
    return facts.events().stream()
        .filter(event -> event.reason().equals("Unschedulable") && event.type().equals("Normal"))
        .max(Comparator.comparing(GangFacts.Said::time))
        .map(GangFacts.Said::message)
        .orElse(null);
  }

  private static String list(Map<String, String> quantities) {
    return quantities.entrySet().stream()
        .map(one -> one.getKey() + "=" + one.getValue())
        .collect(Collectors.joining(", "));
  }

  private static Map<String, String> quantities(@Nullable Object value) {
    Map<String, String> quantities = new TreeMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((name, quantity) -> quantities.put(text(name), text(quantity)));
    }
    return quantities;
  }

  private static Map<?, ?> map(GenericKubernetesResource object, String field) {
    return object.getAdditionalProperties().get(field) instanceof Map<?, ?> map ? map : Map.of();
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : value.toString();
  }
}
