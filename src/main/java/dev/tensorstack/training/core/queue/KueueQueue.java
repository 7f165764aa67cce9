package dev.tensorstack.training.core.queue;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.core.model.JobQueue;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.PodPriorities;
import dev.tensorstack.training.core.model.QueueAnswer;
import dev.tensorstack.training.core.model.QueueAnswer.Share;
import dev.tensorstack.training.core.model.QueueAnswer.State;
import dev.tensorstack.training.core.model.QueueFacts;
import dev.tensorstack.training.core.model.ReplicaType;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Toleration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
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

  private static final String GROUP = "kueue.x-k8s.io";

  private static final ObjectKind V1BETA2 =
      new ObjectKind(GROUP, "v1beta2", "Workload", "workloads");

  private static final ObjectKind V1BETA1 =
      new ObjectKind(GROUP, "v1beta1", "Workload", "workloads");

  /** The kinds of entry, the one to prefer first: {@code Workload} in its versions. */
  public static final List<ObjectKind> KINDS = List.of(V1BETA2, V1BETA1);

  /** Annotation of a pod with a place by topology: its Workload. */
  private static final String WORKLOAD = GROUP + "/workload";

  private static final String REQUIRED_TOPOLOGY = GROUP + "/podset-required-topology";
  private static final String PREFERRED_TOPOLOGY = GROUP + "/podset-preferred-topology";
  private static final String UNCONSTRAINED_TOPOLOGY = GROUP + "/podset-unconstrained-topology";
  private static final String SLICE_TOPOLOGY = GROUP + "/podset-slice-required-topology";
  private static final String SLICE_SIZE = GROUP + "/podset-slice-size";
  private static final String POD_SET_GROUP = GROUP + "/podset-group-name";

  /** More pods no job has, and more an int may not hold. */
  private static final Pattern SIZE = Pattern.compile("[0-9]{1,9}");

  private static final String QUOTA_RESERVED = "QuotaReserved";
  private static final String ADMITTED = "Admitted";
  private static final String EVICTED = "Evicted";
  private static final String FINISHED = "Finished";
  private static final String REQUEUED = "Requeued";
  private static final String PODS_READY = "PodsReady";

  /** What the reason of an eviction begins with when an entry is not active any more. */
  private static final String DEACTIVATED = "Deactivated";

  /** Only these evictions send a job back to its queue by themselves; others have a condition. */
  private static final Set<String> REQUEUED_AT_ONCE = Set.of("Preempted", "NodeFailures");

  /** What a job's later entries have in common with the first. */
  private static final List<String> FIELDS_OF_TURN =
      List.of(
          "queueName", "priority", "priorityClassRef", "priorityClassName", "priorityClassSource");

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};

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
    String ofPods = priorityClassOfPods(job);
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
    Map<String, Integer> counts = ReplicaLayout.counts(job);
    Map<String, Integer> least =
        job.elastic() == null
            ? counts
            : ReplicaLayout.counts(job.scaledTo(job.elastic().minReplicas()));
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("queueName", name);
    putPriority(spec, kind, job, facts);
    if (present != null) {
      keepPriority(spec, spec(present));
    }
    spec.put("podSets", podSets(job, counts, least));
    return spec;
  }

  /**
   * In the queue and with the priority of the first, whatever the labels say by now: by a higher
   * one it would preempt its own job.
   */
  @Override
  public Map<String, Object> growth(
      JobSpec job, Map<String, Integer> more, GenericKubernetesResource first) {
    Map<String, Object> spec = new LinkedHashMap<>();
    Map<?, ?> ofFirst = spec(first);
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

  private void putPriority(
      Map<String, Object> spec, ObjectKind kind, JobSpec job, QueueFacts facts) {
    String own = priorityClass;
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
    String group = own == null ? "scheduling.k8s.io" : GROUP;
    String classKind = own == null ? "PriorityClass" : "WorkloadPriorityClass";
    if (kind.equals(V1BETA1)) {
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
  private static String priorityClassOfPods(JobSpec job) {
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
  private static String podSetOf(String type) {
    return type.toLowerCase(Locale.ROOT);
  }

  @Override
  public Set<String> flavors(GenericKubernetesResource entry) {
    Set<String> flavors = new LinkedHashSet<>();
    assignments(entry).forEach(one -> flavors.addAll(texts(one.get("flavors")).values()));
    return flavors;
  }

  @Override
  public boolean takesChanges(GenericKubernetesResource entry) {
    return !Condition.of(entry, QUOTA_RESERVED).isTrue() && !Condition.of(entry, FINISHED).isTrue();
  }

  @Override
  public QueueAnswer answer(GenericKubernetesResource entry, QueueFacts facts) {
    Condition reserved = Condition.of(entry, QUOTA_RESERVED);
    Condition evicted = Condition.of(entry, EVICTED);
    Condition finished = Condition.of(entry, FINISHED);
    if (finished.isTrue()) {
      return new QueueAnswer(State.FINISHED, words(finished), Map.of());
    }
    if (entry.getMetadata().getDeletionTimestamp() != null) {
      return new QueueAnswer(State.LEAVING, "its Workload is being deleted", Map.of());
    }
    if (evicted.isTrue() && reserved.isTrue()) {
      return new QueueAnswer(State.LEAVING, inQueue(words(evicted)), Map.of());
    }
    if (!reserved.isTrue()) {
      return new QueueAnswer(State.WAITING, inQueue(waitingWords(reserved, evicted)), Map.of());
    }
    Condition admitted = Condition.of(entry, ADMITTED);
    if (!admitted.isTrue()) {
      return new QueueAnswer(State.WAITING, inQueue(checks(entry)), Map.of());
    }
    return new QueueAnswer(State.ADMITTED, "", shares(entry, facts));
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
    return now.isEmpty() || now.equals(evicted.message()) || isDeactivated(evicted)
        ? evicted.message()
        : evicted.message() + "; now: " + now;
  }

  private static boolean isDeactivated(Condition evicted) {
    return evicted.reason().startsWith(DEACTIVATED);
  }

  private static String words(Condition condition) {
    return condition.message().isEmpty() ? condition.reason() : condition.message();
  }

  private static String checks(GenericKubernetesResource entry) {
    List<String> waiting = new ArrayList<>();
    for (Map<?, ?> check : maps(status(entry).get("admissionChecks"))) {
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

  private static Map<String, Share> shares(GenericKubernetesResource entry, QueueFacts facts) {
    Map<String, Integer> reclaimed = reclaimedPods(entry);
    Map<String, Integer> asked = countsOfSpec(entry);
    Map<String, Share> shares = new LinkedHashMap<>();
    for (Map<?, ?> assignment : assignments(entry)) {
      String set = text(assignment.get("name"));
      shares.put(set, share(entry, assignment, facts, held(assignment, asked, reclaimed), set));
    }
    return shares;
  }

  private static Share share(
      GenericKubernetesResource entry,
      Map<?, ?> assignment,
      QueueFacts facts,
      int count,
      String set) {
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
    for (Map<?, ?> check : maps(status(entry).get("admissionChecks"))) {
      for (Map<?, ?> update : maps(check.get("podSetUpdates"))) {
        if (set.equals(text(update.get("name")))) {
          nodeSelector.putAll(texts(update.get("nodeSelector")));
          labels.putAll(texts(update.get("labels")));
          annotations.putAll(texts(update.get("annotations")));
          tolerations.addAll(tolerations(update.get("tolerations")));
        }
      }
    }
    List<Map<String, String>> places = places(assignment.get("topologyAssignment"));
    if (!places.isEmpty()) {
      // Whose pods they are: with none of them on a node, Kueue moves a job away from a node that
      // is cordoned, though all goes on.
      annotations.put(WORKLOAD, entry.getMetadata().getName());
      if (!hasTopologyRequest(entry, set)) {
        // By this Kueue knows that the pod is in a place that it has counted already.
        annotations.put(UNCONSTRAINED_TOPOLOGY, "true");
      }
    }
    return new Share(count, nodeSelector, tolerations, labels, annotations, places);
  }

  private static boolean hasTopologyRequest(GenericKubernetesResource entry, String set) {
    return podSets(entry).stream()
        .anyMatch(
            one -> set.equals(text(one.get("name"))) && one.get("topologyRequest") instanceof Map);
  }

  /** One place for each pod, from the compressed form of v1beta2 or the lists of v1beta1. */
  private static List<Map<String, String>> places(@Nullable Object topology) {
    List<Map<String, String>> places = new ArrayList<>();
    if (!(topology instanceof Map<?, ?> given)) {
      return places;
    }
    List<String> levels = strings(given.get("levels"));
    for (Map<?, ?> domain : maps(given.get("domains"))) {
      List<String> values = strings(domain.get("values"));
      for (int pod = 0; pod < number(domain.get("count"), 0); pod++) {
        Map<String, String> place = new LinkedHashMap<>();
        for (int level = 0; level < Math.min(levels.size(), values.size()); level++) {
          place.put(levels.get(level), values.get(level));
        }
        places.add(place);
      }
    }
    for (Map<?, ?> slice : maps(given.get("slices"))) {
      List<Map<?, ?>> values = maps(slice.get("valuesPerLevel"));
      for (int domain = 0; domain < number(slice.get("domainCount"), 0); domain++) {
        Map<String, String> place = new LinkedHashMap<>();
        for (int level = 0; level < Math.min(levels.size(), values.size()); level++) {
          place.put(levels.get(level), valueOf(values.get(level), domain));
        }
        places.addAll(Collections.nCopies(podsOf(slice.get("podCounts"), domain), place));
      }
    }
    return places;
  }

  private static String valueOf(Map<?, ?> level, int domain) {
    if (level.get("individual") instanceof Map<?, ?> each) {
      List<String> roots = strings(each.get("roots"));
      return text(each.get("prefix"))
          + (domain < roots.size() ? roots.get(domain) : "")
          + text(each.get("suffix"));
    }
    return text(level.get("universal"));
  }

  private static int podsOf(@Nullable Object counts, int domain) {
    if (!(counts instanceof Map<?, ?> given)) {
      return 0;
    }
    return given.get("individual") instanceof List<?> each && domain < each.size()
        ? number(each.get(domain), 0)
        : number(given.get("universal"), 0);
  }

  @Override
  public Map<String, Object> givenBack(GenericKubernetesResource entry, Instant now) {
    Condition evicted = Condition.of(entry, EVICTED);
    String message = words(evicted);
    Map<String, Object> status = new LinkedHashMap<>();
    status.put("admission", null);
    List<Map<String, Object>> conditions =
        otherConditions(entry, Set.of(QUOTA_RESERVED, ADMITTED, REQUEUED, PODS_READY));
    long generation = generation(entry);
    conditions.add(condition(QUOTA_RESERVED, false, "Pending", message, now, generation));
    conditions.add(
        condition(
            ADMITTED, false, "NoReservation", "The workload has no reservation", now, generation));
    conditions.add(
        condition(
            REQUEUED,
            REQUEUED_AT_ONCE.contains(evicted.reason()),
            // By any other reason Kueue does not queue it again when somebody activates it.
            isDeactivated(evicted) ? DEACTIVATED : evicted.reason(),
            message,
            now,
            generation));
    status.put("conditions", conditions);
    if (!reclaimedPods(entry).isEmpty()) {
      // All replicas run again in the next turn.
      status.put("reclaimablePods", null);
    }
    return status;
  }

  /** A list is written as a whole. */
  private static List<Map<String, Object>> otherConditions(
      GenericKubernetesResource entry, Set<String> without) {
    List<Map<String, Object>> conditions = new ArrayList<>();
    for (Map<?, ?> one : maps(status(entry).get("conditions"))) {
      if (!without.contains(text(one.get("type")))) {
        conditions.add(MAPPER.convertValue(one, MAP));
      }
    }
    return conditions;
  }

  private static long generation(GenericKubernetesResource entry) {
    return requireNonNullElse(entry.getMetadata().getGeneration(), 0L);
  }

  private static Map<String, Object> condition(
      String type, boolean value, String reason, String message, Instant now, long generation) {
    Map<String, Object> condition = new LinkedHashMap<>();
    condition.put("type", type);
    condition.put("status", value ? "True" : "False");
    condition.put("reason", reason.isEmpty() ? "Pending" : reason);
    condition.put("message", message);
    condition.put("lastTransitionTime", now.truncatedTo(ChronoUnit.SECONDS).toString());
    condition.put("observedGeneration", generation);
    return condition;
  }

  @Override
  public @Nullable Map<String, Object> told(
      GenericKubernetesResource entry, Map<String, Integer> needed, boolean started, Instant now) {
    Map<String, Object> status = new LinkedHashMap<>();
    List<Map<String, Object>> reclaimed = reclaimed(entry, needed);
    if (reclaimed != null) {
      status.put("reclaimablePods", reclaimed);
    }
    // Otherwise Kueue takes the job back after a while, unless waitForPodsReady is off.
    if (started && !Condition.of(entry, PODS_READY).isTrue()) {
      List<Map<String, Object>> conditions = otherConditions(entry, Set.of(PODS_READY));
      conditions.add(
          condition(
              PODS_READY, true, "Started", "All pods are ready or done", now, generation(entry)));
      status.put("conditions", conditions);
    }
    return status.isEmpty() ? null : status;
  }

  /** A list of numbers that may only grow; null when it is as it should be. */
  private static @Nullable List<Map<String, Object>> reclaimed(
      GenericKubernetesResource entry, Map<String, Integer> needed) {
    Map<String, Integer> needs = new LinkedHashMap<>();
    needed.forEach((type, pods) -> needs.merge(podSetOf(type), pods, Integer::sum));
    Map<String, Integer> asked = countsOfSpec(entry);
    Map<String, Integer> before = reclaimedPods(entry);
    Map<String, Integer> after = new LinkedHashMap<>(before);
    for (Map<?, ?> assignment : assignments(entry)) {
      String set = text(assignment.get("name"));
      int need = needs.getOrDefault(set, 0);
      if (need < held(assignment, asked, before)) {
        after.put(set, asked.getOrDefault(set, 0) - need);
      }
    }
    if (after.equals(before)) {
      return null;
    }
    List<Map<String, Object>> list = new ArrayList<>();
    after.forEach((set, pods) -> list.add(Map.of("name", set, "count", pods)));
    return list;
  }

  /**
   * How many pods a pod set was given, without those that were given back: of what it asked for.
   */
  private static int held(
      Map<?, ?> assignment, Map<String, Integer> asked, Map<String, Integer> reclaimed) {
    String set = text(assignment.get("name"));
    int ofAll = asked.getOrDefault(set, 0);
    return Math.max(
        0,
        Math.min(number(assignment.get("count"), ofAll), ofAll - reclaimed.getOrDefault(set, 0)));
  }

  private static Map<String, Integer> reclaimedPods(GenericKubernetesResource entry) {
    Map<String, Integer> pods = new LinkedHashMap<>();
    for (Map<?, ?> one : maps(status(entry).get("reclaimablePods"))) {
      pods.put(text(one.get("name")), number(one.get("count"), 0));
    }
    return pods;
  }

  @Override
  public Map<String, Integer> asked(GenericKubernetesResource entry) {
    return countsOfSpec(entry);
  }

  private static Map<String, Integer> countsOfSpec(GenericKubernetesResource entry) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (Map<?, ?> one : podSets(entry)) {
      counts.put(text(one.get("name")), number(one.get("count"), 0));
    }
    return counts;
  }

  private static List<Map<?, ?>> podSets(GenericKubernetesResource entry) {
    return maps(spec(entry).get("podSets"));
  }

  private static Map<?, ?> spec(GenericKubernetesResource entry) {
    return entry.getAdditionalProperties().get("spec") instanceof Map<?, ?> spec ? spec : Map.of();
  }

  private static List<Map<?, ?>> assignments(GenericKubernetesResource entry) {
    return status(entry).get("admission") instanceof Map<?, ?> admission
        ? maps(admission.get("podSetAssignments"))
        : List.of();
  }

  private static Map<?, ?> status(GenericKubernetesResource entry) {
    return entry.getAdditionalProperties().get("status") instanceof Map<?, ?> status
        ? status
        : Map.of();
  }

  private static List<Map<?, ?>> maps(@Nullable Object value) {
    List<Map<?, ?>> maps = new ArrayList<>();
    if (value instanceof List<?> list) {
      for (Object one : list) {
        if (one instanceof Map<?, ?> map) {
          maps.add(map);
        }
      }
    }
    return maps;
  }

  private static Map<String, String> texts(@Nullable Object value) {
    Map<String, String> texts = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((key, one) -> texts.put(text(key), text(one)));
    }
    return texts;
  }

  private static List<String> strings(@Nullable Object value) {
    return value instanceof List<?> list ? list.stream().map(KueueQueue::text).toList() : List.of();
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : value.toString();
  }

  private static int number(@Nullable Object value, int otherwise) {
    return value instanceof Number number ? number.intValue() : otherwise;
  }

  /** A condition of a Workload; texts are empty where nothing is given. */
  private record Condition(boolean isTrue, String reason, String message) {

    static Condition of(GenericKubernetesResource entry, String type) {
      for (Map<?, ?> one : maps(status(entry).get("conditions"))) {
        if (type.equals(text(one.get("type")))) {
          return new Condition(
              "True".equals(text(one.get("status"))),
              text(one.get("reason")),
              text(one.get("message")));
        }
      }
      return new Condition(false, "", "");
    }
  }
}
