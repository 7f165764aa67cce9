package dev.tensorstack.training.core.gang;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The coscheduling plugin of the scheduler plugins. It does not count pods that succeeded, and says
 * all it has to say on the pods.
 *
 * @param schedulerName the name of the scheduler that runs the plugin; null for the template's
 * @param scheduleTimeoutSeconds how long the gang may wait for its last pod; null for the plugin's
 */
public record CoschedulingGang(
    @Nullable String schedulerName, @Nullable Integer scheduleTimeoutSeconds)
    implements GangScheduler {

  /** The {@code schedulerName} under which the plugin usually runs. */
  public static final String SCHEDULER_NAME = "scheduler-plugins-scheduler";

  static final ObjectKind POD_GROUP = PodGroups.kind("scheduling.x-k8s.io", "v1alpha1");

  @Override
  public List<ObjectKind> kinds() {
    return List.of(POD_GROUP);
  }

  @Override
  public @Nullable String queue() {
    return null;
  }

  @Override
  public void mark(
      String type, int pods, @Nullable String group, ObjectMeta metadata, PodSpec pod) {
    String inTemplate = requireNonNullElse(pod.getSchedulerName(), "");
    if (schedulerName != null) {
      pod.setSchedulerName(schedulerName);
    } else if (inTemplate.isEmpty() || inTemplate.equals(KubernetesGang.SCHEDULER_NAME)) {
      pod.setSchedulerName(SCHEDULER_NAME);
    }
    if (group != null) {
      metadata.getLabels().put(POD_GROUP.group() + "/pod-group", group);
    }
  }

  @Override
  public Map<String, Object> podGroup(ObjectKind kind, GangMembers members) {
    PodGroups.require(this, kind);
    int size = PodGroups.withoutFinished(members);
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("minMember", size);
    PodGroups.putResources(spec, members.smallestUnfinished(), size);
    PodGroups.putIfGiven(spec, "scheduleTimeoutSeconds", scheduleTimeoutSeconds);
    return spec;
  }

  @Override
  public boolean hasToBeWoken() {
    return true;
  }

  @Override
  public String remedy() {
    return PodGroups.install(POD_GROUP);
  }
}
