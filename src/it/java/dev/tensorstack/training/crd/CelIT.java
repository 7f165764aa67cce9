package dev.tensorstack.training.crd;

import static dev.tensorstack.training.crd.Example.WORKER;
import static dev.tensorstack.training.crd.Example.elastic;
import static dev.tensorstack.training.crd.Example.job;
import static dev.tensorstack.training.crd.Example.jobOf;
import static dev.tensorstack.training.crd.StoredJobs.completed;
import static dev.tensorstack.training.crd.StoredJobs.spec;
import static dev.tensorstack.training.crd.StoredJobs.violations;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.controlplane.NeedsKubernetes;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.operator.OperatorProcess;
import dev.tensorstack.training.reference.PodDryRunExample;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/**
 * What the CRD refuses by itself, without a webhook and without an operator: what the rules of
 * admission refuse, with the same words.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CelIT {

  private static final Path MANIFESTS = Path.of("src/test/resources/manifests");
  private static final Path EXAMPLES = Path.of("examples/invalid");
  private static final ObjectMapper JSON = new ObjectMapper();

  /** It says what to debug of a type that it does not have. */
  private static final String INVALID_MANIFEST =
      "old-tutorial-examples-job-debug-mode-job-debug.yaml";

  private static final String TORCHRUN = "torchrunConfig: {enabled: true}";
  private static final String PS = WORKER.replace("worker", "ps");
  private static final String GPU_JOB =
      job("").replace("name: c", "name: c, resources: {limits: {nvidia.com/gpu: 2}}");

  private final ControlPlane controlPlane =
      ControlPlane.builder().controllerManager(false).scheduler(false).start();
  private final KubernetesClient client = controlPlane.client();
  private final StoredJobs jobs;

  CelIT() {
    OperatorProcess.installCrds(client);
    jobs = new StoredJobs(client, controlPlane.createNamespace("cel"));
    jobs.awaitPolicy();
  }

  @AfterAll
  void stop() {
    controlPlane.close();
  }

  static List<CelRule> rules() {
    return CrdRules.rules();
  }

  @ParameterizedTest
  @MethodSource("rules")
  void theExampleOfEachRuleIsRefusedWithTheWordsOfAdmission(CelRule rule) {
    String name = rule.exampleName();
    List<StoredJobs.Refusal> refusals;
    if (rule.before() == null) {
      refusals = jobs.tryToCreate(StoredJobs.job(name, spec(rule.example())));
    } else {
      refusals = change(spec(rule.before()), spec(rule.example()));
    }

    assertThat(refusals).anyMatch(refusal -> refusal.saysTheSameAs(rule.violation()));
    assertThatAdmissionSaysTheSame(
        refusals,
        violations(name, spec(rule.example()), rule.before() == null ? null : spec(rule.before())));
  }

  static List<CelRule> rulesOfCreation() {
    return CrdRules.rules().stream()
        .filter(rule -> rule.before() == null && rule.exampleName().equals("mnist"))
        .toList();
  }

  /** What must not be created must not become of a good job either. */
  @ParameterizedTest
  @MethodSource("rulesOfCreation")
  void noGoodJobBecomesTheExampleOfARule(CelRule rule) {
    JsonNode good = spec(job(""));
    JsonNode bad = spec(rule.example());
    for (JsonNode stored : List.of(good, completed(good))) {
      List<StoredJobs.Refusal> refusals = change(stored, bad);

      assertThat(refusals).anyMatch(refusal -> refusal.saysTheSameAs(rule.violation()));
      assertThatAdmissionSaysTheSame(refusals, violations("mnist", bad, good));
    }
  }

  /**
   * Nearly as large as etcd takes one. Of a change of all templates of such a job the API server
   * says that it costs too much to look at: it is refused all the same.
   */
  @Test
  void theRulesOfAVeryLargeJobDoNotCostTooMuch() {
    String containers =
        IntStream.range(0, 20)
            .mapToObj(i -> "{name: c%d, args: [t.py, '%s']}".formatted(i, "x".repeat(400)))
            .collect(Collectors.joining(", "));
    String types =
        IntStream.range(0, 64)
            .mapToObj(
                i -> "{type: t%d, template: {spec: {containers: [%s]}}}".formatted(i, containers))
            .collect(Collectors.joining(", "));
    String entries =
        IntStream.range(0, 64)
            .mapToObj(i -> "{type: t%d, command: [a, b]}".formatted(i))
            .collect(Collectors.joining(", ", "[", "]"));
    String options =
        IntStream.range(0, 256)
            .mapToObj(i -> "'--log_dir=%s'".formatted("x".repeat(1000)))
            .collect(Collectors.joining(", "));
    String codes =
        IntStream.rangeClosed(1, 255).mapToObj(Integer::toString).collect(Collectors.joining(", "));
    JsonNode large =
        spec(
            jobOf(
                types,
                "torchrunConfig: {enabled: true, extraOptions: ["
                    + options
                    + "]}, elastic: {enabled: true, minReplicas: 1, maxReplicas: 100}, runMode:"
                    + " {debug: {replicaSpecs: "
                    + entries
                    + "}, pause: {resumeSpecs: "
                    + entries
                    + "}}, runPolicy: {retryableExitCodes: ["
                    + codes
                    + "]}"));

    assertThat(large.toString()).hasSizeGreaterThan(800_000);
    assertThat(change(large, large)).isEmpty();
    assertThat(change(large, completed(large))).isEmpty();
    ObjectNode paused = large.deepCopy();
    paused.withObject("/runMode/pause").put("enabled", true);
    assertThat(change(large, paused)).as("a small change of it").isEmpty();
    assertThat(change(large, spec(large.toString().replaceFirst("t.py", "u.py"))))
        .as("a change of a template")
        .anySatisfy(
            refusal -> assertThat(refusal.field()).isEqualTo("spec.replicaSpecs[0].template"));
  }

  /** An API server drops a message of several lines, or of more than 5 KiB. */
  @Test
  void aMistakeIsToldThoughItsValueHasLinesOrIsLong() {
    ObjectNode lines = (ObjectNode) spec(job(""));
    ((ObjectNode) lines.at("/replicaSpecs/0")).put("type", "wor\nker");
    assertThat(jobs.tryToCreate(StoredJobs.job("mnist", lines)))
        .anySatisfy(refusal -> assertThat(refusal.field()).startsWith("spec.replicaSpecs[0].type"));
    String filesets =
        IntStream.range(0, 5)
            .mapToObj(i -> "'" + "x".repeat(2000) + i + "'")
            .collect(Collectors.joining(", ", "[", "]"));
    assertThat(
            jobs.tryToCreate(
                StoredJobs.job(
                    "mnist",
                    spec(job("tensorboardSpec: {trainingLogFilesets: " + filesets + "}")))))
        .anySatisfy(
            refusal ->
                assertThat(refusal.field()).startsWith("spec.tensorboardSpec.trainingLogFilesets"));
  }

  static Stream<Path> examples() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      return files.filter(file -> !file.equals(PodDryRunExample.FILE)).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void thePublishedExamplesAreRefusedAsFarAsTheCrdSaysSo(Path file) throws IOException {
    List<JsonNode> documents = documents(file);
    JsonNode last = documents.get(documents.size() - 1);
    String name = last.at("/metadata/name").asText();
    JsonNode old = documents.size() == 1 ? null : documents.get(0).get("spec");
    List<StoredJobs.Refusal> refusals =
        old == null ? jobs.tryToCreate((ObjectNode) last) : change(old, last.get("spec"));

    String rule = file.getFileName().toString().replace(".yaml", "");
    assertThat(refusals.isEmpty())
        .as("stored, as the CRD says nothing of it")
        .isEqualTo(CrdRules.of(rule).rules().isEmpty());
    // Two of one type: the list is a map for the API server, which says so itself.
    assertThatAdmissionSaysTheSame(
        refusals.stream()
            .filter(refusal -> !refusal.reason().equals("FieldValueDuplicate"))
            .toList(),
        violations(name, last.get("spec"), old));
  }

  private static void assertThatAdmissionSaysTheSame(
      List<StoredJobs.Refusal> refusals, List<Violation> violations) {
    assertThat(refusals)
        .allSatisfy(
            refusal -> assertThat(violations).as("%s", refusal).anyMatch(refusal::saysTheSameAs));
  }

  static final List<String> VALID =
      List.of(
          job(""),
          job(TORCHRUN),
          job("torchrunConfig: {enable: true}"),
          job("torchrunConfig: {enable: true, enabled: false}"),
          job("torchrunConfig: {enabled: true, procPerNode: auto, minNodes: 3}"),
          job("torchrunConfig: {enabled: true, procPerNode: 8}"),
          job("torchrunConfig: {enabled: true, procPerNode: '8'}"),
          job("torchrunConfig: {enabled: true, procPerNode: ' gpu '}"),
          job(
              "torchrunConfig: {enabled: true, rdzvBackend: etcd,"
                  + " extraOptions: [--rdzv_endpoint=h:1]}"),
          job(
              "torchrunConfig: {enabled: true, extraOptions: [--rdzv_conf=a=b, --no-python, -r,"
                  + " '3', --r, --nnodesx, nnodes, --st, --log_dir=/nnodes]}"),
          job(
              "torchrunConfig: {enable: true}, elastic: {enable: true, minReplicas: 1, maxReplicas: 4}"),
          elastic("minReplicas: 4, maxReplicas: 4, expectedReplicas: 4"),
          job("elastic: {enabled: false}"),
          job("elastic: {enabled: false, metrics: [{type: Resource}, {}]}"),
          elastic(
              "minReplicas: 1, maxReplicas: 4, metrics: [{type: Resource, resource: {name: cpu,"
                  + " target: {type: Utilization, averageUtilization: 80}}}, {type: External,"
                  + " external: {metric: {name: m}, target: {type: Value, value: '3'}}}]"),
          job("elastic: {enabled: false, enable: true}"),
          job("elastic: {minReplicas: 5, maxReplicas: 1, expectedReplicas: 9}"),
          jobOf(
              PS.replace("type", "scalingWeight: 0, type") + ", " + WORKER,
              TORCHRUN + ", elastic: {enabled: true, minReplicas: 4, maxReplicas: 9}"),
          job("runPolicy: {backoffLimit: 0, activeDeadlineSeconds: 1, ttlSecondsAfterFinished: 0}"),
          job("runPolicy: {retryableExitCodes: [1, 255], restartScope: Job, cleanUpPolicy: All}"),
          job("runMode: {debug: {enabled: true, replicaSpecs: [{type: worker, command: [sshd]}]}}"),
          job("runMode: {debug: {enabled: false, enable: true}, pause: {enable: true}}"),
          job(TORCHRUN + ", runMode: {debug: {enable: true}}").replace(", args: [t.py]", ""),
          job("scheduler: {}"),
          job("scheduler: {coscheduling: {}}"),
          job("scheduler: {t9kScheduler: {queue: null, priority: 0}}"),
          job("scheduler: {t9kScheduler: {priority: 100}}"),
          job("scheduler: {kubernetes: {}}")
              .replace("spec: {containers", "spec: {schedulerName: mine, containers"),
          job("scheduler: {volcano: {}}")
              .replace("spec: {containers", "spec: {schedulerName: volcano, containers"),
          job("tensorboardSpec: {logDir: {pvc: [{name: logs, subPath: [a/b, ..a, b..]}]}}"),
          job("tensorboardSpec: {logDir: {s3: {secretRef: {name: s}, uri: ['s3://b']}}}"),
          job("tensorboardSpec: {logDir: {http: {url: ['http://host:1/a?b']}}}"),
          job("tensorboardSpec: {trainingLogFilesets: ['t9k://minio/secret/bucket/a/b']}"),
          // Nothing of a template is pruned or taken amiss.
          job("")
              .replace("{spec: {c", "{metadata: null, spec: {hostAliases: null, newer: {a: 1}, c"),
          job("").replace("name: c", "name: c, newer: [1], env: null, command: null"),
          job("").replace("spec: {c", "spec: {initContainers: null, schedulerName: null, c"),
          job("").replace("spec: {c", "spec: {restartPolicy: Always, c"),
          GPU_JOB,
          job("").replace("replicas: 4, ", ""),
          jobOf(WORKER + ", " + PS.replace("4", "0"), ""));

  @ParameterizedTest
  @FieldSource("VALID")
  void whatAdmissionLetsPassTheCrdLetsPassToo(String spec) {
    assertThat(violations("mnist", spec(spec), null)).isEmpty();
    assertThat(jobs.tryToCreate(StoredJobs.job("mnist", spec(spec)))).isEmpty();
  }

  /** As a job stored without the webhook is changed through it, and the other way round. */
  @ParameterizedTest
  @FieldSource("VALID")
  void defaultsAreNoChangeWhetherTheyComeOrGo(String spec) {
    assertThat(change(spec(spec), completed(spec(spec)))).isEmpty();
    assertThat(change(completed(spec(spec)), spec(spec))).isEmpty();
  }

  static Stream<Path> manifests() throws IOException {
    try (Stream<Path> files = Files.list(MANIFESTS)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("manifests")
  void publishedManifestsArePassedWithAndWithoutDefaults(Path file) throws IOException {
    List<JsonNode> found =
        documents(file).stream()
            .filter(object -> object.path("kind").asText().equals("PyTorchTrainingJob"))
            .toList();
    assertThat(found).isNotEmpty();
    for (JsonNode manifest : found) {
      JsonNode spec = manifest.get("spec");
      List<StoredJobs.Refusal> refusals = jobs.tryToCreate((ObjectNode) manifest);
      if (file.getFileName().toString().equals(INVALID_MANIFEST)) {
        assertThat(refusals).isNotEmpty();
        assertThatAdmissionSaysTheSame(refusals, violations("mnist", spec, null));
      } else {
        assertThat(refusals).isEmpty();
        assertThat(change(spec, completed(spec))).isEmpty();
        assertThat(change(completed(spec), spec)).isEmpty();
      }
    }
  }

  static final List<String> INVALID =
      List.of(
          job("elastic: {enable: true, minReplicas: 1, maxReplicas: 4}"),
          job(
              "torchrunConfig: {enabled: false, enable: true}, elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}"),
          job(
              "torchrunConfig: {enable: true}, elastic: {enable: true, minReplicas: 1,"
                  + " maxReplicas: 4, expectedReplicas: 0}"),
          elastic("minReplicas: -1, maxReplicas: 0"),
          elastic("minReplicas: 2, maxReplicas: 4")
              .replace(
                  "enabled: true},",
                  "enable: true, rdzvBackend: etcd, extraOptions: ['--rdzv_end=h:1']},"),
          elastic("minReplicas: 1, maxReplicas: 4, metrics: [{}, {type: Pods}, {type: pods}]"),
          job("torchrunConfig: {procPerNode: 0}"),
          job("torchrunConfig: {procPerNode: -2}"),
          job("torchrunConfig: {procPerNode: '0'}"),
          job("torchrunConfig: {procPerNode: ''}"),
          job("torchrunConfig: {procPerNode: 1000000}"),
          job("torchrunConfig: {procPerNode: '100% of \"them\"'}"),
          job("torchrunConfig: {extraOptions: [--nn, --nproc-per_n=2, --rdzv_i=x, --max_r=1]}"),
          job("torchrunConfig: {extraOptions: [--node_rank, '0', --rol=x, --master_a=h, --stand]}"),
          job("torchrunConfig: {extraOptions: [-t, '3', --rdzv-endpoint, 'h:1']}"),
          job("torchrunConfig: {rdzvBackend: etcd, extraOptions: [--rdzv_endpoin]}")
              .replace("endpoin]", "conf=x]"),
          job("runMode: {debug: {enable: true}, pause: {enabled: true}}"),
          job("runMode: {pause: {resumeSpecs: [{type: ps, command: []}]}}"),
          job("runPolicy: {retryableExitCodes: [0, 7, 256], backoffLimit: -3}"),
          job("managedBy: multikueue"),
          job("managedBy: ''"),
          job("managedBy: example.com/"),
          job("managedBy: 'Example.com/100% of \"them\"'"),
          job("managedBy: " + "a.".repeat(100) + "a/x"),
          job("scheduler: {t9kScheduler: {priority: -1}, coscheduling: {}}"),
          job("tensorboardSpec: {logDir: {s3: {}}, trainingLogFilesets: []}"),
          job("tensorboardSpec: {trainingLogFilesets: ['t9k://pvc/a/b', pvc/a]}"),
          job(
              "tensorboardSpec: {logDir: {http: {url: ['http://a b']}, s3: {secretRef: {name: s}, uri: ['s3:///x', s3]}}}"),
          jobOf(WORKER.replace("4", "-1"), ""),
          jobOf(WORKER + ", " + PS.replace("ps", "a.b").replace("4", "-7"), ""),
          jobOf(WORKER.replace("worker", "x".repeat(64)).replace("4", "0"), ""),
          jobOf(
              PS.replace("{spec: {containers: [{name: c, args: [t.py]}]}}", "{}") + ", " + WORKER,
              ""),
          job(TORCHRUN)
              .replace(
                  "{name: c, args: [t.py]}", "{name: a, args: [x]}, {name: python, args: []}"));

  @ParameterizedTest
  @FieldSource("INVALID")
  void whatTheCrdRefusesAdmissionRefusesWithTheSameWords(String spec) {
    List<Violation> violations = violations("mnist", spec(spec), null);
    List<StoredJobs.Refusal> refusals = jobs.tryToCreate(StoredJobs.job("mnist", spec(spec)));

    assertThatAdmissionSaysTheSame(refusals, violations);
    assertThat(violations)
        .isNotEmpty()
        .allSatisfy(
            violation ->
                assertThat(refusals)
                    .as("%s", violation)
                    .anyMatch(refusal -> refusal.saysTheSameAs(violation)));
  }

  @ParameterizedTest
  @CsvSource({
    "mnist,                                              4, true",
    "1mnist,                                             4, false",
    "mnist.v1,                                           4, false",
    "a23456789b123456789c123456789d123456789e12345678,   4, true",
    "a23456789b123456789c123456789d123456789e123456789,  4, false",
    "a23456789b123456789c123456789d123456789e12345678,  11, false",
  })
  void theNameMakesNamesThatKubernetesAccepts(String name, int replicas, boolean accepted) {
    JsonNode spec = spec(job("").replace("4", Integer.toString(replicas)));
    List<StoredJobs.Refusal> refusals = jobs.tryToCreate(StoredJobs.job(name, spec));

    assertThat(refusals.isEmpty()).isEqualTo(accepted);
    assertThatAdmissionSaysTheSame(refusals, violations(name, spec, null));
  }

  /** The largest index is that of the largest size. */
  @Test
  void theNameOfAnElasticJobHasRoomForItsLargestSize() {
    String name = "a".repeat(47);
    JsonNode small = spec(elastic("minReplicas: 1, maxReplicas: 10"));
    JsonNode large = spec(elastic("minReplicas: 1, maxReplicas: 1000"));

    assertThat(jobs.tryToCreate(StoredJobs.job(name, small))).isEmpty();
    assertThat(jobs.tryToCreate(StoredJobs.job(name, large)))
        .singleElement()
        .satisfies(
            refusal -> assertThat(refusal.message()).contains("worker-999", "1 more than the 63"));
  }

  @Test
  void aGeneratedNameIsCheckedAsItBecomes() {
    ObjectNode job = StoredJobs.job("x", spec(job("")));
    job.putObject("metadata").put("generateName", "a".repeat(50));

    assertThat(jobs.tryToCreate(job))
        .singleElement()
        .satisfies(refusal -> assertThat(refusal.message()).contains("is too long"));
  }

  private static final String RICH =
      """
      replicaSpecs:
      - type: master
        restartPolicy: OnFailure
        template: {metadata: {labels: {a: b}}, spec: {nodeSelector: {a: b}, containers: [{name: c, image: i:1, args: [t.py]}]}}
      - type: worker
        replicas: 3
        scalingWeight: 2
        restartPolicy: OnFailure
        template: {spec: {containers: [{name: c, image: i:1, args: [t.py]}]}}
      torchrunConfig: {enabled: true, maxRestarts: 1, procPerNode: 2, extraOptions: [--no-python]}
      elastic: {enabled: true, minReplicas: 2, maxReplicas: 8, expectedReplicas: 4}
      runMode: {debug: {replicaSpecs: [{type: master}]}, pause: {resumeSpecs: [{type: worker, args: [a]}]}}
      runPolicy: {backoffLimit: 3, retryableExitCodes: [3], restartScope: Job}
      scheduler: {t9kScheduler: {queue: q, priority: 5}}
      managedBy: kueue.x-k8s.io/multikueue
      """;

  private static final String PLAIN =
      """
      replicaSpecs:
      - type: worker
        template: {spec: {containers: [{name: c, image: i:1, args: [t.py]}]}}
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "expectedReplicas: 4 | expectedReplicas: 8",
        "expectedReplicas: 4 | expectedReplicas: 2",
        "scalingWeight: 2 | scalingWeight: 5",
        "backoffLimit: 3 | backoffLimit: 9, activeDeadlineSeconds: 5, cleanUpPolicy: All",
        "debug: {replica | debug: {enabled: true, replica",
        "pause: {resume | pause: {enable: true, resume",
        "procPerNode: 2 | procPerNode: '2'",
        "torchrunConfig: {enabled: true | torchrunConfig: {enable: true",
        "elastic: {enabled: true | elastic: {enabled: true, enable: false",
        "type: master} | type: master, skipInitContainer: false, command: [sleep, inf]}",
        "spec: {containers | spec: {restartPolicy: Never, containers",
        "spec: {containers | spec: {restartPolicy: OnFailure, containers",
        "spec: {nodeSelector: {a: b}, | spec: {nodeSelector: {a: b}, restartPolicy: Never, ",
      })
  void whatMayBeChangedIsNotRefused(String before, String after) {
    assertThat(RICH).contains(before);
    JsonNode old = spec(RICH);
    JsonNode now = spec(RICH.replace(before, after));

    assertThat(violations("mnist", now, old)).isEmpty();
    assertThat(change(old, now)).isEmpty();
    assertThat(change(old, completed(now))).isEmpty();
    assertThat(change(completed(old), now)).isEmpty();
    assertThat(change(now, old)).isEmpty();
  }

  /** A block in which only defaults are given may come and go. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "torchrunConfig: {}",
        "torchrunConfig: {enabled: false, maxRestarts: 0, rdzvBackend: c10d, extraOptions: [], procPerNode: 1}",
        "torchrunConfig: {procPerNode: gpu}",
        "elastic: {}",
        "elastic: {enable: false}",
        "runMode: {}",
        "runMode: {debug: {enabled: false, replicaSpecs: []}, pause: {resumeSpecs: []}}",
        "runPolicy: {}",
        "runPolicy: {restartScope: Replica, retryableExitCodes: [130, 137, 138, 143]}",
        "scheduler: {}",
        "tensorboardSpec: {logDir: {pvc: [{name: logs}]}}",
      })
  void aBlockOfDefaultsMayComeAndGo(String block) {
    JsonNode without = spec(PLAIN);
    JsonNode with = spec(PLAIN + block);

    assertThat(violations("mnist", with, without)).isEmpty();
    assertThat(change(without, with)).isEmpty();
    assertThat(change(with, without)).isEmpty();
    assertThat(change(completed(without), with)).isEmpty();
    assertThat(change(completed(with), without)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "type: master | type: chief | spec.replicaSpecs",
        "replicas: 3 | replicas: 4 | spec.replicaSpecs[1].replicas",
        "replicas: 3 | scalingWeight: 2 | spec.replicaSpecs[1].replicas",
        "restartPolicy: OnFailure | restartPolicy: Never | spec.replicaSpecs[0].restartPolicy",
        "image: i:1 | image: i:2 | spec.replicaSpecs[1].template",
        "args: [t.py] | command: [t.py] | spec.replicaSpecs[1].template",
        "nodeSelector: {a: b} | hostAliases: [] | spec.replicaSpecs[0].template",
        "nodeSelector: {a: b} | nodeSelector: {a: c} | spec.replicaSpecs[0].template",
        "labels: {a: b} | labels: {a: c} | spec.replicaSpecs[0].template",
        "labels: {a: b} | annotations: {a: b} | spec.replicaSpecs[0].template",
        "metadata: {labels: {a: b}},| | spec.replicaSpecs[0].template",
        "spec: {containers: [{name: c, | spec: {restartPolicy: Never, containers: [{name: d,"
            + " | spec.replicaSpecs[1].template",
        "maxRestarts: 1, | | spec.torchrunConfig.maxRestarts",
        "procPerNode: 2 | procPerNode: 3 | spec.torchrunConfig.procPerNode",
        "procPerNode: 2, | | spec.torchrunConfig.procPerNode",
        "[--no-python] | [] | spec.torchrunConfig.extraOptions",
        "minReplicas: 2 | minReplicas: 1 | spec.elastic.minReplicas",
        "maxReplicas: 8 | maxReplicas: 9 | spec.elastic.maxReplicas",
        "elastic: {enabled: true | elastic: {enabled: false | spec.elastic.enabled",
        "elastic: {enabled: true | elastic: {enabled: false, enable: true | spec.elastic.enabled",
        "resumeSpecs: [{type: worker, args: [a]}] | resumeSpecs: []"
            + " | spec.runMode.pause.resumeSpecs",
        "args: [a] | args: [b] | spec.runMode.pause.resumeSpecs",
        "[{type: master}] | [{type: master, command: [sh]}] | spec.runMode.debug.replicaSpecs",
        "[{type: master}] | [{type: master, skipInitContainer: true}]"
            + " | spec.runMode.debug.replicaSpecs",
        "retryableExitCodes: [3], | | spec.runPolicy.retryableExitCodes",
        "restartScope: Job | restartScope: Replica | spec.runPolicy.restartScope",
        "queue: q | queue: r | spec.scheduler.t9kScheduler.queue",
        "queue: q, | | spec.scheduler.t9kScheduler.queue",
        ", priority: 5 | | spec.scheduler.t9kScheduler.priority",
        "scheduler: {t9kScheduler: {queue: q, priority: 5}} | | spec.scheduler",
        "t9kScheduler: {queue: q, priority: 5} | volcano: {} | spec.scheduler",
        "managedBy: kueue.x-k8s.io/multikueue | managedBy: example.com/other | spec.managedBy",
        "managedBy: kueue.x-k8s.io/multikueue | | spec.managedBy",
      })
  void whatMayNotBeChangedIsRefusedWithItsField(
      String before, @Nullable String after, String field) {
    assertThat(RICH).contains(before);
    JsonNode old = spec(RICH);
    JsonNode now = spec(RICH.replace(before, after == null ? "" : after));
    List<Violation> violations = violations("mnist", now, old);

    for (List<StoredJobs.Refusal> refusals :
        List.of(change(old, now), change(old, completed(now)), change(completed(old), now))) {
      assertThat(refusals).extracting(StoredJobs.Refusal::field).contains(field);
      assertThatAdmissionSaysTheSame(refusals, violations);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"kueue.x-k8s.io/multikueue", "batch.tensorstack.dev/pytorchtrainingjob-operator"})
  void whoWorksOnAJobIsNotSaidLater(String manager) {
    JsonNode old = spec(PLAIN);
    JsonNode now = spec(PLAIN + "managedBy: " + manager);
    List<StoredJobs.Refusal> refusals = change(old, now);

    assertThat(refusals).extracting(StoredJobs.Refusal::field).containsExactly("spec.managedBy");
    assertThatAdmissionSaysTheSame(refusals, violations("mnist", now, old));
  }

  @Test
  void theNumberAndTheOrderOfTypesStay() {
    JsonNode old = spec(jobOf(WORKER + ", " + PS, ""));
    for (String now : List.of(job(""), jobOf(PS + ", " + WORKER, ""))) {
      assertThat(change(old, spec(now)))
          .singleElement()
          .satisfies(refusal -> assertThat(refusal.field()).isEqualTo("spec.replicaSpecs"));
      assertThatAdmissionSaysTheSame(change(old, spec(now)), violations("mnist", spec(now), old));
    }
  }

  @ParameterizedTest
  @CsvSource({"9, 9 is outside", "1, 1 is outside", "0, 0 is outside", "3,"})
  void anElasticJobIsScaledWithinItsBounds(int replicas, @Nullable String refused) {
    String name = "scaled-" + replicas;
    assertThat(jobs.create(StoredJobs.job(name, spec(elastic("minReplicas: 2, maxReplicas: 4")))))
        .isEmpty();
    KubectlResult result = scale(name, replicas);
    ObjectNode scale =
        JSON.createObjectNode().put("apiVersion", "autoscaling/v1").put("kind", "Scale");
    scale.putObject("metadata").put("name", name).put("namespace", jobs.namespace());
    scale.putObject("spec").put("replicas", replicas);
    List<StoredJobs.Refusal> refusals = jobs.replace(name, "/scale", scale);

    if (refused == null) {
      assertThat(result.orThrow()).contains("scaled");
      assertThat(refusals).isEmpty();
      assertThat(jobs.get(name).at("/spec/elastic/expectedReplicas").asInt()).isEqualTo(replicas);
    } else {
      JsonNode now = spec(elastic("minReplicas: 2, maxReplicas: 4, expectedReplicas: " + replicas));
      assertThat(result.stderr())
          .contains("spec.elastic.expectedReplicas", refused, "write a number from 2 to 4");
      assertThat(refusals).hasSize(1);
      assertThatAdmissionSaysTheSame(refusals, violations(name, now, null));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"rigid | ''", "rigid-off | elastic: {enabled: false}"})
  void aJobThatIsNotElasticIsNotScaled(String name, String more) {
    assertThat(jobs.create(StoredJobs.job(name, spec(job(more))))).isEmpty();

    assertThat(scale(name, 3).stderr())
        .contains("spec.elastic.expectedReplicas", "this job is not elastic");
    assertThat(jobs.get(name).at("/spec/elastic/expectedReplicas").isMissingNode()).isTrue();
  }

  private KubectlResult scale(String name, int replicas) {
    return controlPlane.kubectl(
        "-n", jobs.namespace(), "scale", "pytorchtrainingjob/" + name, "--replicas=" + replicas);
  }

  /**
   * Before, they are refused by the webhooks only, and the operator passes over what it cannot
   * read.
   */
  @Test
  @NeedsKubernetes(value = 36, because = "an API server that minds the format int32")
  void numbersThatNoOperatorCanReadAreRefused() {
    assertThat(
            jobs.tryToCreate(
                StoredJobs.job("mnist", spec(job("runPolicy: {backoffLimit: 3000000000}")))))
        .extracting(StoredJobs.Refusal::message)
        .anyMatch(message -> message.contains("spec.runPolicy.backoffLimit"));
  }

  /** Stores a job, tries to change it, and takes it away. */
  private List<StoredJobs.Refusal> change(JsonNode from, JsonNode to) {
    String name = "mnist";
    assertThat(jobs.create(StoredJobs.job(name, from))).isEmpty();
    try {
      return jobs.update(name, to);
    } finally {
      jobs.delete(name);
    }
  }

  private static List<JsonNode> documents(Path file) throws IOException {
    List<JsonNode> documents = new ArrayList<>();
    new Yaml()
        .loadAll(Files.readString(file))
        .forEach(document -> documents.add(JSON.valueToTree(document)));
    return documents;
  }
}
