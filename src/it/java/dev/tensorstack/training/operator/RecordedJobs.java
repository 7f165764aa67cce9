package dev.tensorstack.training.operator;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import dev.tensorstack.training.core.ledger.IndexRanges;
import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a version of the operator has stored of some jobs, as files: one for each job, with the job
 * and its status, its pods and its other objects.
 *
 * <p>The API server gives other uids when the objects are created again, and the names of a job's
 * objects follow from its uid. So a file has placeholders: {@code <uid>} and {@code <base>} of the
 * job, {@code <namespace>}, {@code <uid of worker-0>} for the uid of a pod, and, where several pods
 * differ in nothing else, {@code <index>}. Moments are shifted, so that as much time has passed
 * since each as when the files were written.
 */
final class RecordedJobs {

  private static final Duration PATIENCE = Duration.ofSeconds(240);
  private static final Pattern UUID =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
  private static final Pattern POD_UID = Pattern.compile("<uid of ([a-z0-9-]+)>");
  private static final Pattern MOMENT =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");
  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");
  private static final String INDEX = "<index>";

  /** The API server adds it to every pod. */
  private static final String TOKEN_VOLUME = "kube-api-access-";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectMapper YAML =
      new ObjectMapper(
          new YAMLFactory()
              .disable(YAMLGenerator.Feature.SPLIT_LINES)
              .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
              .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
              .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
              .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR));

  private RecordedJobs() {}

  // --- to files

  /**
   * Writes files, one for each job; no operator runs.
   *
   * @param jobs the jobs
   * @param directory the directory; it is created
   */
  static void write(UpgradeJobs jobs, Path directory) {
    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    try {
      Files.createDirectories(directory);
      for (String name : jobs.names()) {
        ObjectNode record = record(jobs, name);
        record.put("recordedAt", now.toString());
        Files.writeString(
            directory.resolve(name + ".yaml"),
            "# Written by UpgradeIT; RecordedJobs says what the words in <> mean.\n"
                + YAML.writeValueAsString(record));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ObjectNode record(UpgradeJobs jobs, String name) throws IOException {
    ObjectNode job = (ObjectNode) jobs.raw(jobs.jobPath(name));
    String uid = job.at("/metadata/uid").asText();
    String base = jobs.scene.jobs.base(name);
    JsonNode listed =
        jobs.raw(
            "/api/v1/namespaces/%s/pods?labelSelector=%s%%3D%s"
                .formatted(
                    jobs.scene.namespace, TrainingJobLabels.OWNER_NAME.replace("/", "%2F"), name));
    Map<String, String> podUids = new LinkedHashMap<>();
    for (JsonNode pod : listed.path("items")) {
      podUids.put(
          pod.at("/metadata/uid").asText(),
          pod.at("/metadata/name").asText().substring(base.length() + 1));
    }
    ObjectNode status = (ObjectNode) job.remove("status");
    ObjectNode record = JSON.createObjectNode();
    record.put("generation", job.at("/metadata/generation").asLong());
    record.set("job", cleaned(job));
    record.set("status", status);
    ArrayNode objects = record.putArray("objects");
    jobs.dependents(name).forEach(object -> objects.add(withoutDefaults(cleaned(object))));
    ObjectNode general =
        (ObjectNode)
            JSON.readTree(
                UUID.matcher(JSON.writeValueAsString(record))
                    .replaceAll(
                        found ->
                            podUids.containsKey(found.group())
                                ? "<uid of " + podUids.get(found.group()) + ">"
                                : found.group())
                    .replace(uid, "<uid>")
                    .replace(base, "<base>")
                    .replace(jobs.scene.namespace, "<namespace>"));
    general.set("pods", pods(listed, uid, base, jobs.scene.namespace));
    return general;
  }

  /** Pods that differ in their index only are one entry. */
  private static ArrayNode pods(JsonNode listed, String uid, String base, String namespace)
      throws IOException {
    Map<ObjectNode, List<Integer>> alike = new LinkedHashMap<>();
    Map<ObjectNode, ObjectNode> first = new LinkedHashMap<>();
    for (JsonNode item : listed.path("items")) {
      ObjectNode pod = (ObjectNode) item;
      ObjectNode entry = JSON.createObjectNode();
      entry.put("deleting", pod.at("/metadata/deletionTimestamp").isTextual());
      JsonNode status = pod.remove("status");
      String phase = status.path("phase").asText();
      entry.put("phase", phase);
      String type = pod.at("/metadata/labels").path(TrainingJobLabels.REPLICA_TYPE).asText();
      String index = pod.at("/metadata/labels").path(TrainingJobLabels.REPLICA_INDEX).asText();
      ObjectNode created = withoutToken(cleaned(pod));
      created.put("apiVersion", "v1");
      created.put("kind", "Pod");
      entry.set("pod", created);
      if (ENDED.contains(phase)) {
        entry.set("status", status);
      }
      ObjectNode general =
          (ObjectNode)
              JSON.readTree(
                  JSON.writeValueAsString(entry)
                      .replace(uid, "<uid>")
                      .replace(base, "<base>")
                      .replace(namespace, "<namespace>"));
      Pattern replica =
          Pattern.compile("(<base>-" + Pattern.quote(type) + "-)" + index + "(?![0-9])");
      ObjectNode indexed =
          (ObjectNode)
              texts(
                  general,
                  text ->
                      text.equals(index) ? INDEX : replica.matcher(text).replaceAll("$1" + INDEX));
      alike.computeIfAbsent(indexed, one -> new ArrayList<>()).add(Integer.valueOf(index));
      first.putIfAbsent(indexed, general);
    }
    ArrayNode pods = JSON.createArrayNode();
    alike.forEach(
        (entry, indexes) -> {
          ObjectNode counted = JSON.createObjectNode();
          counted.put("indexes", Objects.requireNonNull(IndexRanges.format(indexes)));
          counted.setAll(indexes.size() > 1 ? entry : Objects.requireNonNull(first.get(entry)));
          pods.add(counted);
        });
    return pods;
  }

  /** An object as somebody could create it. */
  private static ObjectNode cleaned(ObjectNode object) {
    ObjectNode metadata = (ObjectNode) object.get("metadata");
    Set<String> kept =
        Set.of("name", "namespace", "labels", "annotations", "ownerReferences", "finalizers");
    metadata.retain(kept);
    if (metadata.get("annotations") instanceof ObjectNode annotations) {
      annotations.remove("deployment.kubernetes.io/revision");
    }
    object.remove("status");
    return object;
  }

  private static ObjectNode withoutDefaults(ObjectNode object) {
    if (object.path("kind").asText().equals("Service")
        && object.get("spec") instanceof ObjectNode spec) {
      spec.remove(List.of("clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"));
      if (!spec.path("clusterIP").asText().equals("None")) {
        spec.remove("clusterIP");
      }
    }
    return object;
  }

  private static ObjectNode withoutToken(ObjectNode pod) {
    ObjectNode spec = (ObjectNode) pod.get("spec");
    removeToken(spec.path("volumes"));
    for (String containers : List.of("containers", "initContainers")) {
      spec.path(containers).forEach(container -> removeToken(container.path("volumeMounts")));
    }
    return pod;
  }

  private static void removeToken(JsonNode list) {
    var elements = list.elements();
    while (elements.hasNext()) {
      if (elements.next().path("name").asText().startsWith(TOKEN_VOLUME)) {
        elements.remove();
      }
    }
  }

  // --- from files

  /** A pod that is to be there. */
  private record StoredPod(String job, ObjectNode manifest, JsonNode entry) {
    String name() {
      return manifest.at("/metadata/name").asText();
    }

    boolean deleting() {
      return entry.path("deleting").asBoolean();
    }

    boolean ended() {
      return entry.has("status");
    }

    boolean runs() {
      return entry.path("phase").asText().equals("Running");
    }
  }

  /**
   * Creates on the API server what files say; no operator runs.
   *
   * @param jobs the scene, without any job yet
   * @param directory the files
   */
  static void restore(UpgradeJobs jobs, Path directory) {
    Map<String, JsonNode> records = new LinkedHashMap<>();
    List<StoredPod> pods = new ArrayList<>();
    for (String name : names(directory)) {
      if (!UpgradeJobs.canBe(name)) {
        continue;
      }
      JsonNode record = read(directory.resolve(name + ".yaml"));
      createJob(jobs, name, record);
      UnaryOperator<String> words = words(jobs, name);
      for (JsonNode object : record.path("objects")) {
        GenericKubernetesResource resource =
            Serialization.unmarshal(
                texts(object, words).toString(), GenericKubernetesResource.class);
        jobs.scene
            .client
            .resource(resource)
            .inNamespace(jobs.scene.namespace)
            .fieldManager(Labels.OPERATOR)
            .forceConflicts()
            .serverSideApply();
      }
      for (JsonNode entry : record.path("pods")) {
        for (int index : IndexRanges.parse(entry.path("indexes").asText())) {
          UnaryOperator<String> all =
              text -> words.apply(text).replace(INDEX, Integer.toString(index));
          pods.add(new StoredPod(name, (ObjectNode) texts(entry.get("pod"), all), entry));
        }
      }
      records.put(name, record);
    }
    Map<String, String> uids = createPods(jobs, pods);
    records.forEach((name, record) -> setStatus(jobs, name, record, pods, uids));
  }

  /** The jobs in a directory of files. */
  static Set<String> names(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      Set<String> names = new HashSet<>();
      files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(".yaml"))
          .forEach(file -> names.add(file.substring(0, file.length() - ".yaml".length())));
      return names;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode read(Path file) {
    try {
      return YAML.readTree(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Changes it until it has had as many generations as it had, of which the last is the spec. */
  private static void createJob(UpgradeJobs jobs, String name, JsonNode record) {
    ObjectNode job =
        (ObjectNode)
            texts(record.get("job"), text -> text.replace("<namespace>", jobs.scene.namespace));
    String path = jobs.jobPath(name).substring(0, jobs.jobPath(name).lastIndexOf('/'));
    long more = record.path("generation").asLong() - 1;
    JsonNode policy = job.at("/spec/runPolicy");
    String last =
        policy.path("ttlSecondsAfterFinished").isMissingNode()
            ? "null"
            : policy.path("ttlSecondsAfterFinished").asText();
    if (more > 0) {
      ((ObjectNode) policy).put("ttlSecondsAfterFinished", 500_000);
    }
    jobs.scene.client.raw(path, "POST", job);
    for (long change = 1; change <= more; change++) {
      jobs.scene.jobs.patch(
          name,
          "{\"spec\":{\"runPolicy\":{\"ttlSecondsAfterFinished\":"
              + (change == more ? last : Long.toString(500_000 + change))
              + "}}}");
    }
    if (jobs.scene.jobs.get(name).getMetadata().getGeneration() != more + 1) {
      throw new IllegalStateException(name + " has another generation than recorded");
    }
  }

  private static UnaryOperator<String> words(UpgradeJobs jobs, String name) {
    String uid = jobs.scene.jobs.get(name).getMetadata().getUid();
    String base = jobs.scene.jobs.base(name);
    String namespace = jobs.scene.namespace;
    return text ->
        text.replace("<uid>", uid).replace("<base>", base).replace("<namespace>", namespace);
  }

  /** Creates pods, and waits until they are as they were; the answer has their uids by name. */
  private static Map<String, String> createPods(UpgradeJobs jobs, List<StoredPod> pods) {
    Set<String> idle = new HashSet<>();
    pods.stream().filter(StoredPod::ended).forEach(pod -> idle.add(pod.name()));
    for (FakeKubelet kubelet : List.of(jobs.scene.kubelet, jobs.slow)) {
      kubelet.rule(pod -> idle.contains(pod.getMetadata().getName()), Behaviour.stayPending());
    }
    String path = "/api/v1/namespaces/" + jobs.scene.namespace + "/pods";
    pods.parallelStream().forEach(pod -> jobs.scene.client.raw(path, "POST", pod.manifest()));
    await("the pods run")
        .atMost(PATIENCE)
        .until(
            () ->
                jobs
                    .scene
                    .client
                    .pods()
                    .inNamespace(jobs.scene.namespace)
                    .list()
                    .getItems()
                    .stream()
                    .filter(
                        pod -> pod.getMetadata().getLabels().containsKey(TrainingJobLabels.JOB_UID))
                    .filter(
                        pod ->
                            pod.getMetadata()
                                .getLabels()
                                .containsKey(TrainingJobLabels.REPLICA_TYPE))
                    .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
                    .count(),
            running -> running == pods.stream().filter(StoredPod::runs).count());
    pods.stream().filter(StoredPod::deleting).forEach(pod -> jobs.scene.delete(pod.name(), null));
    Map<String, String> uids = new TreeMap<>();
    jobs.scene
        .client
        .pods()
        .inNamespace(jobs.scene.namespace)
        .list()
        .getItems()
        .forEach(pod -> uids.put(pod.getMetadata().getName(), pod.getMetadata().getUid()));
    return uids;
  }

  private static void setStatus(
      UpgradeJobs jobs,
      String name,
      JsonNode record,
      List<StoredPod> pods,
      Map<String, String> uids) {
    Duration passed =
        Duration.between(
            Instant.parse(record.path("recordedAt").asText()),
            Instant.now().truncatedTo(ChronoUnit.SECONDS));
    String base = jobs.scene.jobs.base(name) + "-";
    UnaryOperator<String> words = words(jobs, name);
    UnaryOperator<String> all =
        text ->
            shifted(
                POD_UID
                    .matcher(words.apply(text))
                    .replaceAll(
                        found ->
                            Matcher.quoteReplacement(
                                Objects.requireNonNull(
                                    uids.get(base + found.group(1)), found.group()))),
                passed);
    pods.stream()
        .filter(pod -> pod.job().equals(name) && pod.ended())
        .forEach(
            pod -> jobs.scene.report(pod.name(), texts(pod.entry().get("status"), all).toString()));
    ObjectNode job = (ObjectNode) jobs.raw(jobs.jobPath(name));
    job.set("status", texts(record.get("status"), all));
    jobs.scene.client.raw(jobs.jobPath(name) + "/status", "PUT", job);
  }

  private static String shifted(String text, Duration passed) {
    return MOMENT
        .matcher(text)
        .replaceAll(found -> Instant.parse(found.group()).plus(passed).toString());
  }

  /** A copy with other texts. */
  private static JsonNode texts(JsonNode node, UnaryOperator<String> change) {
    if (node.isTextual()) {
      return JSON.getNodeFactory().textNode(change.apply(node.asText()));
    }
    if (node.isArray()) {
      ArrayNode copy = JSON.createArrayNode();
      node.forEach(one -> copy.add(texts(one, change)));
      return copy;
    }
    if (node.isObject()) {
      ObjectNode copy = JSON.createObjectNode();
      node.fields()
          .forEachRemaining(
              field -> copy.set(change.apply(field.getKey()), texts(field.getValue(), change)));
      return copy;
    }
    return node;
  }
}
