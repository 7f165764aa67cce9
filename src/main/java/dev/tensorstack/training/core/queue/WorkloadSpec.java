package dev.tensorstack.training.core.queue;

import static dev.tensorstack.training.core.queue.KueueQueue.UNCONSTRAINED_TOPOLOGY;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a Workload asks for: pod sets, a priority, and a topology. */
final class WorkloadSpec {

  private static final String REQUIRED_TOPOLOGY = KueueQueue.GROUP + "/podset-required-topology";
  private static final String PREFERRED_TOPOLOGY = KueueQueue.GROUP + "/podset-preferred-topology";
  private static final String SLICE_TOPOLOGY = KueueQueue.GROUP + "/podset-slice-required-topology";
  private static final String SLICE_SIZE = KueueQueue.GROUP + "/podset-slice-size";
  private static final String POD_SET_GROUP = KueueQueue.GROUP + "/podset-group-name";

  /** More pods no job has, and more an int may not hold. */
  private static final Pattern SIZE = Pattern.compile("[0-9]{1,9}");

  /** What a job's later entries have in common with the first. */
  private static final List<String> FIELDS_OF_TURN =
      List.of(
          "queueName", "priority", "priorityClassRef", "priorityClassName", "priorityClassSource");

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};

  private WorkloadSpec() {}

  /** As {@link dev.tensorstack.training.core.model.JobQueue#entry} says. */
  static Map<String, Object> first(
      KueueQueue queue,
      ObjectKind kind,
      JobSpec job,
      QueueFacts facts,
      @Nullable GenericKubernetesResource present) {
    Map<String, Integer> counts = ReplicaLayout.counts(job);
    Map<String, Integer> least =
        job.elastic() == null
            ? counts
            : ReplicaLayout.counts(job.scaledTo(job.elastic().minReplicas()));
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("queueName", queue.name());
    putPriority(spec, queue.priorityClass(), kind, job, facts);
    if (present != null) {
      keepPriority(spec, new Workload(present).spec());
    }
    spec.put("podSets", podSets(job, counts, least));
    return spec;
  }

  /**
   * In the queue and with the priority of the first, whatever the labels say by now: by a higher
   * one it would preempt its own job.
   */
  static Map<String, Object> growth(
      JobSpec job, Map<String, Integer> more, GenericKubernetesResource first) {
    Map<String, Object> spec = new LinkedHashMap<>();
    Map<?, ?> ofFirst = new Workload(first).spec();
    for (String field : FIELDS_OF_TURN) {
      if (ofFirst.get(field) != null) {
        spec.put(field, ofFirst.get(field));
      }
    }
    spec.put("podSets", podSets(job, more, Map.of()));
    return spec;
  }

  private static List<Map<String, Object>> podSets(
      JobSpec job, Map<String, Integer> counts, Map<String, Integer> least) {
    // Kueue takes a least number for one pod set only.
    boolean oneVaries =
        counts.keySet().stream()
                .filter(type -> !Objects.equals(least.get(type), counts.get(type)))
                .count()
            == 1;
    List<Map<String, Object>> podSets = new ArrayList<>();
    for (ReplicaType type : job.types()) {
      int count = counts.getOrDefault(type.name(), 0);
      int minimum = Math.max(1, least.getOrDefault(type.name(), 1)); // Kueue knows no 0
      if (count > 0) {
        podSets.add(podSet(type, count, oneVaries && minimum < count ? minimum : null));
      }
    }
    return podSets;
  }

  private static void putPriority(
      Map<String, Object> spec,
      @Nullable String own,
      ObjectKind kind,
      JobSpec job,
      QueueFacts facts) {
    String ofPods = priorityClassOfPods(job);
    Integer value =
        own != null
            ? facts.priorities().get(own)
            : ofPods.isEmpty()
                ? (Integer) facts.podPriorities().ofOthers()
                : facts.podPriorities().values().get(ofPods);
    spec.put("priority", value == null ? 0 : value);
    String className = own == null ? ofPods : own;
    if (className.isEmpty()) {
      return;
    }
    String group = own == null ? "scheduling.k8s.io" : KueueQueue.GROUP;
    String classKind = own == null ? "PriorityClass" : "WorkloadPriorityClass";
    if (kind.equals(KueueQueue.V1BETA1)) {
      spec.put("priorityClassName", className);
      spec.put("priorityClassSource", group + "/" + classKind.toLowerCase(Locale.ROOT));
    } else {
      spec.put("priorityClassRef", Map.of("group", group, "kind", classKind, "name", className));
    }
  }

  /** Kueue writes a changed value of the same class into what waits: that is not undone. */
  private static void keepPriority(Map<String, Object> spec, Map<?, ?> present) {
    boolean sameClass =
        Objects.equals(spec.get("priorityClassRef"), present.get("priorityClassRef"))
            && Objects.equals(spec.get("priorityClassName"), present.get("priorityClassName"))
            && Objects.equals(spec.get("priorityClassSource"), present.get("priorityClassSource"));
    if (sameClass && present.get("priority") != null) {
      spec.put("priority", present.get("priority"));
    }
  }

  /** The first that a type names, as Kueue takes it for other kinds of jobs. */
  static String priorityClassOfPods(JobSpec job) {
    return job.types().stream()
        .map(type -> type.template().getSpec())
        .filter(Objects::nonNull)
        .map(pod -> requireNonNullElse(pod.getPriorityClassName(), ""))
        .filter(className -> !className.isEmpty())
        .findFirst()
        .orElse("");
  }

  private static Map<String, Object> podSet(ReplicaType type, int count, @Nullable Integer least) {
    Map<String, Object> set = new LinkedHashMap<>();
    set.put("name", podSetOf(type.name()));
    set.put("count", count);
    if (least != null) {
      set.put("minCount", least);
    }
    PodTemplateSpec template = type.template();
    PodSpec pod = requireNonNullElse(template.getSpec(), new PodSpec());
    Map<String, Object> copy = new LinkedHashMap<>();
    copy.put("spec", MAPPER.convertValue(pod, MAP));
    set.put("template", copy);
    Map<String, Object> topology = topology(annotations(template));
    if (!topology.isEmpty()) {
      set.put("topologyRequest", topology);
    }
    return set;
  }

  private static Map<String, String> annotations(PodTemplateSpec template) {
    ObjectMeta metadata = template.getMetadata();
    return metadata == null ? Map.of() : requireNonNullElse(metadata.getAnnotations(), Map.of());
  }

  /**
   * As Kueue reads them for its own kinds of jobs (pkg/controller/jobframework/tas.go). What is
   * wrong or half is handed on as it is: Kueue's webhook refuses the Workload with words that the
   * job then shows.
   */
  private static Map<String, Object> topology(Map<String, String> annotations) {
    Map<String, Object> topology = new LinkedHashMap<>();
    boolean together = true;
    if (annotations.containsKey(REQUIRED_TOPOLOGY)) {
      topology.put("required", annotations.get(REQUIRED_TOPOLOGY));
    } else if (annotations.containsKey(PREFERRED_TOPOLOGY)) {
      topology.put("preferred", annotations.get(PREFERRED_TOPOLOGY));
    } else {
      together = false;
      if (Boolean.parseBoolean(annotations.get(UNCONSTRAINED_TOPOLOGY))) {
        topology.put("unconstrained", true);
      }
    }
    if (annotations.containsKey(SLICE_TOPOLOGY)) {
      topology.put("podSetSliceRequiredTopology", annotations.get(SLICE_TOPOLOGY));
    }
    String size = annotations.get(SLICE_SIZE);
    if (size != null && SIZE.matcher(size).matches()) {
      topology.put("podSetSliceSize", Integer.parseInt(size));
    }
    if (together && annotations.containsKey(POD_SET_GROUP)) {
      topology.put("podSetGroupName", annotations.get(POD_SET_GROUP));
    }
    return topology;
  }

  /** Pod sets are named like DNS labels. */
  static String podSetOf(String type) {
    return type.toLowerCase(Locale.ROOT);
  }
}
