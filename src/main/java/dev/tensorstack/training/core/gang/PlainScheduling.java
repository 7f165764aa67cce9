package dev.tensorstack.training.core.gang;

import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.core.naming.ObjectKind;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pods that are placed one by one, by the scheduler that their template names. In a Kueue queue
 * they are a group of plain pods.
 *
 * @param queue the Kueue queue, or null
 */
public record PlainScheduling(@Nullable String queue) implements GangScheduler {

  /** Label of pods: the name of their Kueue group. */
  private static final String KUEUE_GROUP_NAME = "kueue.x-k8s.io/pod-group-name";

  /** Annotation of pods: how many pods their Kueue group has. */
  private static final String KUEUE_TOTAL_COUNT = "kueue.x-k8s.io/pod-group-total-count";

  @Override
  public List<ObjectKind> kinds() {
    return List.of();
  }

  @Override
  public void mark(
      String type, int pods, @Nullable String group, ObjectMeta metadata, PodSpec pod) {
    if (queue == null) {
      return;
    }
    metadata.getLabels().put(Labels.KUEUE_QUEUE, queue);
    if (group != null) {
      metadata.getLabels().put(KUEUE_GROUP_NAME, group);
      metadata.getAnnotations().put(KUEUE_TOTAL_COUNT, Integer.toString(pods));
    }
  }

  @Override
  public Map<String, Object> podGroup(ObjectKind kind, GangMembers members) {
    throw new IllegalArgumentException("pods that are placed one by one have no " + kind);
  }

  @Override
  public String remedy() {
    throw new IllegalStateException("pods that are placed one by one need no PodGroup");
  }
}
