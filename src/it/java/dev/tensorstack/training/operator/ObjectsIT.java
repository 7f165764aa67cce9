package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The objects of a job: which there are, whose they are and what is in them. */
@OperatorTest("objects")
class ObjectsIT {

  private static final String HEAD =
      """
      apiVersion: batch.tensorstack.dev/v1beta1
      kind: PyTorchTrainingJob
      metadata:
        name: %s
      spec:
      """;

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private final OperatorProcess operator;

  ObjectsIT(
      ControlPlane controlPlane,
      KubernetesClient client,
      Jobs jobs,
      FakeKubelet kubelet,
      OperatorProcess operator) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.jobs = jobs;
    this.kubelet = kubelet;
    this.operator = operator;
    this.namespace = jobs.namespace();
  }

  private static String job(String name, String spec) {
    return HEAD.formatted(name) + spec.indent(2);
  }

  @Test
  void twoTypesBecomeTheirPodsAndOneHeadlessService() {
    PyTorchTrainingJob job =
        jobs.create(
            job(
                "two-types",
                """
                replicaSpecs:
                - type: chief
                  template: {spec: {containers: [{name: a, image: i:1, command: [run]}]}}
                - type: worker
                  replicas: 2
                  template: {spec: {containers: [{name: a, image: i:1, command: [run]}]}}
                """));
    jobs.awaitPhase("two-types", "Running");
    String base = jobs.base("two-types");
    List<Pod> pods = jobs.pods("two-types");
    assertThat(pods)
        .extracting(pod -> pod.getMetadata().getName())
        .containsExactly(base + "-chief-0", base + "-worker-0", base + "-worker-1");
    String master = base + "-chief-0." + base + "." + namespace + ".svc";
    for (int rank = 0; rank < pods.size(); rank++) {
      assertThat(env(pods.get(rank)))
          .containsEntry("MASTER_ADDR", master)
          .containsEntry("MASTER_PORT", "23456")
          .containsEntry("WORLD_SIZE", "3")
          .containsEntry("RANK", Integer.toString(rank))
          .doesNotContainKey("LOCAL_RANK");
    }
    List<Service> services = services("two-types");
    assertThat(services).hasSize(1);
    Service service = services.get(0);
    assertThat(service.getMetadata().getName()).isEqualTo(base);
    assertThat(service.getSpec().getClusterIP()).isEqualTo("None");
    assertThat(service.getSpec().getPublishNotReadyAddresses()).isTrue();
    assertThat(service.getSpec().getPorts())
        .extracting(port -> port.getPort())
        .containsExactly(23456, 29400);
    assertThat(pods)
        .allSatisfy(
            pod ->
                assertThat(pod.getMetadata().getLabels())
                    .containsAllEntriesOf(service.getSpec().getSelector()));
    Stream.concat(pods.stream(), services.stream()).forEach(object -> assertOwner(object, job));
  }

  @Test
  void labelsAndAnnotationsOfTheTemplateReachEveryPod() {
    jobs.create(
        job(
            "labelled",
            """
            replicaSpecs:
            - type: worker
              replicas: 2
              template:
                metadata:
                  labels: {team: vision, replica-type: mine, job-role: boss}
                  annotations: {example.com/note: hello}
                spec: {containers: [{name: a, image: i:1, command: [run]}]}
            """));
    List<Pod> pods = jobs.awaitPods("labelled", 2);
    assertThat(pods)
        .allSatisfy(
            pod -> {
              assertThat(pod.getMetadata().getLabels())
                  .containsEntry("team", "vision")
                  .containsEntry("replica-type", "worker");
              assertThat(pod.getMetadata().getAnnotations())
                  .containsEntry("example.com/note", "hello");
            });
    assertThat(pods.get(0).getMetadata().getLabels()).containsEntry("job-role", "master");
    assertThat(pods.get(1).getMetadata().getLabels()).doesNotContainKey("job-role");
  }

  @Test
  void namesFollowTheFinalNameOfAGenerateNameJob() {
    PyTorchTrainingJob created =
        jobs.create(Jobs.simple("x", 1, "Never").replace("name: x\n", "generateName: run-\n"));
    String name = created.getMetadata().getName();
    assertThat(name).startsWith("run-").hasSizeGreaterThan(4);
    jobs.awaitPhase(name, "Running");
    assertThat(jobs.pods(name))
        .extracting(pod -> pod.getMetadata().getName())
        .allMatch(pod -> pod.matches(name + "-[0-9a-f]{5}-worker-0"));
  }

  @Test
  void aDeletedServiceIsCreatedAgainAndThePodsStay() {
    jobs.create(Jobs.simple("service-lost", 2, "Never"));
    jobs.awaitPhase("service-lost", "Running");
    List<String> pods = uids(jobs.pods("service-lost"));
    String before = services("service-lost").get(0).getMetadata().getUid();

    client.services().inNamespace(namespace).withName(jobs.base("service-lost")).delete();

    await("another Service")
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> services("service-lost"),
            found -> found.size() == 1 && !found.get(0).getMetadata().getUid().equals(before));
    assertThat(uids(jobs.pods("service-lost"))).isEqualTo(pods);
    assertThat(jobs.get("service-lost").getStatus().phase()).isEqualTo("Running");
  }

  @Test
  void podsOfAnotherJobOfTheSameNameAreIgnored() {
    Pod stranger =
        client
            .resource(
                new PodBuilder()
                    .withNewMetadata()
                    .withNamespace(namespace)
                    .withName("stranger")
                    .addToLabels("tensorstack.dev/owner-name", "namesake")
                    .addToLabels("replica-type", "worker")
                    .addToLabels("replica-index", "0")
                    .addToLabels("job-role", "master")
                    .addToLabels("batch.tensorstack.dev/job-uid", "another-uid")
                    .endMetadata()
                    .withNewSpec()
                    .addNewContainer()
                    .withName("a")
                    .withImage("i:1")
                    .endContainer()
                    .withRestartPolicy("Never")
                    .endSpec()
                    .build())
            .create();
    kubelet.finish(namespace, "stranger", 0);
    jobs.create(Jobs.simple("namesake", 1, "Never"));
    PyTorchTrainingJob job = jobs.awaitPhase("namesake", "Running");

    assertThat(job.getStatus().aggregate().running()).isEqualTo(1);
    assertThat(job.getStatus().aggregate().succeeded()).isZero();
    assertThat(uids(jobs.pods("namesake"))).contains(stranger.getMetadata().getUid()).hasSize(2);
    kubelet.finish(namespace, jobs.base("namesake") + "-worker-0", 0);
    jobs.awaitPhase("namesake", "Succeeded");
    assertThat(client.pods().inNamespace(namespace).withName("stranger").get())
        .isNotNull()
        .satisfies(pod -> assertThat(pod.getMetadata().getDeletionTimestamp()).isNull());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          fixed-c10d  | c10d    | false | -                                   | --nnodes=2 --nproc_per_node=auto --rdzv_backend=c10d --rdzv_endpoint=MASTER:29400 --rdzv_id=UID-0 --rdzv_conf=is_host=HOST --max_restarts=5 --role=worker train.py
          elastic     | c10d    | true  | -                                   | --nnodes=2:4 --nproc_per_node=auto --rdzv_backend=c10d --rdzv_endpoint=MASTER:29400 --rdzv_id=UID-0 --rdzv_conf=is_host=HOST,last_call_timeout=10,keep_alive_interval=2,keep_alive_max_attempt=4PATIENCE --max_restarts=5 --role=worker train.py
          conf-merged | c10d    | false | --rdzv_conf=timeout=900 --tee=3     | --nnodes=2 --nproc_per_node=auto --rdzv_backend=c10d --rdzv_endpoint=MASTER:29400 --rdzv_id=UID-0 --rdzv_conf=is_host=HOST,timeout=900 --max_restarts=5 --role=worker --tee=3 train.py
          conf-wins   | c10d    | false | --rdzv-conf is_host=true,timeout=9  | --nnodes=2 --nproc_per_node=auto --rdzv_backend=c10d --rdzv_endpoint=MASTER:29400 --rdzv_id=UID-0 --rdzv_conf=is_host=true,timeout=9 --max_restarts=5 --role=worker train.py
          static      | static  | false | -                                   | --nnodes=2 --nproc_per_node=auto --rdzv_backend=static --rdzv_endpoint=MASTER:29400 --rdzv_id=UID-0 --node_rank=RANK --max_restarts=5 --role=worker train.py
          etcd-v2     | etcd-v2 | false | --rdzv_endpoint=etcd.example:2379   | --nnodes=2 --nproc_per_node=auto --rdzv_backend=etcd-v2 --rdzv_id=UID-0 --max_restarts=5 --role=worker --rdzv_endpoint=etcd.example:2379 train.py
          """)
  void torchrunsLineFollowsTheSpec(
      String name, String backend, boolean elastic, String extra, String line) {
    PyTorchTrainingJob job =
        jobs.create(
            job(
                name,
                """
                torchrunConfig:
                  enabled: true
                  procPerNode: auto
                  maxRestarts: 5
                  rdzvBackend: %s
                  extraOptions: [%s]
                elastic: {enabled: %s, minReplicas: 2, maxReplicas: 4}
                replicaSpecs:
                - type: worker
                  replicas: 2
                  template: {spec: {containers: [{name: a, image: i:1, command: [python, -u, train.py]}]}}
                """
                    .formatted(
                        backend, extra.equals("-") ? "" : quoted(extra.split(" ")), elastic)));
    List<Pod> pods = jobs.awaitPods(name, 2);
    String base = jobs.base(name);
    for (int rank = 0; rank < 2; rank++) {
      var container = pods.get(rank).getSpec().getContainers().get(0);
      assertThat(container.getCommand()).containsExactly("torchrun");
      assertThat(String.join(" ", container.getArgs()))
          .isEqualTo(
              line.replace("MASTER", base + "-worker-0." + base + "." + namespace + ".svc")
                  .replace("UID", job.getMetadata().getUid())
                  .replace("HOST", Boolean.toString(rank == 0))
                  .replace("RANK", Integer.toString(rank))
                  .replace("PATIENCE", rank == 0 ? "" : ",read_timeout=600"));
      Set<String> names =
          new TreeSet<>(
              List.of(
                  "PYTHONUNBUFFERED",
                  "MASTER_ADDR",
                  "MASTER_PORT",
                  "PJ_NAME",
                  "PJ_UID",
                  "PJ_ATTEMPT"));
      if (elastic) {
        names.add("TORCH_DISABLE_SHARE_RDZV_TCP_STORE");
      }
      assertThat(env(pods.get(rank))).containsOnlyKeys(names);
    }
  }

  private static String quoted(String[] words) {
    return Stream.of(words).map(word -> '"' + word + '"').collect(Collectors.joining(", "));
  }

  /** Section 4: the training container is the one named python; all others get the environment. */
  @Test
  void onlyTheTrainingContainerRunsThroughTorchrun() {
    jobs.create(
        job(
            "sidecar",
            """
            torchrunConfig: {enabled: true}
            replicaSpecs:
            - type: worker
              template:
                spec:
                  initContainers: [{name: prepare, image: i:1, command: [prepare]}]
                  containers:
                  - {name: logs, image: i:1, command: [logs]}
                  - name: python
                    image: i:1
                    args: [train.py]
                    resources: {limits: {nvidia.com/gpu: 2, hygon.com/dcu: 1}}
                    env:
                    - {name: MASTER_PORT, value: "1"}
                    - {name: URL, value: "tcp://$(MASTER_ADDR)"}
            """));
    Pod pod = jobs.awaitPods("sidecar", 1).get(0);
    var logs = pod.getSpec().getContainers().get(0);
    var python = pod.getSpec().getContainers().get(1);
    assertThat(logs.getCommand()).containsExactly("logs");
    assertThat(python.getCommand()).containsExactly("torchrun");
    assertThat(python.getArgs()).contains("--nproc_per_node=3").endsWith("train.py");
    assertThat(names(logs.getEnv()))
        .containsExactlyInAnyOrder(
            "MASTER_ADDR", "MASTER_PORT", "PYTHONUNBUFFERED", "PJ_NAME", "PJ_UID", "PJ_ATTEMPT");
    assertThat(names(pod.getSpec().getInitContainers().get(0).getEnv()))
        .containsExactlyInAnyOrder(
            "MASTER_ADDR", "MASTER_PORT", "PYTHONUNBUFFERED", "PJ_NAME", "PJ_UID", "PJ_ATTEMPT");
    // The user's entry of the same name wins; the operator's come first.
    assertThat(names(python.getEnv()).subList(python.getEnv().size() - 2, python.getEnv().size()))
        .containsExactly("MASTER_PORT", "URL");
    assertThat(python.getEnv().get(python.getEnv().size() - 2).getValue()).isEqualTo("1");
    assertThat(names(python.getEnv())).startsWith("MASTER_ADDR");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Always", "OnFailure", "Never"})
  void theTemplatesRestartPolicyIsOverriddenWithNever(String written) {
    String name = "policy-" + written.toLowerCase(java.util.Locale.ROOT);
    jobs.create(
        Jobs.simple(name, 1, "OnFailure")
            .replace("containers:", "restartPolicy: " + written + "\n        containers:"));
    assertThat(jobs.awaitPods(name, 1))
        .allMatch(pod -> pod.getSpec().getRestartPolicy().equals("Never"));
  }

  @Test
  void aTemplateThatTheApiServerRefusesIsSaidOnTheJobAndHurtsNoOther() {
    jobs.create(
        Jobs.simple("refused", 2, "Never")
            .replace("image: registry.example/train:1", "workingDir: /x"));
    PyTorchTrainingJob job =
        jobs.await(
            "refused",
            "reason InvalidSpec",
            status -> status.columns() != null && "InvalidSpec".equals(status.columns().reason()));
    assertThat(job.getStatus().phase()).isEqualTo("Pending");
    assertThat(job.getStatus().conditions())
        .filteredOn(condition -> "InvalidSpec".equals(condition.reason()))
        .isNotEmpty()
        .allSatisfy(condition -> assertThat(condition.message()).contains("image: Required value"));
    await("a Warning event")
        .until(
            () -> jobs.events("refused"),
            events -> events.stream().anyMatch(event -> event.getReason().equals("CreateFailed")));
    Event event =
        jobs.events("refused").stream()
            .filter(one -> one.getReason().equals("CreateFailed"))
            .findFirst()
            .orElseThrow();
    assertThat(event.getType()).isEqualTo("Warning");
    assertThat(event.getMessage()).contains("image: Required value");

    jobs.create(Jobs.simple("beside-refused", 2, "Never"));
    jobs.awaitPhase("beside-refused", "Running");
    assertThat(operator.isAlive()).isTrue();
    assertThat(jobs.pods("refused")).isEmpty();
  }

  @ParameterizedTest(name = "apply {0}, elastic {1}")
  @CsvSource({
    "--server-side=false, false",
    "--server-side=true, false",
    "--server-side=false, true",
    "--server-side=true, true"
  })
  void applyingTheSameManifestAgainChangesNothing(String how, boolean elastic) {
    String name = "again-" + (how.endsWith("true") ? "server" : "client") + (elastic ? "-el" : "");
    String manifest =
        job(
            name,
            """
            torchrunConfig: {enabled: true}
            elastic: {enabled: %s, minReplicas: 1, maxReplicas: 4}
            runPolicy: {backoffLimit: 2}
            replicaSpecs:
            - type: worker
              replicas: 2
              template: {spec: {containers: [{name: a, image: i:1, args: [train.py]}]}}
            """
                .formatted(elastic));
    apply(manifest, how);
    jobs.awaitPhase(name, "Running");
    PyTorchTrainingJob before = jobs.get(name);
    List<String> pods = uids(jobs.pods(name));

    apply(manifest, how);
    // Something that makes the operator look at the job once more, for a point in time to wait for.
    controlPlane.kubectl("label", "pj", name, "seen=yes", "-n", namespace).orThrow();
    client.services().inNamespace(namespace).withName(jobs.base(name)).delete();
    await("the operator has looked again").until(() -> services(name).size() == 1);

    PyTorchTrainingJob after = jobs.get(name);
    assertThat(after.getMetadata().getGeneration()).isEqualTo(before.getMetadata().getGeneration());
    assertThat(after.getStatus()).isEqualTo(before.getStatus());
    assertThat(uids(jobs.pods(name))).isEqualTo(pods);
  }

  private void apply(String manifest, String how) {
    controlPlane.kubectlWithInput(manifest, "apply", how, "-n", namespace, "-f", "-").orThrow();
  }

  private void assertOwner(HasMetadata object, PyTorchTrainingJob job) {
    assertThat(object.getMetadata().getOwnerReferences())
        .containsExactly(
            new OwnerReference(
                "batch.tensorstack.dev/v1beta1",
                true,
                true,
                "PyTorchTrainingJob",
                job.getMetadata().getName(),
                job.getMetadata().getUid()));
  }

  private List<Service> services(String job) {
    return client
        .services()
        .inNamespace(namespace)
        .withLabel("tensorstack.dev/owner-name", job)
        .list()
        .getItems();
  }

  private static List<String> uids(List<Pod> pods) {
    return pods.stream().map(pod -> pod.getMetadata().getUid()).toList();
  }

  private static List<String> names(List<EnvVar> env) {
    return env.stream().map(EnvVar::getName).toList();
  }

  private static Map<String, String> env(Pod pod) {
    return pod.getSpec().getContainers().get(0).getEnv().stream()
        .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
  }
}
