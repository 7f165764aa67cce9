package dev.tensorstack.training.resource;

import static java.util.Objects.requireNonNullElse;

import dev.tensorstack.training.api.v1beta1.CoschedulingScheduler;
import dev.tensorstack.training.api.v1beta1.Elastic;
import dev.tensorstack.training.api.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.api.v1beta1.ReplicaSpec;
import dev.tensorstack.training.api.v1beta1.Scheduler;
import dev.tensorstack.training.api.v1beta1.T9kScheduler;
import dev.tensorstack.training.api.v1beta1.VolcanoScheduler;
import dev.tensorstack.training.naming.GangSchedulers;
import dev.tensorstack.training.naming.ObjectKind;
import dev.tensorstack.training.observation.TrainingJob;
import dev.tensorstack.training.policy.ReplicaLayout;
import dev.tensorstack.training.policy.ScaledSpec;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The PodGroup of a job: how many of its pods have to fit before any is placed (docs/concepts.md,
 * Gang scheduling; what each scheduler does with it: docs/design/gang.md).
 */
public final class PodGroupFactory {

  private static final String DEFAULT_QUEUE = "default";
  private static final int DEFAULT_PRIORITY = 10;

  private PodGroupFactory() {}

  /**
   * Makes the PodGroup of a job.
   *
   * @param job a job without violations, its spec with all defaults
   * @param layout the replicas that shall exist
   * @param kind the kind to make, one of {@link PodGroupKinds#of} for this job
   * @param done how many replicas of the layout have a present pod that has succeeded; some
   *     schedulers do not count those
   * @return the object to apply
   * @throws IllegalArgumentException when the job's scheduler does not know the kind
   */
  public static GenericKubernetesResource podGroup(
      TrainingJob job, ReplicaLayout layout, ObjectKind kind, int done) {
    PyTorchTrainingJobSpec spec = job.spec();
    if (!PodGroupKinds.of(job).contains(kind)) {
      throw new IllegalArgumentException("the scheduler of " + job.name() + " knows no " + kind);
    }
    return CompanionObject.of(
        job, kind, job.names().base(), group(spec, kind, size(spec, layout, kind, done)));
  }

  /**
   * Whether a pod created now shall name its job's group. Not so a replacement in a group whose
   * size cannot be changed and which can never be complete again, because pods that succeeded do
   * not count: it would wait for ever, and a group that was placed once has no more to give.
   *
   * @param job the job
   * @param layout the replicas that shall exist
   * @param kind the kind of its group, or null when it has none
   * @param done how many replicas of the layout have a present pod that has succeeded
   * @return false only for Kubernetes 1.36, when fewer than the gang's pods can be placed
   */
  public static boolean takesNewPods(
      TrainingJob job, ReplicaLayout layout, @Nullable ObjectKind kind, int done) {
    return !PodGroupKinds.KUBERNETES_1_36.equals(kind)
        || layout.size() - done >= members(job.spec(), layout);
  }

  private static Map<String, Object> group(PyTorchTrainingJobSpec job, ObjectKind kind, int size) {
    Scheduler scheduler = job.scheduler();
    return switch (kind.group()) {
      case GangSchedulers.T9K_GROUP -> t9k(scheduler.t9kScheduler(), size);
      case GangSchedulers.VOLCANO_GROUP -> volcano(scheduler.volcano(), job, size);
      case GangSchedulers.COSCHEDULING_GROUP -> coscheduling(scheduler.coscheduling(), job, size);
      default -> kubernetes(job, size);
    };
  }

  private static int size(
      PyTorchTrainingJobSpec spec, ReplicaLayout layout, ObjectKind kind, int done) {
    int members = members(spec, layout);
    boolean countsThoseThatSucceeded =
        kind.equals(PodGroupKinds.T9K) || kind.equals(PodGroupKinds.VOLCANO);
    if (countsThoseThatSucceeded || kind.equals(PodGroupKinds.KUBERNETES_1_36)) {
      return members;
    }
    return Math.max(1, Math.min(members, layout.size() - done));
  }

  private static int members(PyTorchTrainingJobSpec spec, ReplicaLayout layout) {
    Elastic elastic = spec.elastic();
    return elastic != null && elastic.on() ? elastic.minReplicas() : layout.size();
  }

  private static Map<String, Object> t9k(T9kScheduler settings, int size) {
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("minMember", size);
    spec.put("queue", requireNonNullElse(settings.queue(), DEFAULT_QUEUE));
    spec.put("priority", requireNonNullElse(settings.priority(), DEFAULT_PRIORITY));
    return spec;
  }

  private static Map<String, Object> volcano(
      VolcanoScheduler settings, PyTorchTrainingJobSpec job, int size) {
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("minMember", size);
    putIfGiven(spec, "queue", settings.queue());
    putIfGiven(spec, "priorityClassName", settings.priorityClassName());
    putResources(spec, job, size);
    return spec;
  }

  private static Map<String, Object> coscheduling(
      CoschedulingScheduler settings, PyTorchTrainingJobSpec job, int size) {
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("minMember", size);
    putResources(spec, job, size);
    putIfGiven(spec, "scheduleTimeoutSeconds", settings.scheduleTimeoutSeconds());
    return spec;
  }

  private static Map<String, Object> kubernetes(PyTorchTrainingJobSpec job, int size) {
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("schedulingPolicy", Map.of("gang", Map.of("minCount", size)));
    // With workload-aware preemption the group has a priority of its own, whatever its pods have.
    List<String> classes =
        job.replicaSpecs().stream()
            .map(type -> requireNonNullElse(type.template().getSpec().getPriorityClassName(), ""))
            .distinct()
            .collect(Collectors.toList());
    if (classes.size() == 1) {
      putIfGiven(spec, "priorityClassName", classes.get(0));
    }
    return spec;
  }

  private static void putIfGiven(Map<String, Object> spec, String field, @Nullable Object value) {
    if (value != null && !value.equals("")) {
      spec.put(field, value);
    }
  }

  /** Without them, schedulers take the gang for one that fits anywhere. */
  private static void putResources(Map<String, Object> spec, PyTorchTrainingJobSpec job, int size) {
    Map<String, Object> resources = MinResources.of(smallest(job, size));
    if (!resources.isEmpty()) {
      spec.put("minResources", resources);
    }
  }

  /** The pods of the gang, the master first; of an elastic job, those it has at its smallest. */
  private static List<MinResources.Pods> smallest(PyTorchTrainingJobSpec job, int size) {
    Elastic elastic = job.elastic();
    Map<String, Integer> counts =
        ReplicaLayout.counts(
            elastic != null && elastic.on() ? ScaledSpec.of(job, elastic.minReplicas()) : job);
    List<MinResources.Pods> pods = new ArrayList<>();
    int left = size;
    for (ReplicaSpec type : job.replicaSpecs()) {
      int count = Math.min(left, counts.getOrDefault(type.type(), 0));
      PodSpec template = type.template().getSpec();
      pods.add(new MinResources.Pods(template, count));
      left -= count;
    }
    return pods;
  }
}
