package dev.tensorstack.training.core.queue;

import static dev.tensorstack.training.core.queue.UntypedFields.maps;
import static dev.tensorstack.training.core.queue.UntypedFields.number;
import static dev.tensorstack.training.core.queue.UntypedFields.text;
import static dev.tensorstack.training.core.queue.UntypedFields.texts;
import static dev.tensorstack.training.core.queue.Workload.ADMITTED;
import static dev.tensorstack.training.core.queue.Workload.EVICTED;
import static dev.tensorstack.training.core.queue.Workload.FINISHED;
import static dev.tensorstack.training.core.queue.Workload.QUOTA_RESERVED;
import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.core.model.JobQueue;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.PodPriorities;
import dev.tensorstack.training.core.model.QueueAnswer;
import dev.tensorstack.training.core.model.QueueAnswer.Share;
import dev.tensorstack.training.core.model.QueueAnswer.State;
import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.queue.Workload.Condition;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Toleration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A LocalQueue of Kueue. The entry is a Workload that the operator owns; Kueue needs no code and no
 * setting for it (https://kueue.sigs.k8s.io/docs/concepts/workload/).
 *
 * @param name the name of the LocalQueue
 * @param priorityClass the name of the WorkloadPriorityClass; null for the priority of the pods
 * @param builtIn whether Kueue has an integration for jobs of the kind, which an administrator may
 *     have enabled: it makes Workloads itself then
 */
public record KueueQueue(String name, @Nullable String priorityClass, boolean builtIn)
    implements JobQueue {

  /** Label of a job: the LocalQueue it waits in. */
  public static final String QUEUE_LABEL = "kueue.x-k8s.io/queue-name";

  /** Label of a Workload: the uid of the job. Kueue names the job by it in its messages. */
  private static final String JOB_UID_LABEL = "kueue.x-k8s.io/job-uid";

  /** Label of a job: its WorkloadPriorityClass. */
  public static final String PRIORITY_LABEL = "kueue.x-k8s.io/priority-class";

  static final String GROUP = "kueue.x-k8s.io";

  private static final ObjectKind V1BETA2 =
      new ObjectKind(GROUP, "v1beta2", "Workload", "workloads");

  static final ObjectKind V1BETA1 = new ObjectKind(GROUP, "v1beta1", "Workload", "workloads");

  /** The kinds of entry, the one to prefer first: {@code Workload} in its versions. */
  public static final List<ObjectKind> KINDS = List.of(V1BETA2, V1BETA1);

  /** Annotation of a pod with a place by topology: its Workload. */
  private static final String WORKLOAD = GROUP + "/workload";

  /** Annotation of a pod that may be in any place of a topology. */
  static final String UNCONSTRAINED_TOPOLOGY = GROUP + "/podset-unconstrained-topology";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  /**
   * The queue that a job's labels name.
   *
   * @param labels the labels of the job
   * @param builtIn whether Kueue has an integration for jobs of the kind
   * @return the queue, or null when they name none
   */
  public static @Nullable KueueQueue of(Map<String, String> labels, boolean builtIn) {
    String queue = labels.get(QUEUE_LABEL);
    String priority = labels.get(PRIORITY_LABEL);
    return queue == null || queue.isEmpty()
        ? null
        : new KueueQueue(queue, priority == null || priority.isEmpty() ? null : priority, builtIn);
  }

  @Override
  public List<ObjectKind> kinds() {
    return KINDS;
  }

  @Override
  public List<ObjectKind> factKinds(ObjectKind kind) {
    return List.of(
        new ObjectKind(GROUP, kind.version(), "ResourceFlavor", "resourceflavors"),
        new ObjectKind(GROUP, kind.version(), "WorkloadPriorityClass", "workloadpriorityclasses"),
        new ObjectKind("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses"));
  }

  @Override
  public QueueFacts facts(Map<ObjectKind, List<GenericKubernetesResource>> objects) {
    Map<String, QueueFacts.Flavor> flavors = new LinkedHashMap<>();
    Map<String, Integer> own = new LinkedHashMap<>();
    Map<String, Integer> ofPods = new LinkedHashMap<>();
    Integer byDefault = null;
    for (Map.Entry<ObjectKind, List<GenericKubernetesResource>> list : objects.entrySet()) {
      for (GenericKubernetesResource one : list.getValue()) {
        String called = one.getMetadata().getName();
        Map<String, Object> fields = one.getAdditionalProperties();
        int value = number(fields.get("value"), 0);
        switch (list.getKey().kind()) {
          case "ResourceFlavor" -> flavors.put(called, flavor(fields.get("spec")));
          case "WorkloadPriorityClass" -> own.put(called, value);
          default -> {
            ofPods.put(called, value);
            if (Boolean.TRUE.equals(fields.get("globalDefault"))) {
              // Of several, the lowest: as Kubernetes' admission plugin Priority chooses.
              byDefault = byDefault == null ? value : Math.min(byDefault, value);
            }
          }
        }
      }
    }
    return new QueueFacts(
        flavors, own, new PodPriorities(ofPods, requireNonNullElse(byDefault, 0)));
  }

  private static QueueFacts.Flavor flavor(@Nullable Object spec) {
    return spec instanceof Map<?, ?> given
        ? new QueueFacts.Flavor(
            texts(given.get("nodeLabels")), tolerations(given.get("tolerations")))
        : new QueueFacts.Flavor(Map.of(), List.of());
  }

  private static List<Toleration> tolerations(@Nullable Object value) {
    return maps(value).stream()
        .map(toleration -> MAPPER.convertValue(toleration, Toleration.class))
        .toList();
  }

  @Override
  public @Nullable String missing(JobSpec job, QueueFacts facts) {
    String ofPods = WorkloadSpec.priorityClassOfPods(job);
    if (priorityClass != null) {
      return facts.priorities().containsKey(priorityClass)
          ? null
          : "WorkloadPriorityClass "
              + priorityClass
              + ", which the label "
              + PRIORITY_LABEL
              + " names, does not exist, or the operator may not list it";
    }
    return ofPods.isEmpty() || facts.podPriorities().values().containsKey(ofPods)
        ? null
        : "PriorityClass "
            + ofPods
            + ", which a template names, does not exist, or the operator may not list it";
  }

  @Override
  public Map<String, String> labels(String uid) {
    return Map.of(JOB_UID_LABEL, uid);
  }

  @Override
  public boolean mayMakeEntries() {
    return builtIn;
  }

  @Override
  public Map<String, Object> entry(
      ObjectKind kind, JobSpec job, QueueFacts facts, @Nullable GenericKubernetesResource present) {
    return WorkloadSpec.first(this, kind, job, facts, present);
  }

  @Override
  public Map<String, Object> growth(
      JobSpec job, Map<String, Integer> more, GenericKubernetesResource first) {
    return WorkloadSpec.growth(job, more, first);
  }

  @Override
  public Map<String, Object> givenBack(GenericKubernetesResource entry, Instant now) {
    return WorkloadStatus.givenBack(new Workload(entry), now);
  }

  @Override
  public @Nullable Map<String, Object> told(
      GenericKubernetesResource entry, Map<String, Integer> needed, boolean started, Instant now) {
    return WorkloadStatus.told(new Workload(entry), needed, started, now);
  }

  @Override
  public Map<String, Integer> asked(GenericKubernetesResource entry) {
    return new Workload(entry).asked();
  }

  @Override
  public Set<String> flavors(GenericKubernetesResource entry) {
    Set<String> flavors = new LinkedHashSet<>();
    new Workload(entry)
        .assignments()
        .forEach(one -> flavors.addAll(texts(one.get("flavors")).values()));
    return flavors;
  }

  @Override
  public boolean takesChanges(GenericKubernetesResource entry) {
    Workload workload = new Workload(entry);
    return !workload.condition(QUOTA_RESERVED).isTrue() && !workload.condition(FINISHED).isTrue();
  }

  @Override
  public QueueAnswer answer(GenericKubernetesResource entry, QueueFacts facts) {
    Workload workload = new Workload(entry);
    Condition reserved = workload.condition(QUOTA_RESERVED);
    Condition evicted = workload.condition(EVICTED);
    Condition finished = workload.condition(FINISHED);
    if (finished.isTrue()) {
      return new QueueAnswer(State.FINISHED, finished.words(), Map.of());
    }
    if (entry.getMetadata().getDeletionTimestamp() != null) {
      return new QueueAnswer(State.LEAVING, "its Workload is being deleted", Map.of());
    }
    if (evicted.isTrue() && reserved.isTrue()) {
      return new QueueAnswer(State.LEAVING, inQueue(evicted.words()), Map.of());
    }
    if (!reserved.isTrue()) {
      return new QueueAnswer(State.WAITING, inQueue(waitingWords(reserved, evicted)), Map.of());
    }
    Condition admitted = workload.condition(ADMITTED);
    if (!admitted.isTrue()) {
      return new QueueAnswer(State.WAITING, inQueue(checks(workload)), Map.of());
    }
    return new QueueAnswer(State.ADMITTED, "", shares(workload, facts));
  }

  private String inQueue(String words) {
    return words.startsWith("LocalQueue ") ? words : "LocalQueue " + name + ": " + words;
  }

  private static String waitingWords(Condition reserved, Condition evicted) {
    String now = reserved.message();
    if (!evicted.isTrue() || evicted.message().isEmpty()) {
      return now.isEmpty() ? "Kueue has not looked at the job yet" : now;
    }
    // What it waits for now says nothing of why it was taken back; of one that is not active, no
    // more than what it was when that began.
    return now.isEmpty() || now.equals(evicted.message()) || evicted.isDeactivated()
        ? evicted.message()
        : evicted.message() + "; now: " + now;
  }

  private static String checks(Workload workload) {
    List<String> waiting = new ArrayList<>();
    for (Map<?, ?> check : workload.admissionChecks()) {
      String state = text(check.get("state"));
      if (!state.equals("Ready")) {
        String message = text(check.get("message"));
        waiting.add(
            text(check.get("name")) + " is " + state + (message.isEmpty() ? "" : ", " + message));
      }
    }
    return waiting.isEmpty()
        ? "quota is reserved, admission is to come"
        : "quota is reserved, admission check " + String.join("; ", waiting);
  }

  private static Map<String, Share> shares(Workload workload, QueueFacts facts) {
    Map<String, Integer> held = workload.held();
    Map<String, Share> shares = new LinkedHashMap<>();
    for (Map<?, ?> assignment : workload.assignments()) {
      String set = text(assignment.get("name"));
      shares.put(set, share(workload, assignment, facts, held.getOrDefault(set, 0), set));
    }
    return shares;
  }

  private static Share share(
      Workload workload, Map<?, ?> assignment, QueueFacts facts, int count, String set) {
    Map<String, String> nodeSelector = new LinkedHashMap<>();
    List<Toleration> tolerations = new ArrayList<>();
    Map<String, String> labels = new LinkedHashMap<>();
    Map<String, String> annotations = new LinkedHashMap<>();
    for (String flavor : new LinkedHashSet<>(texts(assignment.get("flavors")).values())) {
      QueueFacts.Flavor known = facts.flavors().get(flavor);
      if (known != null) {
        nodeSelector.putAll(known.nodeLabels());
        tolerations.addAll(known.tolerations());
      }
    }
    for (Map<?, ?> check : workload.admissionChecks()) {
      for (Map<?, ?> update : maps(check.get("podSetUpdates"))) {
        if (set.equals(text(update.get("name")))) {
          nodeSelector.putAll(texts(update.get("nodeSelector")));
          labels.putAll(texts(update.get("labels")));
          annotations.putAll(texts(update.get("annotations")));
          tolerations.addAll(tolerations(update.get("tolerations")));
        }
      }
    }
    List<Map<String, String>> places = AssignedPlaces.of(assignment.get("topologyAssignment"));
    if (!places.isEmpty()) {
      // Whose pods they are: with none of them on a node, Kueue moves a job away from a node that
      // is cordoned, though all goes on.
      annotations.put(WORKLOAD, workload.object().getMetadata().getName());
      if (!hasTopologyRequest(workload, set)) {
        // By this Kueue knows that the pod is in a place that it has counted already.
        annotations.put(UNCONSTRAINED_TOPOLOGY, "true");
      }
    }
    return new Share(count, nodeSelector, tolerations, labels, annotations, places);
  }

  private static boolean hasTopologyRequest(Workload workload, String set) {
    return workload.podSets().stream()
        .anyMatch(
            one -> set.equals(text(one.get("name"))) && one.get("topologyRequest") instanceof Map);
  }
}
