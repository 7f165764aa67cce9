package dev.tensorstack.training.core.gang;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.GangFacts;
import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Volcano. Pods that succeeded count as members of its group.
 *
 * @param queue the queue of the group; null for Volcano's default
 * @param priorityClassName the priority class of the group, or null
 */
public record VolcanoGang(@Nullable String queue, @Nullable String priorityClassName)
    implements GangScheduler {

  /** The {@code schedulerName} of its pods. */
  public static final String SCHEDULER_NAME = "volcano";

  static final ObjectKind POD_GROUP = PodGroups.kind("scheduling.volcano.sh", "v1beta1");

  /** Annotation of pods: the name of their PodGroup. */
  private static final String GROUP_NAME = "scheduling.k8s.io/group-name";

  private static final String UNSCHEDULABLE = "Unschedulable";
  private static final Set<String> CONDITIONS = Set.of(UNSCHEDULABLE, "Scheduled");

  @Override
  public List<ObjectKind> kinds() {
    return List.of(POD_GROUP);
  }

  @Override
  public void mark(
      String type, int pods, @Nullable String group, ObjectMeta metadata, PodSpec pod) {
    pod.setSchedulerName(SCHEDULER_NAME);
    if (group != null) {
      metadata.getAnnotations().put(GROUP_NAME, group);
    }
  }

  @Override
  public Map<String, Object> podGroup(ObjectKind kind, GangMembers members) {
    PodGroups.require(this, kind);
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("minMember", members.least());
    PodGroups.putIfGiven(spec, "queue", queue);
    PodGroups.putIfGiven(spec, "priorityClassName", priorityClassName);
    PodGroups.putResources(spec, members.smallest(), members.least());
    return spec;
  }

  /** Unschedulable stays true when things get better; the later of the two conditions counts. */
  @Override
  public @Nullable String waiting(GenericKubernetesResource podGroup) {
    PodGroupCondition latest =
        PodGroupCondition.of(podGroup).stream()
            .filter(condition -> CONDITIONS.contains(condition.type()))
            .filter(condition -> condition.is("True"))
            // Of two at the same second, being scheduled is the end of a wait.
            .max(
                Comparator.comparing(
                        (PodGroupCondition condition) ->
                            requireNonNullElse(condition.time(), Instant.EPOCH))
                    .thenComparing(condition -> !condition.type().equals(UNSCHEDULABLE)))
            .orElse(null);
    if (latest != null) {
      return latest.type().equals(UNSCHEDULABLE) ? latest.words() : null;
    }
    return PodGroupCondition.phase(podGroup).equals("Pending")
        ? "the PodGroup is Pending: its queue has no room yet"
        : null;
  }

  @Override
  public ObjectKind queueKind() {
    return VolcanoQueue.KIND;
  }

  @Override
  public GangFacts.Queue read(GenericKubernetesResource queue) {
    return VolcanoQueue.read(queue);
  }

  /** One that is not in its queue may have no conditions, and no phase where there is no queue. */
  @Override
  public boolean asksForFacts(GenericKubernetesResource podGroup) {
    return !VolcanoQueue.isIn(podGroup) || waiting(podGroup) != null;
  }

  @Override
  public @Nullable String hindrance(GenericKubernetesResource podGroup, GangFacts facts) {
    return asksForFacts(podGroup) ? VolcanoQueue.hindrance(podGroup, facts) : null;
  }

  @Override
  public String remedy() {
    return PodGroups.install(POD_GROUP);
  }
}
