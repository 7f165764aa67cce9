package dev.tensorstack.training.resource;

import dev.tensorstack.training.api.v1beta1.CoschedulingScheduler;
import dev.tensorstack.training.api.v1beta1.Scheduler;
import dev.tensorstack.training.api.v1beta1.T9kScheduler;
import dev.tensorstack.training.naming.Labels;
import dev.tensorstack.training.observation.TrainingJob;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.Map;
import java.util.Objects;

/**
 * What a pod carries so that the job's scheduler knows it (docs/concepts.md, Objects and names).
 */
final class SchedulerPlacement {

  private static final String T9K_LABEL = "scheduler.tensorstack.dev/";
  private static final String DEFAULT_SCHEDULER = "default-scheduler";

  private static final Scheduler NONE = new Scheduler(null, null, null, null);

  private SchedulerPlacement() {}

  /** Marks a pod of a job of {@code pods} pods for the job's scheduler. */
  static void apply(TrainingJob job, String type, int pods, ObjectMeta metadata, PodSpec pod) {
    String group = job.names().base();
    Scheduler scheduler = job.spec().scheduler();
    if (scheduler == null || scheduler.equals(NONE)) {
      kueue(job, group, pods, metadata);
    } else if (scheduler.t9kScheduler() != null) {
      t9k(scheduler.t9kScheduler(), group, type, metadata, pod);
    } else if (scheduler.volcano() != null) {
      pod.setSchedulerName("volcano");
      metadata.getAnnotations().put("scheduling.k8s.io/group-name", group);
    } else if (scheduler.coscheduling() != null) {
      coscheduling(scheduler.coscheduling(), group, metadata, pod);
    } else if (scheduler.kubernetes() != null) {
      pod.setAdditionalProperty("schedulingGroup", Map.of("podGroupName", group));
    }
  }

  private static void kueue(TrainingJob job, String group, int pods, ObjectMeta metadata) {
    String queue = job.labels().get(Labels.KUEUE_QUEUE);
    if (queue != null) {
      metadata.getLabels().put(Labels.KUEUE_QUEUE, queue);
      metadata.getLabels().put("kueue.x-k8s.io/pod-group-name", group);
      metadata.getAnnotations().put("kueue.x-k8s.io/pod-group-total-count", Integer.toString(pods));
    }
  }

  private static void t9k(
      T9kScheduler t9k, String group, String type, ObjectMeta metadata, PodSpec pod) {
    pod.setSchedulerName("t9k-scheduler");
    metadata.getLabels().put(T9K_LABEL + "group-name", group);
    metadata
        .getLabels()
        .put(T9K_LABEL + "queue", Objects.requireNonNullElse(t9k.queue(), "default"));
    metadata.getLabels().put(T9K_LABEL + "role", type);
  }

  private static void coscheduling(
      CoschedulingScheduler settings, String group, ObjectMeta metadata, PodSpec pod) {
    metadata.getLabels().put("scheduling.x-k8s.io/pod-group", group);
    String inTemplate = pod.getSchedulerName();
    if (settings.schedulerName() != null) {
      pod.setSchedulerName(settings.schedulerName());
    } else if (inTemplate == null || inTemplate.equals(DEFAULT_SCHEDULER)) {
      pod.setSchedulerName("scheduler-plugins-scheduler");
    }
  }
}
