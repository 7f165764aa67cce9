package dev.tensorstack.training.resource;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.api.v1beta1.CoschedulingScheduler;
import dev.tensorstack.training.api.v1beta1.Scheduler;
import dev.tensorstack.training.naming.GangSchedulers;
import dev.tensorstack.training.naming.Labels;
import dev.tensorstack.training.observation.TrainingJob;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a pod carries so that the job's scheduler knows it (docs/concepts.md, Gang scheduling). */
final class SchedulerPlacement {

  private static final Scheduler NONE = new Scheduler(null, null, null, null);

  private final ObjectMeta metadata;
  private final PodSpec pod;

  private SchedulerPlacement(ObjectMeta metadata, PodSpec pod) {
    this.metadata = metadata;
    this.pod = pod;
  }

  /**
   * Marks a pod for the job's scheduler.
   *
   * @param job the job
   * @param type the pod's replica type
   * @param pods how many pods the job has
   * @param group the group that the pod joins; null when it shall be placed by itself
   * @param metadata the pod's metadata, which is changed
   * @param pod the pod's spec, which is changed
   */
  static void apply(
      TrainingJob job,
      String type,
      int pods,
      @Nullable String group,
      ObjectMeta metadata,
      PodSpec pod) {
    Scheduler scheduler = job.spec().scheduler();
    SchedulerPlacement placement = new SchedulerPlacement(metadata, pod);
    if (scheduler == null || scheduler.equals(NONE)) {
      placement.kueue(job.labels().get(Labels.KUEUE_QUEUE), pods, group);
    } else if (scheduler.t9kScheduler() != null) {
      placement.t9k(requireNonNullElse(scheduler.t9kScheduler().queue(), "default"), type, group);
    } else if (scheduler.volcano() != null) {
      placement.volcano(group);
    } else if (scheduler.coscheduling() != null) {
      placement.coscheduling(scheduler.coscheduling(), group);
    } else if (group != null) {
      pod.setAdditionalProperty("schedulingGroup", Map.of("podGroupName", group));
    }
  }

  private void kueue(@Nullable String queue, int pods, @Nullable String group) {
    if (queue == null) {
      return;
    }
    metadata.getLabels().put(Labels.KUEUE_QUEUE, queue);
    if (group != null) {
      metadata.getLabels().put(GangSchedulers.KUEUE_GROUP_NAME, group);
      metadata.getAnnotations().put(GangSchedulers.KUEUE_TOTAL_COUNT, Integer.toString(pods));
    }
  }

  private void t9k(String queue, String type, @Nullable String group) {
    pod.setSchedulerName(GangSchedulers.T9K_NAME);
    metadata.getLabels().put(GangSchedulers.T9K_QUEUE, queue);
    metadata.getLabels().put(GangSchedulers.T9K_ROLE, type);
    if (group != null) {
      metadata.getLabels().put(GangSchedulers.T9K_GROUP_NAME, group);
    }
  }

  private void volcano(@Nullable String group) {
    pod.setSchedulerName(GangSchedulers.VOLCANO_NAME);
    if (group != null) {
      metadata.getAnnotations().put(GangSchedulers.VOLCANO_GROUP_NAME, group);
    }
  }

  private void coscheduling(CoschedulingScheduler settings, @Nullable String group) {
    String inTemplate = requireNonNullElse(pod.getSchedulerName(), "");
    if (settings.schedulerName() != null) {
      pod.setSchedulerName(settings.schedulerName());
    } else if (inTemplate.isEmpty() || inTemplate.equals(GangSchedulers.DEFAULT_NAME)) {
      pod.setSchedulerName(GangSchedulers.COSCHEDULING_NAME);
    }
    if (group != null) {
      metadata.getLabels().put(GangSchedulers.COSCHEDULING_GROUP_NAME, group);
    }
  }
}
