package dev.tensorstack.training.core.gang;

import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The T9k scheduler. Pods that succeeded count as members of its group.
 *
 * @param queue the queue of the group
 * @param priority the priority of the group, 0 to 100
 */
public record T9kGang(String queue, int priority) implements GangScheduler {

  /** The {@code schedulerName} of its pods. */
  public static final String SCHEDULER_NAME = "t9k-scheduler";

  static final ObjectKind POD_GROUP = PodGroups.kind("scheduler.tensorstack.dev", "v1beta1");

  private static final String GROUP_SCHEDULED = "GroupScheduled";
  private static final String SUFFICIENT_MEMBERS = "SufficientGroupMember";

  @Override
  public List<ObjectKind> kinds() {
    return List.of(POD_GROUP);
  }

  @Override
  public void mark(
      String type, int pods, @Nullable String group, ObjectMeta metadata, PodSpec pod) {
    pod.setSchedulerName(SCHEDULER_NAME);
    metadata.getLabels().put(POD_GROUP.group() + "/queue", queue);
    metadata.getLabels().put(POD_GROUP.group() + "/role", type);
    if (group != null) {
      metadata.getLabels().put(POD_GROUP.group() + "/group-name", group);
    }
  }

  @Override
  public Map<String, Object> podGroup(ObjectKind kind, GangMembers members) {
    PodGroups.require(this, kind);
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("minMember", members.least());
    spec.put("queue", queue);
    spec.put("priority", priority);
    return spec;
  }

  /** Too few pods is the better answer: without them there is nothing to schedule. */
  @Override
  public @Nullable String waiting(GenericKubernetesResource podGroup) {
    List<PodGroupCondition> conditions = PodGroupCondition.of(podGroup);
    for (PodGroupCondition condition : conditions) {
      if (condition.type().equals(GROUP_SCHEDULED) && condition.is("True")) {
        return null;
      }
    }
    for (String type : List.of(SUFFICIENT_MEMBERS, GROUP_SCHEDULED)) {
      for (PodGroupCondition condition : conditions) {
        if (condition.type().equals(type) && condition.is("False")) {
          return condition.words();
        }
      }
    }
    return null;
  }

  @Override
  public String remedy() {
    return PodGroups.install(POD_GROUP);
  }
}
