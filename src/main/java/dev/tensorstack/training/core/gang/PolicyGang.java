package dev.tensorstack.training.core.gang;

import dev.tensorstack.training.core.model.GangFacts;
import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A gang scheduler with what a job says of its group, as Kubeflow's operator does it: a scheduler
 * that the user names in a template stays, and Volcano's pods wait until their group is let in.
 *
 * @param gang the scheduler
 * @param minAvailable how many pods have to find a place together; null for all
 * @param minResources what they need together; null for the sum of what the most important ones
 *     request
 * @param groupAnnotations annotations of the PodGroup
 */
public record PolicyGang(
    GangScheduler gang,
    @Nullable Integer minAvailable,
    @Nullable Map<String, Quantity> minResources,
    Map<String, String> groupAnnotations)
    implements GangScheduler {

  private static final String TASK = "volcano.sh/task-spec";

  private boolean isVolcano() {
    return gang instanceof VolcanoGang;
  }

  @Override
  public List<ObjectKind> kinds() {
    return gang.kinds();
  }

  @Override
  public @Nullable String queue() {
    return gang.queue();
  }

  @Override
  public void mark(
      String type, int pods, @Nullable String group, ObjectMeta metadata, PodSpec pod) {
    String users = pod.getSchedulerName();
    gang.mark(type, pods, group, metadata, pod);
    if (users != null && !users.isEmpty()) {
      pod.setSchedulerName(users);
    }
    if (isVolcano() && group != null) {
      metadata.getAnnotations().put(TASK, type);
    }
  }

  @Override
  public Map<String, Object> podGroup(ObjectKind kind, GangMembers members) {
    Map<String, Object> spec =
        new LinkedHashMap<>(
            gang.podGroup(
                kind,
                minAvailable == null
                    ? members
                    : new GangMembers(minAvailable, members.unfinished(), members.smallest())));
    if (minResources != null) {
      Map<String, Object> resources = new TreeMap<>();
      for (Map.Entry<String, Quantity> one : minResources.entrySet()) {
        if (one.getValue() != null) {
          resources.put(one.getKey(), one.getValue().toString());
        }
      }
      spec.put("minResources", resources);
    }
    return spec;
  }

  /** A group that is smaller than its job consists of the most important pods. */
  @Override
  public boolean countsMostImportantPods(int pods) {
    return minAvailable != null && minAvailable < pods && minResources == null;
  }

  @Override
  public boolean takesNewPods(ObjectKind kind, GangMembers members) {
    return gang.takesNewPods(kind, members);
  }

  @Override
  public @Nullable String waiting(GenericKubernetesResource podGroup) {
    return gang.waiting(podGroup);
  }

  @Override
  public boolean hasToBeWoken() {
    return gang.hasToBeWoken();
  }

  @Override
  public @Nullable ObjectKind queueKind() {
    return gang.queueKind();
  }

  @Override
  public GangFacts.Queue read(GenericKubernetesResource queue) {
    return gang.read(queue);
  }

  @Override
  public boolean asksForFacts(GenericKubernetesResource podGroup) {
    return gang.asksForFacts(podGroup);
  }

  @Override
  public @Nullable String hindrance(GenericKubernetesResource podGroup, GangFacts facts) {
    return gang.hindrance(podGroup, facts);
  }

  /** Pods that wait in the cluster for a queue without room would only be in the way. */
  @Override
  public @Nullable String holdsBack(GenericKubernetesResource podGroup) {
    if (!isVolcano()) {
      return null;
    }
    if (VolcanoQueue.isIn(podGroup)) {
      return null;
    }
    String why = gang.waiting(podGroup);
    return why == null ? "the PodGroup is not in its queue yet" : why;
  }

  @Override
  public String remedy() {
    return "install the gang scheduler that the operator is set to use, with its CRD "
        + kinds().get(0).plural()
        + "."
        + kinds().get(0).group();
  }
}
