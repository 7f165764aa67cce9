package dev.tensorstack.training.core.gang;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The gang scheduling of Kubernetes itself. It does not count pods that succeeded. */
public record KubernetesGang() implements GangScheduler {

  /** The {@code schedulerName} of a pod that names none. */
  public static final String SCHEDULER_NAME = "default-scheduler";

  private static final String GROUP = "scheduling.k8s.io";

  /** Kubernetes 1.36; its spec cannot be changed. */
  static final ObjectKind POD_GROUP_1_36 = PodGroups.kind(GROUP, "v1alpha2");

  static final List<ObjectKind> POD_GROUPS =
      List.of(PodGroups.kind(GROUP, "v1beta1"), PodGroups.kind(GROUP, "v1alpha3"), POD_GROUP_1_36);

  private static final Set<String> CONDITIONS =
      Set.of("PodGroupInitiallyScheduled", "PodGroupScheduled");

  @Override
  public List<ObjectKind> kinds() {
    return POD_GROUPS;
  }

  @Override
  public @Nullable String queue() {
    return null;
  }

  @Override
  public void mark(
      String type, int pods, @Nullable String group, ObjectMeta metadata, PodSpec pod) {
    if (group != null) {
      pod.setAdditionalProperty("schedulingGroup", Map.of("podGroupName", group));
    }
  }

  @Override
  public Map<String, Object> podGroup(ObjectKind kind, GangMembers members) {
    PodGroups.require(this, kind);
    int size = kind.equals(POD_GROUP_1_36) ? members.least() : PodGroups.withoutFinished(members);
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("schedulingPolicy", Map.of("gang", Map.of("minCount", size)));
    // With workload-aware preemption the group has a priority of its own, whatever its pods have.
    List<String> classes =
        members.smallest().stream()
            .map(pods -> requireNonNullElse(pods.spec().getPriorityClassName(), ""))
            .distinct()
            .toList();
    if (classes.size() == 1) {
      PodGroups.putIfGiven(spec, "priorityClassName", classes.get(0));
    }
    return spec;
  }

  /**
   * False for a replacement in a group whose size cannot be changed and that can never be complete
   * again, because pods that succeeded do not count: it would wait for ever, and a group that was
   * placed once has no more to give.
   */
  @Override
  public boolean takesNewPods(ObjectKind kind, GangMembers members) {
    return !kind.equals(POD_GROUP_1_36) || members.unfinished() >= members.least();
  }

  @Override
  public @Nullable String waiting(GenericKubernetesResource podGroup) {
    return PodGroupCondition.of(podGroup).stream()
        .filter(condition -> CONDITIONS.contains(condition.type()))
        .filter(condition -> condition.is("False"))
        .findFirst()
        .map(PodGroupCondition::words)
        .orElse(null);
  }

  @Override
  public String remedy() {
    return "switch gang scheduling on in Kubernetes (1.36 or newer: feature gate GenericWorkload,"
        + " and the version in --runtime-config of kube-apiserver)";
  }
}
