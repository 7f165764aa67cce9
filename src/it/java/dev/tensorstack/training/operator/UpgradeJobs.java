package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubernetesVersion;
import dev.tensorstack.training.core.gang.PodGroupSchemas;
import dev.tensorstack.training.core.gang.PodGroups;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Jobs in all the states in which an upgrade of the operator can meet one: how one operator brings
 * them there, what another one must not change, and how it has to go on with each.
 */
final class UpgradeJobs implements AutoCloseable {

  /** The nodes; recorded pods are bound to them, so the names are part of the recordings. */
  private static final String POOL = "upgrade";

  /** Nodes on which pods that are deleted stay until the test takes them away. */
  private static final String SLOW_POOL = "upgrade-slow";

  private static final Duration FOR_EVER = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofSeconds(240);
  private static final Duration POLL = Duration.ofMillis(200);

  /** More than the status lists one by one. */
  private static final int LARGE = 1_100;

  /** The delay of the job that waits: it has to outlast the change of the operator. */
  private static final String LONG_DELAY = "60s";

  private static final String TORCHRUN = "torchrunConfig: {enabled: true}";
  private static final String ELASTIC =
      TORCHRUN + "\n  elastic: {enabled: true, minReplicas: 1, maxReplicas: 6}";

  /** API groups of schedulers that this control plane does not run. */
  private static final List<String> FOREIGN_SCHEDULERS =
      List.of("scheduling.x-k8s.io", "scheduling.volcano.sh");

  /** The job whose gang is one of Kubernetes itself. */
  private static final String GANG = "gang";

  private static final ObjectMapper JSON = new ObjectMapper();

  final RestartScene scene;
  final FakeKubelet slow;
  private final ControlPlane controlPlane;
  private final Map<String, String> manifests = new LinkedHashMap<>();

  UpgradeJobs(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
    scene = new RestartScene(controlPlane, POOL, FakeKubeletOptions.nodes(1));
    slow =
        FakeKubelet.start(
            scene.client,
            FakeKubeletOptions.nodes(1)
                .namePrefix(SLOW_POOL)
                .label("pool", SLOW_POOL)
                .deletion(FOR_EVER, 143));
    for (String group : FOREIGN_SCHEDULERS) {
      controlPlane
          .kubectlWithInput(PodGroupSchemas.manifest(group), "apply", "--server-side", "-f", "-")
          .orThrow();
      controlPlane.awaitCrd("podgroups." + group);
    }
    claimForLogs();
    describe();
  }

  @Override
  public void close() {
    slow.close();
    scene.close();
    for (String group : FOREIGN_SCHEDULERS) {
      controlPlane
          .kubectlWithInput(PodGroupSchemas.manifest(group), "delete", "--wait", "-f", "-")
          .orThrow();
    }
    scene.client.persistentVolumes().withName(scene.namespace).delete();
  }

  /** Whether this version of Kubernetes has what a job needs. */
  static boolean canBe(String job) {
    return !job.equals(GANG) || KubernetesVersion.chosen().hasPodGroups();
  }

  /** The names of all jobs, the one whose states pass by themselves last. */
  List<String> names() {
    return List.copyOf(manifests.keySet());
  }

  /** Settings of an operator under which the jobs come into their states. */
  Map<String, String> settingsBefore() {
    Map<String, String> settings = new LinkedHashMap<>(settings());
    settings.put("OPERATOR_RESTART_DELAY_BASE", LONG_DELAY);
    settings.put("OPERATOR_RESTART_DELAY_MAX", "10m");
    return settings;
  }

  /** Settings of an operator that goes on with the jobs. */
  Map<String, String> settings() {
    return Map.of(
        "OPERATOR_WATCH_NAMESPACES", scene.namespace,
        "OPERATOR_RESTART_DELAY_BASE", "1s",
        "OPERATOR_RESTART_DELAY_MAX", "10s",
        "OPERATOR_AGENT_EXIT_GRACE", "1s",
        "OPERATOR_STATUS_MIN_INTERVAL", "200ms");
  }

  // --- the jobs

  private void describe() {
    add("large", "", "{restartScope: Replica}", "worker " + LARGE + " OnFailure");
    add("plain", "", "{}", "master 1 OnFailure", "worker 2 OnFailure");
    add("torchrun", TORCHRUN, "{}", "worker 3 OnFailure");
    add("elastic", ELASTIC, "{}", "worker 4 OnFailure");
    add("restarted", "", "{backoffLimit: 1}", "worker 2 OnFailure");
    add("counted", "", "{backoffLimit: 3}", "worker 2 OnFailure");
    add("disrupted", "", "{}", "worker 2 OnFailure");
    add("paused", "", "{}", "worker 2 OnFailure");
    add(
        "resumed",
        "runMode: {pause: {enabled: false, resumeSpecs: [{type: worker, command: [python, go.py]}]}}",
        "{}",
        "worker 2 OnFailure");
    add("pausing", "", "{}", "worker 2 OnFailure " + SLOW_POOL);
    add("debug", "", "{}", "worker 2 OnFailure");
    add("failed", "", "{cleanUpPolicy: None}", "worker 3 Never");
    add(
        "succeeded",
        "",
        "{cleanUpPolicy: Unfinished, ttlSecondsAfterFinished: 86400}",
        "worker 2 OnFailure");
    add("tolerated", ELASTIC, "{}", "worker 3 ExitCode");
    add("done", "", "{}", "worker 3 OnFailure");
    add("repeated", "", "{}", "worker 2 Always");
    add("restarting", "", "{}", "worker 2 OnFailure " + SLOW_POOL);
    add("unplaced", "", "{}", "worker 2 OnFailure nowhere");
    if (canBe(GANG)) {
      add(GANG, "scheduler: {kubernetes: {}}", "{restartScope: Replica}", "worker 3 OnFailure");
    }
    add("coscheduling", "scheduler: {coscheduling: {}}", "{}", "worker 2 OnFailure");
    add("volcano", "scheduler: {volcano: {}}", "{}", "worker 2 OnFailure");
    add(
        "tensorboard",
        "tensorboardSpec: {logDir: {pvc: [{name: logs}]}, image: 'tb:1'}",
        "{}",
        "worker 1 OnFailure");
    add(
        "autoscaled",
        ELASTIC.replace(
            "maxReplicas: 6",
            "maxReplicas: 6, metrics: [{type: External, external:"
                + " {metric: {name: queue}, target: {type: AverageValue, averageValue: 2}}}]"),
        "{}",
        "worker 2 OnFailure");
    add("replaced", "", "{restartScope: Replica}", "master 1 OnFailure", "worker 2 OnFailure");
    add("waiting", "", "{restartScope: Replica}", "master 1 OnFailure", "worker 2 OnFailure");
  }

  private void add(String name, String spec, String runPolicy, String... types) {
    String manifest = scene.job(name, runPolicy, types);
    manifests.put(
        name,
        spec.isEmpty()
            ? manifest
            : manifest.replace("spec:\n  runPolicy", "spec:\n  " + spec + "\n  runPolicy"));
  }

  private void claimForLogs() {
    String volume =
        """
        apiVersion: v1
        kind: PersistentVolume
        metadata: {name: %1$s}
        spec:
          capacity: {storage: 1Gi}
          accessModes: [ReadWriteMany]
          storageClassName: ""
          claimRef: {namespace: %1$s, name: logs}
          hostPath: {path: /nowhere}
        """;
    String claim =
        """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: logs, namespace: %1$s}
        spec:
          accessModes: [ReadWriteMany]
          storageClassName: ""
          volumeName: %1$s
          resources: {requests: {storage: 1Gi}}
        """;
    scene.client.resource(volume.formatted(scene.namespace)).create();
    scene.client.resource(claim.formatted(scene.namespace)).create();
  }

  // --- how they come into their states

  /** Creates the jobs and brings them into their states; an operator runs. */
  void bringAbout() {
    manifests.values().forEach(scene.jobs::create);
    Set<String> running = new HashSet<>(manifests.keySet());
    running.removeAll(List.of("unplaced", "coscheduling", "volcano"));
    running.forEach(job -> awaitStatus(job, "Running", UpgradeJobs::runs));

    finish("restarted", "worker-1", 1);
    finish("counted", "worker-1", 1);
    evict("disrupted", "worker-1");
    evict("large", "worker-700");
    evict("large", "worker-701");
    finish("failed", "worker-2", 0);
    awaitStatus("failed", "one done", now -> now.aggregate().succeeded() == 1);
    finish("failed", "worker-1", 3);
    finish("succeeded", "worker-0", 0);
    finish("tolerated", "worker-2", 42);
    finish("done", "worker-2", 0);
    finish("repeated", "worker-1", 0);
    patch("elastic", "{\"elastic\":{\"expectedReplicas\":2}}");
    pause("paused", true);
    pause("resumed", true);
    pause("pausing", true);
    patch("debug", "{\"runMode\":{\"debug\":{\"enabled\":true}}}");
    slow.finish(scene.namespace, scene.pod("restarting", "worker-1"), 1);

    scene.awaitRestarted("restarted", 1);
    scene.awaitRestarted("counted", 1);
    scene.awaitRestarted("disrupted", 1);
    awaitStatus("failed", "its end", now -> "Failed".equals(now.phase()));
    awaitStatus("succeeded", "its end", now -> "Succeeded".equals(now.phase()));
    awaitPods("succeeded", "worker-0");
    awaitStatus("tolerated", "the failure", now -> now.lastFailure() != null);
    awaitStatus("done", "one done", now -> now.aggregate().succeeded() == 1);
    scene.delete(scene.pod("done", "worker-2"), 0L);
    awaitPods("done", "worker-0", "worker-1");
    scene.awaitRestarted("repeated", 1);
    awaitNodes("elastic", 2);
    awaitPods("elastic", "worker-0", "worker-1");
    patch("elastic", "{\"elastic\":{\"expectedReplicas\":3}}");
    awaitNodes("elastic", 3);
    awaitStatus("paused", "Paused", now -> "Paused".equals(now.phase()));
    awaitPods("paused");
    awaitStatus("resumed", "Paused", now -> "Paused".equals(now.phase()));
    pause("resumed", false);
    awaitStatus("resumed", "Running", UpgradeJobs::runs);
    awaitStatus(
        "debug", "Debugging", now -> "Debugging".equals(now.columns().reason()) && runs(now));
    awaitPods("debug", "worker-0-r1", "worker-1-r1");
    awaitStatus("restarting", "the next attempt", now -> now.attempt() == 1);
    awaitDeleting("restarting", 1);
    awaitDeleting("pausing", 2);
    awaitStatus("pausing", "both being deleted", now -> now.aggregate().deleted() == 2);
    awaitStatus("restarting", "no pod that runs", now -> now.aggregate().running() == 0);
    awaitStatus(
        "tensorboard",
        "TensorBoard",
        now -> now.tensorboard() != null && "Ready".equals(now.tensorboard().reason()));
    for (String job : List.of("coscheduling", "volcano", "unplaced")) {
      awaitStatus(job, "two pods to be placed", now -> now.aggregate().creating() == 2);
      awaitPods(job, "worker-0", "worker-1");
    }
    for (String job :
        Stream.of(GANG, "coscheduling", "volcano").filter(UpgradeJobs::canBe).toList()) {
      await("PodGroup of " + job).until(() -> objects(job).toString().contains("PodGroup "));
    }
    await("the autoscaler")
        .until(() -> objects("autoscaled").toString().contains("HorizontalPodAutoscaler "));
    awaitStatus("large", "all of it again", now -> now.disruptionCount() == 2 && runs(now));

    // What passes by itself comes last: the fourth disruption of five minutes, and a delay.
    for (int pods = 0; pods < 4; pods++) {
      evict("replaced", pods == 0 ? "worker-1" : "worker-1-r" + pods);
      scene.awaitRestarted("replaced", pods + 1);
    }
    finish("waiting", "worker-1", 1);
    scene.awaitRestarted("waiting", 1);
    finish("waiting", "worker-1-r1", 1);
    awaitStatus("waiting", "its delay", now -> restartAt(now) != null);
  }

  private static boolean runs(PyTorchTrainingJobStatus status) {
    return "Running".equals(status.phase())
        && Objects.equals(status.aggregate().running(), status.replicas());
  }

  private static @Nullable Instant restartAt(PyTorchTrainingJobStatus status) {
    return status.tasks().stream()
        .flatMap(task -> task.replicas().stream())
        .map(replica -> replica.restartAt())
        .filter(Objects::nonNull)
        .map(Instant::parse)
        .findFirst()
        .orElse(null);
  }

  // --- what must not change

  /**
   * What an upgrade must leave as it is.
   *
   * @param pods the uids of all pods by their names; a * marks one that is being deleted
   * @param objects the uids of the other objects by kind and name
   * @param facts by job, what its status says of the past
   */
  record Picture(
      Map<String, String> pods, Map<String, String> objects, Map<String, String> facts) {}

  /** The jobs as they are now. */
  Picture picture() {
    Map<String, String> pods = new TreeMap<>();
    Map<String, String> objects = new TreeMap<>();
    Map<String, String> facts = new TreeMap<>();
    for (String job : names()) {
      for (Pod pod : scene.jobs.pods(job)) {
        boolean deleting = pod.getMetadata().getDeletionTimestamp() != null;
        pods.put(pod.getMetadata().getName(), pod.getMetadata().getUid() + (deleting ? " *" : ""));
      }
      objects.putAll(objects(job));
      facts.put(job, facts(job));
    }
    return new Picture(pods, objects, facts);
  }

  private String facts(String job) {
    JsonNode status = raw(jobPath(job)).path("status");
    ObjectNode facts = JSON.createObjectNode();
    for (String field :
        List.of(
            "phase",
            "startTime",
            "completionTime",
            "attempt",
            "runMode",
            "backoffCount",
            "disruptionCount",
            "replicas",
            "aggregate",
            "lastFailure")) {
      facts.set(field, status.path(field));
    }
    for (JsonNode task : status.path("tasks")) {
      facts.set("restartCount of " + task.path("type").asText(), task.path("restartCount"));
    }
    for (JsonNode condition : status.path("conditions")) {
      ArrayNode words = facts.putArray(condition.path("type").asText());
      for (String field : List.of("status", "reason", "lastTransitionTime")) {
        words.add(condition.path(field));
      }
    }
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(facts);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Facts without those that an earlier version did not know, such as a new condition. */
  private static String ofBefore(String facts, String before) {
    try {
      ObjectNode known = (ObjectNode) JSON.readTree(facts);
      JsonNode told = JSON.readTree(before);
      List<String> names = new ArrayList<>();
      told.fieldNames().forEachRemaining(names::add);
      known.retain(names);
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(known);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** The uids of the objects of a job other than pods. */
  private Map<String, String> objects(String job) {
    Map<String, String> uids = new TreeMap<>();
    for (ObjectNode object : dependents(job)) {
      JsonNode metadata = object.path("metadata");
      uids.put(
          object.path("apiVersion").asText()
              + " "
              + object.path("kind").asText()
              + " "
              + metadata.path("name").asText(),
          metadata.path("uid").asText());
    }
    return uids;
  }

  /** The objects of a job other than pods, as stored. */
  List<ObjectNode> dependents(String job) {
    String owner = raw(jobPath(job)).path("metadata").path("uid").asText();
    List<ObjectNode> owned = new ArrayList<>();
    Stream<String> paths =
        Stream.concat(
            Stream.of(
                "/api/v1/namespaces/%s/services",
                "/apis/apps/v1/namespaces/%s/deployments",
                "/apis/autoscaling/v2/namespaces/%s/horizontalpodautoscalers"),
            PodGroups.allKinds().stream()
                .map(ObjectKind::apiVersion)
                .map(version -> "/apis/" + version + "/namespaces/%s/podgroups"));
    paths.forEach(
        path -> {
          JsonNode list = raw(path.formatted(scene.namespace));
          String kind = list.path("kind").asText().replaceFirst("List$", "");
          for (JsonNode item : list.path("items")) {
            if (item.at("/metadata/ownerReferences/0/uid").asText().equals(owner)) {
              ObjectNode object = JSON.createObjectNode();
              object.set("apiVersion", list.path("apiVersion"));
              object.put("kind", kind);
              object.setAll((ObjectNode) item);
              owned.add(object);
            }
          }
        });
    return owned;
  }

  /** The path of a job on the API server. */
  String jobPath(String job) {
    return "/apis/batch.tensorstack.dev/v1beta1/namespaces/%s/pytorchtrainingjobs/%s"
        .formatted(scene.namespace, job);
  }

  /** What the API server has, without a model in between; nothing for a kind it does not know. */
  JsonNode raw(String path) {
    try {
      String answer = scene.client.raw(path);
      return answer == null ? JSON.missingNode() : JSON.readTree(answer);
    } catch (KubernetesClientException problem) {
      if (problem.getCode() == 404) {
        return JSON.missingNode();
      }
      throw problem;
    } catch (JsonProcessingException problem) {
      throw new IllegalStateException(path, problem);
    }
  }

  /**
   * Changes something harmless in each job and waits until the operator has answered for it: the
   * status speaks of the new generation.
   */
  void awaitLookedAt() {
    names().forEach(job -> patch(job, "{\"runPolicy\":{\"ttlSecondsAfterFinished\":90000}}"));
    for (String job : names()) {
      await("the operator has looked at " + job)
          .atMost(PATIENCE)
          .pollInterval(POLL)
          .until(
              () -> scene.jobs.get(job),
              seen ->
                  Objects.equals(
                      seen.getStatus().observedGeneration(), seen.getMetadata().getGeneration()));
    }
  }

  /**
   * Compares with the picture of before.
   *
   * @param before what it was like when no operator ran
   * @param log the log of the writes since then
   */
  void assertUntouched(Picture before, AuditLog log) {
    Instant due = Objects.requireNonNull(dueOfWaiting(), "the delay of the job that waits");
    String late = scene.pod("waiting", "worker-1-r2");
    Picture now = picture();
    boolean waits = Instant.now().isBefore(due);
    Map<String, String> pods = new TreeMap<>(now.pods());
    Map<String, String> facts = new TreeMap<>(now.facts());
    Map<String, String> expected = new TreeMap<>(before.facts());
    if (!waits) {
      // On a slow machine its time has come; that it was not earlier is seen below.
      pods.remove(late);
      facts.remove("waiting");
      expected.remove("waiting");
    }
    assertThat(pods).isEqualTo(before.pods());
    assertThat(now.objects()).isEqualTo(before.objects());
    for (String job : expected.keySet()) {
      String said = expected.get(job);
      assertThat(ofBefore(facts.getOrDefault(job, "{}"), said)).as(job).isEqualTo(said);
    }
    assertThat(log.writes(scene.namespace))
        .filteredOn(write -> write.resource().equals("pods"))
        .filteredOn(write -> waits || !write.name().equals(late))
        .isEmpty();
  }

  private @Nullable Instant due;

  /** When the delay ends; of before the operator has been started, as it is then forgotten. */
  private @Nullable Instant dueOfWaiting() {
    return due;
  }

  /** Remembers what an operator takes out of the status once it has happened. */
  void rememberDelay() {
    due = restartAt(scene.jobs.get("waiting").getStatus());
  }

  // --- how they go on

  /** What each job has to do from where it stands; it has been seen by the operator. */
  void goOn() {
    Map<String, String> plain = uids("plain");
    theDisruptionsOfBeforeSlowDownTheNext();
    theDelayIsKept();
    countsGoOn();
    switchesOfTheRunModeGoOn();
    endsStayEnds();
    elasticJobsGoOn();
    gangsGoOn();
    theLargeJobGoesOn();
    dependentsStay();

    assertThat(uids("plain")).isEqualTo(plain);
    finish("plain", "master-0", 0);
    awaitStatus("plain", "its end", now -> "Succeeded".equals(now.phase()));
  }

  /** The fifth within five minutes waits for two seconds, the first for nothing. */
  private void theDisruptionsOfBeforeSlowDownTheNext() {
    Instant evicted = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    evict("replaced", "worker-1-r4");
    Pod next = awaitPod("replaced", "worker-1-r5");
    assertThat(RestartScene.createdAt(next)).isAfterOrEqualTo(evicted.plusSeconds(2));
    PyTorchTrainingJobStatus status = scene.awaitRestarted("replaced", 5);
    assertThat(status.disruptionCount()).isEqualTo(5);
    assertThat(status.backoffCount()).isZero();
    assertThat(status.attempt()).isZero();
  }

  private void theDelayIsKept() {
    Instant moment = Objects.requireNonNull(due);
    Pod next = awaitPod("waiting", "worker-1-r2");
    assertThat(RestartScene.createdAt(next)).isAfterOrEqualTo(moment);
    PyTorchTrainingJobStatus status = scene.awaitRestarted("waiting", 2);
    assertThat(status.backoffCount()).isEqualTo(2);
    assertThat(status.attempt()).isZero();
  }

  private void countsGoOn() {
    finish("torchrun", "worker-1", 1);
    finish("restarted", "worker-1-r1", 1);
    finish("counted", "worker-1-r1", 1);
    evict("disrupted", "worker-1-r1");
    finish("repeated", "worker-1-r1", 0);
    release("restarting", "worker-0");

    assertCounts(scene.awaitRestarted("torchrun", 1), 1, 1, 0);
    String group = scene.jobs.get("torchrun").getMetadata().getUid() + "-1";
    assertThat(scene.get(scene.pod("torchrun", "worker-0-r1")).getSpec().toString())
        .contains("--rdzv_id=" + group);
    PyTorchTrainingJobStatus spent =
        awaitStatus("restarted", "its end", now -> "Failed".equals(now.phase()));
    assertThat(spent.columns().reason()).isEqualTo("BackoffLimitExceeded");
    assertCounts(spent, 1, 1, 0);
    assertCounts(scene.awaitRestarted("counted", 2), 2, 2, 0);
    assertCounts(scene.awaitRestarted("disrupted", 2), 2, 0, 2);
    assertCounts(scene.awaitRestarted("repeated", 2), 0, 0, 0);
    assertCounts(scene.awaitRestarted("restarting", 1), 1, 1, 0);
    awaitPods("restarting", "worker-0-r1", "worker-1", "worker-1-r1");
  }

  private static void assertCounts(
      PyTorchTrainingJobStatus status, int attempt, int backoff, int disruptions) {
    assertThat(List.of(status.attempt(), status.backoffCount(), status.disruptionCount()))
        .isEqualTo(List.of(attempt, backoff, disruptions));
  }

  private void switchesOfTheRunModeGoOn() {
    pause("paused", false);
    finish("resumed", "worker-1-r1", 1);
    patch("debug", "{\"runMode\":{\"debug\":{\"enabled\":false}}}");
    release("pausing", "worker-0");
    release("pausing", "worker-1");

    assertCounts(awaitStatus("paused", "Running", UpgradeJobs::runs), 0, 0, 0);
    awaitPods("paused", "worker-0-r1", "worker-1-r1");
    assertCounts(scene.awaitRestarted("resumed", 1), 1, 1, 0);
    assertThat(
            scene
                .get(scene.pod("resumed", "worker-0-r2"))
                .getSpec()
                .getContainers()
                .get(0)
                .getCommand())
        .containsExactly("python", "go.py");
    assertCounts(awaitStatus("debug", "training", now -> now.attempt() == 2 && runs(now)), 2, 0, 0);
    awaitPods("debug", "worker-0-r2", "worker-1-r2");
    awaitStatus("pausing", "Paused", now -> "Paused".equals(now.phase()));
    pause("pausing", false);
    assertCounts(awaitStatus("pausing", "Running", UpgradeJobs::runs), 0, 0, 0);
    awaitPods("pausing", "worker-0-r1", "worker-1-r1");
  }

  private void endsStayEnds() {
    finish("tolerated", "worker-0", 0);
    finish("done", "worker-0", 0);
    patch("succeeded", "{\"runPolicy\":{\"ttlSecondsAfterFinished\":0}}");

    PyTorchTrainingJobStatus tolerated =
        awaitStatus("tolerated", "its end", now -> "Succeeded".equals(now.phase()));
    assertThat(tolerated.aggregate().failed()).isEqualTo(1);
    PyTorchTrainingJobStatus done =
        awaitStatus("done", "its end", now -> "Succeeded".equals(now.phase()));
    assertThat(done.aggregate().succeeded()).isEqualTo(2);
    assertThat(scene.replicas("done")).doesNotContain("worker-2", "worker-2-r1");
    await("the time to live").atMost(PATIENCE).until(() -> scene.jobs.find("succeeded") == null);
    awaitPods("failed", "worker-0", "worker-1", "worker-2");
    assertThat(scene.jobs.get("failed").getStatus().phase()).isEqualTo("Failed");
  }

  /** A replica that scaling has taken away comes back under a name that none has had. */
  private void elasticJobsGoOn() {
    Map<String, String> three = uids("elastic");
    patch("elastic", "{\"elastic\":{\"expectedReplicas\":4}}");
    assertCounts(awaitNodes("elastic", 4), 0, 0, 0);
    awaitPods("elastic", "worker-0", "worker-1", "worker-2-r1", "worker-3-r1");
    assertThat(uids("elastic")).containsAllEntriesOf(three);

    Map<String, String> two = uids("autoscaled");
    patch("autoscaled", "{\"elastic\":{\"expectedReplicas\":3}}");
    assertCounts(awaitNodes("autoscaled", 3), 0, 0, 0);
    assertThat(uids("autoscaled")).containsAllEntriesOf(two);
  }

  private void gangsGoOn() {
    if (canBe(GANG)) {
      Map<String, String> groups = objects(GANG);
      finish(GANG, "worker-1", 1);
      assertCounts(scene.awaitRestarted(GANG, 1), 0, 1, 0);
      assertThat(objects(GANG)).isEqualTo(groups);
    }
    for (String job : List.of("coscheduling", "volcano")) {
      Map<String, String> pods = uids(job);
      for (Pod pod : scene.jobs.pods(job)) {
        bind(pod.getMetadata().getName());
      }
      assertCounts(awaitStatus(job, "Running", UpgradeJobs::runs), 0, 0, 0);
      assertThat(uids(job)).isEqualTo(pods);
    }
  }

  private void theLargeJobGoesOn() {
    Map<String, String> before = uids("large");
    evict("large", "worker-700-r1");
    evict("large", "worker-3");
    PyTorchTrainingJobStatus status =
        awaitStatus("large", "all of it again", now -> now.disruptionCount() == 4 && runs(now));
    assertCounts(status, 0, 0, 4);
    Map<String, String> after = uids("large");
    assertThat(after).containsAllEntriesOf(before);
    after.keySet().removeAll(before.keySet());
    assertThat(after.keySet())
        .containsExactlyInAnyOrder(
            scene.pod("large", "worker-700-r2"), scene.pod("large", "worker-3-r1"));
  }

  private void dependentsStay() {
    awaitStatus(
        "tensorboard",
        "TensorBoard",
        now -> now.tensorboard() != null && "Ready".equals(now.tensorboard().reason()));
  }

  // --- steps

  private void finish(String job, String replica, int exitCode) {
    scene.kubelet.finish(scene.namespace, scene.pod(job, replica), exitCode);
  }

  private void evict(String job, String replica) {
    scene.kubelet.evict(scene.namespace, scene.pod(job, replica));
  }

  /** The node confirms that a pod which is being deleted has gone. */
  private void release(String job, String replica) {
    scene.delete(scene.pod(job, replica), 0L);
  }

  private void pause(String job, boolean on) {
    patch(job, "{\"runMode\":{\"pause\":{\"enabled\":" + on + "}}}");
  }

  private void patch(String job, String spec) {
    scene.jobs.patch(job, "{\"spec\":" + spec + "}");
  }

  /** Places a pod as the scheduler does that it waits for. */
  private void bind(String pod) {
    scene.client.raw(
        "/api/v1/namespaces/%s/pods/%s/binding".formatted(scene.namespace, pod),
        "POST",
        Map.of(
            "apiVersion",
            "v1",
            "kind",
            "Binding",
            "metadata",
            Map.of("name", pod),
            "target",
            Map.of("kind", "Node", "name", POOL + "-0")));
  }

  private Map<String, String> uids(String job) {
    Map<String, String> uids = new TreeMap<>();
    for (Pod pod : scene.jobs.pods(job)) {
      uids.put(pod.getMetadata().getName(), pod.getMetadata().getUid());
    }
    return uids;
  }

  private PyTorchTrainingJobStatus awaitStatus(
      String job, String what, java.util.function.Predicate<PyTorchTrainingJobStatus> condition) {
    return await(what + " of " + job)
        .atMost(PATIENCE)
        .pollInterval(POLL)
        .until(
            () -> scene.jobs.get(job).getStatus(),
            status ->
                status != null
                    && status.aggregate() != null
                    && status.columns() != null
                    && condition.test(status));
  }

  private PyTorchTrainingJobStatus awaitNodes(String job, int nodes) {
    return awaitStatus(
        job, nodes + " nodes", now -> Objects.equals(now.replicas(), nodes) && runs(now));
  }

  private Pod awaitPod(String job, String replica) {
    String name = scene.pod(job, replica);
    return await(name)
        .atMost(PATIENCE)
        .pollInterval(POLL)
        .until(() -> scene.get(name), pod -> pod != null);
  }

  private void awaitPods(String job, String... replicas) {
    await("the pods of " + job)
        .atMost(PATIENCE)
        .pollInterval(POLL)
        .untilAsserted(() -> assertThat(scene.replicas(job)).containsExactlyInAnyOrder(replicas));
  }

  private void awaitDeleting(String job, int count) {
    await(count + " pods of " + job + " are being deleted")
        .atMost(PATIENCE)
        .pollInterval(POLL)
        .until(
            () ->
                scene.jobs.pods(job).stream()
                        .filter(pod -> pod.getMetadata().getDeletionTimestamp() != null)
                        .count()
                    == count);
  }
}
