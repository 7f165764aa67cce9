package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.ControlPlaneExtension;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.controlplane.KubernetesVersion;
import dev.tensorstack.training.core.model.Violation;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.admission.Defaulter;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.reference.AdmissionPolicyManifest;
import dev.tensorstack.training.reference.CrdManifest;
import dev.tensorstack.training.reference.PodDryRunExample;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.StatusCause;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What users are told at {@code kubectl apply}: a real API server that asks the real webhooks. */
@ExtendWith(ControlPlaneExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AdmissionIT {

  private static final Path INVALID = Path.of("examples/invalid");

  /** Change rules need something to change. */
  private static final List<String> ABOUT_CHANGES =
      List.of("immutable.yaml", "elastic-bounds-immutable.yaml");

  private static final String GOOD =
      """
      apiVersion: batch.tensorstack.dev/v1beta1
      kind: PyTorchTrainingJob
      metadata:
        name: %s
      spec:
        replicaSpecs:
        - type: worker
          replicas: 2
          template:
            spec:
              containers:
              - name: python
                image: registry.example/train:1
                args: [train.py]
      """;

  private static final List<String> OLD_JOBS =
      List.of("labels", "finalizer", "pause", "slipped", "running");
  private static final String OLD_SPEC =
      "spec:\n  torchrunConfig: {enabled: true, extraOptions: [--nnodes=7]}\n";
  private static final String NO_FINALIZERS = "{\"metadata\":{\"finalizers\":null}}";

  private static final String ELASTIC =
      """
      apiVersion: batch.tensorstack.dev/v1beta1
      kind: PyTorchTrainingJob
      metadata:
        name: %s
      spec:
        torchrunConfig: {enabled: true}
        elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}
        runMode: {pause: {enabled: true}}
        replicaSpecs:
        - type: worker
          replicas: 2
          template:
            spec:
              containers:
              - name: python
                image: registry.example/train:1
                args: [train.py]
                resources: {requests: {cpu: 1}}
      """;

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final Jobs jobs;
  private final OperatorProcess operator;

  AdmissionIT(ControlPlane controlPlane, KubernetesClient client) {
    this.controlPlane = controlPlane;
    this.client = client;
    namespace = controlPlane.createNamespace("admission");
    storeOldJobs();
    OperatorProcess.installCrds(client);
    jobs = new Jobs(client, namespace);
    operator =
        OperatorProcess.startWithWebhooks(
            controlPlane.kubeconfig(), Map.of("OPERATOR_WATCH_NAMESPACES", namespace));
  }

  @AfterAll
  void stop() {
    operator.close();
  }

  private KubectlResult kubectl(String input, String... arguments) {
    String[] all =
        Stream.concat(Stream.of("-n", namespace), Stream.of(arguments)).toArray(String[]::new);
    return controlPlane.kubectlWithInput(input, all);
  }

  static Stream<String> examples() throws IOException {
    try (Stream<Path> files = Files.list(INVALID)) {
      return files
          .filter(file -> !file.equals(PodDryRunExample.FILE))
          .map(file -> file.getFileName().toString())
          .sorted()
          .toList()
          .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void eachRuleIsAppliedByTheApiServerInItsOwnWords(String file) throws IOException {
    List<String> documents =
        List.of(Files.readString(INVALID.resolve(file)).split("(?m)^---$", -1));
    PyTorchTrainingJob before = read(documents.get(0));
    PyTorchTrainingJob wrong = read(documents.get(documents.size() - 1));
    Defaulter defaulter = new Defaulter(AcceleratorResources.DEFAULT);
    boolean change = ABOUT_CHANGES.contains(file);
    List<Violation> expected =
        Rules.check(
            new RuleContext<>(
                wrong.getMetadata().getName(),
                defaulter.complete(wrong.getSpec()),
                change ? defaulter.complete(before.getSpec()) : null));
    assertThat(expected).extracting(Violation::rule).contains(file.replace(".yaml", ""));
    if (change) {
      generic(documents.get(0)).create();
    }

    KubernetesClientException refusal =
        catchThrowableOfType(
            KubernetesClientException.class,
            () -> {
              if (change) {
                generic(documents.get(documents.size() - 1)).forceConflicts().serverSideApply();
              } else {
                generic(documents.get(documents.size() - 1)).create();
              }
            });

    assertThat(refusal).as("refusal").isNotNull();
    assertThat(refusal.getCode()).isEqualTo(422);
    assertThat(refusal.getStatus().getDetails().getKind()).isEqualTo("PyTorchTrainingJob");
    assertThat(refusal.getStatus().getDetails().getCauses())
        .extracting(StatusCause::getField, StatusCause::getReason, StatusCause::getMessage)
        .containsExactlyElementsOf(
            expected.stream()
                .map(
                    violation ->
                        tuple(violation.field(), violation.reason().name(), violation.message()))
                .toList());
  }

  private static PyTorchTrainingJob read(String yaml) {
    return Serialization.unmarshal("---\n" + yaml, PyTorchTrainingJob.class);
  }

  private Resource<GenericKubernetesResource> generic(String yaml) {
    return client
        .resource(Serialization.unmarshal("---\n" + yaml, GenericKubernetesResource.class))
        .inNamespace(namespace);
  }

  @Test
  void kubectlShowsEveryMistakeWithItsFieldAndRemedy() {
    KubectlResult result =
        kubectl(
            GOOD.formatted("many")
                .replace(
                    "spec:\n  replicaSpecs:",
                    "spec:\n  elastic: {enabled: true, minReplicas: 5, maxReplicas: 4}\n"
                        + "  runPolicy: {backoffLimit: -1, cleanUpPolicy: Sometimes}\n"
                        + "  replicaSpecs:"),
            "apply",
            "-f",
            "-");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.stderr())
        .isEqualTo(
            """
            Warning: spec.replicaSpecs[0].template.spec.containers[0].resources.requests: nothing is requested, so autoscalers cannot see what a node of type "worker" needs: write cpu and memory
            The PyTorchTrainingJob "many" is invalid:\s
            * spec.torchrunConfig.enabled: an elastic job needs torchrun: set torchrunConfig.enabled to true, or elastic.enabled to false
            * spec.elastic.minReplicas: 5 is more than maxReplicas, 4: write the smaller number here
            * spec.runPolicy.backoffLimit: must not be negative: write 0 or more
            * spec.runPolicy.cleanUpPolicy: "Sometimes" is unknown: use one of [All, Unfinished, None]
            """);
  }

  @Test
  void kubectlShowsWhatTheApiServerObjectsToInThePodsWithTheFieldOfTheJob() throws IOException {
    KubectlResult result = kubectl(Files.readString(PodDryRunExample.FILE), "apply", "-f", "-");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.stderr()).isEqualTo(PodDryRunExample.ANSWER);
  }

  /** The job is compared with the stored one, not with a copy of itself: V1's known hole. */
  @Test
  void kubectlShowsThatAFieldCannotBeChanged() {
    assertThat(kubectl(GOOD.formatted("fixed"), "apply", "-f", "-").exitCode()).isZero();

    KubectlResult result =
        kubectl(
            GOOD.formatted("fixed").replace("replicas: 2", "replicas: 3").replace("train:1", "t:2"),
            "apply",
            "-f",
            "-");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.stderr())
        .isEqualTo(
            """
            The PyTorchTrainingJob "fixed" is invalid:\s
            * spec.replicaSpecs[0].replicas: cannot be changed after creation; an elastic job is scaled with elastic.expectedReplicas, any other needs another job
            * spec.replicaSpecs[0].template: cannot be changed after creation; create another job
            """);
  }

  @Test
  void kubectlShowsTheWarningsOfAJobThatIsAdmitted() {
    KubectlResult result =
        kubectl(
            GOOD.formatted("old")
                .replace(
                    "spec:\n  replicaSpecs:",
                    "spec:\n  torchrunConfig: {enable: true, minNodes: 2}\n  replicaSpecs:")
                .replace("      spec:\n", "      spec:\n        restartPolicy: OnFailure\n"),
            "apply",
            "-f",
            "-");

    assertThat(result.exitCode()).isZero();
    assertThat(result.stdout()).isEqualTo("pytorchtrainingjob.batch.tensorstack.dev/old created\n");
    assertThat(result.stderr().lines().toList())
        .hasSize(3)
        .allMatch(line -> line.startsWith("Warning: spec."))
        .anyMatch(line -> line.contains("spec.torchrunConfig.enable"))
        .anyMatch(line -> line.contains("spec.torchrunConfig.minNodes"))
        .anyMatch(line -> line.contains("template.spec.restartPolicy"));
  }

  /** The CRD's rules are asked before the validating webhook: it is they that refuse. */
  @Test
  void kubectlScaleIsRefusedOutsideTheBoundsAndForAFixedJob() {
    assertThat(kubectl(ELASTIC.formatted("scaled"), "apply", "-f", "-").exitCode()).isZero();
    assertThat(kubectl(GOOD.formatted("unscaled"), "apply", "-f", "-").exitCode()).isZero();

    assertThat(kubectl("", "scale", "pj/scaled", "--replicas=4").exitCode()).isZero();
    String refusal =
        """
        The PyTorchTrainingJob "scaled" is invalid: spec.elastic.expectedReplicas: Invalid value: 5 is outside minReplicas to maxReplicas: write a number from 1 to 4
        """;
    // API servers of older versions put the type of the job in front of the message.
    String olderRefusal = refusal.replace("value: 5", "value: \"object\": 5");
    assertThat(kubectl("", "scale", "pj/scaled", "--replicas=5").stderr())
        .isIn(
            KubernetesVersion.chosen().atLeast(36)
                ? List.of(refusal)
                : List.of(refusal, olderRefusal));
    assertThat(kubectl("", "scale", "pj/scaled", "--replicas=0").exitCode()).isEqualTo(1);
    assertThat(kubectl("", "scale", "pj/unscaled", "--replicas=4").stderr())
        .contains("not elastic");
    assertThat(jobs.get("scaled").getSpec().elastic().expectedReplicas()).isEqualTo(4);
  }

  @ParameterizedTest
  @CsvSource({"active, false", "paused, true"})
  void whatMayBeChangedIsChangedInAnActiveJobAndInAPausedOne(String name, boolean paused) {
    String job =
        ELASTIC
            .formatted("changed-" + name)
            .replace("pause: {enabled: true}", "pause: {enabled: " + paused + "}");
    assertThat(kubectl(job, "apply", "-f", "-").exitCode()).isZero();
    Awaitility.await()
        .until(
            () -> {
              var status = jobs.get("changed-" + name).getStatus();
              return status != null && status.phase().equals(paused ? "Paused" : "Pending");
            });

    KubectlResult changed =
        kubectl(
            "",
            "patch",
            "pj",
            "changed-" + name,
            "--type=merge",
            "-p",
            "{\"spec\":{\"elastic\":{\"expectedReplicas\":3},\"runPolicy\":{\"backoffLimit\":7,"
                + "\"activeDeadlineSeconds\":3600,\"ttlSecondsAfterFinished\":60,"
                + "\"cleanUpPolicy\":\"None\"},\"runMode\":{\"pause\":{\"enabled\":"
                + !paused
                + "}}}}");

    assertThat(changed.stderr()).isEmpty();
    assertThat(changed.exitCode()).isZero();
    KubectlResult refused =
        kubectl(
            "",
            "patch",
            "pj",
            "changed-" + name,
            "--type=merge",
            "-p",
            "{\"spec\":{\"elastic\":{\"maxReplicas\":5}}}");
    assertThat(refused.stderr())
        .contains("spec.elastic.maxReplicas: cannot be changed from 4 to 5");
  }

  @Test
  void everyDefaultIsVisible() {
    kubectl(ELASTIC.formatted("defaults"), "apply", "-f", "-");

    assertThat(
            kubectl(
                    "",
                    "get",
                    "pj",
                    "defaults",
                    "-o",
                    "jsonpath={.spec.runPolicy} {.spec.torchrunConfig}"
                        + " {.spec.elastic.expectedReplicas}"
                        + " {.spec.replicaSpecs[0].scalingWeight}"
                        + " {.spec.replicaSpecs[0].restartPolicy}"
                        + " {.spec.replicaSpecs[0].template.spec.restartPolicy}")
                .stdout())
        .isEqualTo(
            "{\"backoffLimit\":3,\"cleanUpPolicy\":\"Unfinished\",\"restartScope\":\"Replica\","
                + "\"retryableExitCodes\":[130,137,138,143]}"
                + " {\"enabled\":true,\"maxRestarts\":10,\"procPerNode\":\"1\",\"rdzvBackend\":\"c10d\"}"
                + " 2 1 Never Never");
  }

  @Test
  void anUnchangedReapplyRaisesNoGeneration() {
    for (String[] how :
        new String[][] {
          {"apply", "-f", "-"},
          {"apply", "--server-side", "--force-conflicts", "-f", "-"}
        }) {
      String job = GOOD.formatted("again" + how.length);
      assertThat(kubectl(job, how).exitCode()).isZero();
      assertThat(kubectl(job, how).exitCode()).isZero();
      assertThat(jobs.get("again" + how.length).getMetadata().getGeneration()).isEqualTo(1);
    }
  }

  @Test
  void aDryRunOfTheUserHasNoSideEffects() {
    KubectlResult result =
        kubectl(GOOD.formatted("dry"), "apply", "--dry-run=server", "-o", "yaml", "-f", "-");

    assertThat(result.stdout()).contains("backoffLimit: 3");
    assertThatThrownBy(() -> jobs.get("dry")).isInstanceOf(RuntimeException.class);
    assertThat(
            client
                .pods()
                .inNamespace(namespace)
                .withLabel("tensorstack.dev/owner-name", "dry")
                .list()
                .getItems())
        .isEmpty();
  }

  @Test
  void aGeneratedNameIsCheckedOnceItIsThere() {
    KubectlResult result =
        kubectl(
            GOOD.formatted("x").replace("name: x", "generateName: " + "n".repeat(50) + "-"),
            "create",
            "-f",
            "-");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.stderr()).contains("metadata.name: \"nnn").contains("is too long");
  }

  @Test
  void aQuotaIsAWarningOnly() {
    String poor = namespaceWithoutPods();

    KubectlResult result =
        controlPlane.kubectlWithInput(GOOD.formatted("quota"), "-n", poor, "apply", "-f", "-");

    assertThat(result.exitCode()).isZero();
    assertThat(result.stderr())
        .startsWith("Warning: spec.replicaSpecs[0].template: ")
        .contains("exceeded quota: none");
  }

  /** It cuts off and drops what is more than 4096 characters, of both webhooks together. */
  @Test
  void whatBothWebhooksWarnOfIsPassedOnWhole() {
    String poor = namespaceWithoutPods();
    String types =
        IntStream.range(0, 40)
            .mapToObj(
                i ->
                    """
                      - type: t%d
                        template:
                          spec:
                            restartPolicy: Always
                            containers:
                            - {name: python, image: registry.example/train:1, args: [train.py], resource: {}}
                    """
                        .formatted(i))
            .collect(Collectors.joining());
    String good = GOOD.formatted("warned");

    KubectlResult result =
        controlPlane.kubectlWithInput(
            good.substring(0, good.indexOf("  - type: worker")) + types,
            "-n",
            poor,
            "create",
            "-f",
            "-");

    assertThat(result.exitCode()).as(result.stderr()).isZero();
    List<String> warnings =
        result.stderr().lines().map(line -> line.replaceFirst("^Warning: ", "")).toList();
    assertThat(warnings)
        .allSatisfy(text -> assertThat(text).hasSizeLessThanOrEqualTo(250))
        .anySatisfy(text -> assertThat(text).startsWith("warnings left out: "))
        .anySatisfy(
            text ->
                assertThat(text)
                    .startsWith("spec.replicaSpecs[0].template and 39 more: ")
                    .contains("exceeded quota: none"))
        .anySatisfy(
            text ->
                assertThat(text)
                    .contains("containers[0].resource and 39 more: no pod has such a field"));
    assertThat(warnings.stream().mapToInt(String::length).sum()).isLessThanOrEqualTo(4096);
  }

  private String namespaceWithoutPods() {
    String poor = controlPlane.createNamespace("poor");
    client
        .resource(
            new ResourceQuotaBuilder()
                .withNewMetadata()
                .withName("none")
                .withNamespace(poor)
                .endMetadata()
                .withNewSpec()
                .addToHard("pods", new Quantity("0"))
                .endSpec()
                .build())
        .create();
    Awaitility.await()
        .until(
            () ->
                client
                        .resourceQuotas()
                        .inNamespace(poor)
                        .withName("none")
                        .get()
                        .getStatus()
                        .getHard()
                    != null);
    return poor;
  }

  @Test
  void aMalformedQuantityIsNamed() {
    KubectlResult result =
        kubectl(
            GOOD.formatted("quantity")
                .replace(
                    "          args:",
                    "          resources: {limits: {cpu: two}}\n          args:"),
            "apply",
            "-f",
            "-");

    assertThat(result.stderr())
        .isEqualTo(
            """
            The PyTorchTrainingJob "quantity" is invalid: spec.replicaSpecs[0].template.spec.containers[0].resources.limits[cpu]: "two" is no quantity: write for example 2, 500m or 16Gi
            """);
  }

  @Test
  void misspeltFieldsOfATemplateAreWarnedAbout() {
    KubectlResult result =
        kubectl(
            GOOD.formatted("misspelt")
                .replace("          args:", "          resource: {}\n          args:"),
            "apply",
            "-f",
            "-");

    assertThat(result.exitCode()).isZero();
    assertThat(result.stderr())
        .isEqualTo(
            "Warning: spec.replicaSpecs[0].template.spec.containers[0].resource: no pod has such a"
                + " field, it is ignored; is it misspelt?\n");
  }

  @ParameterizedTest
  @CsvSource({
    "labels, '{\"metadata\":{\"labels\":{\"a\":\"b\"}}}'",
    "finalizer, '{\"metadata\":{\"finalizers\":null}}'",
    "pause, '{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}'",
  })
  void anOldJobThatTodaysRulesRefuseIsNotBlocked(String name, String patch) {
    assertThat(kubectl("", "patch", "pj", "old-" + name, "--type=merge", "-p", patch).stderr())
        .doesNotContain("invalid");
    kubectl("", "delete", "pj", "old-" + name, "--wait=false");
    kubectl("", "patch", "pj", "old-" + name, "--type=merge", "-p", NO_FINALIZERS);

    Awaitility.await("it goes")
        .until(() -> kubectl("", "get", "pj", "old-" + name).stderr().contains("NotFound"));
  }

  @Test
  void aJobThatSlippedInFailsBeforeItHasAPodAndInTheSameWords() {
    jobs.awaitPhase("old-slipped", "Failed");

    assertThat(
            kubectl("", "get", "pj", "old-slipped", "-o", "jsonpath={.status.conditions}").stdout())
        .contains("InvalidSpec")
        .contains("spec.torchrunConfig.extraOptions[0]: --nnodes is set by the operator");
    assertThat(jobs.pods("old-slipped")).isEmpty();
  }

  @Test
  void anOldJobThatRunsGoesOnThoughTodaysRulesWouldRefuseIt() {
    Awaitility.await("its pods").until(() -> jobs.pods("old-running").size() == 2);

    assertThat(jobs.get("old-running").getStatus().phase()).isEqualTo("Pending");
  }

  /** Jobs from a time without rules: neither the CRD nor a policy nor the webhooks had any. */
  private void storeOldJobs() {
    client.resource(AdmissionPolicyManifest.binding()).delete();
    client.resource(crdWithoutRules()).forceConflicts().serverSideApply();
    for (String name : OLD_JOBS) {
      String job =
          GOOD.formatted("old-" + name)
              .replace("spec:\n  replicaSpecs:", OLD_SPEC + "  replicaSpecs:")
              .replace("metadata:\n", "metadata:\n  finalizers: [example.com/hold]\n");
      Awaitility.await().ignoreExceptions().until(() -> generic(job).create() != null);
    }
    String started = "{\"status\":{\"startTime\":\"2026-01-01T00:00:00Z\"}}";
    kubectl("", "patch", "pj", "old-running", "--subresource=status", "--type=merge", "-p", started)
        .orThrow();
  }

  private static CustomResourceDefinition crdWithoutRules() {
    try {
      JsonNode crd = new YAMLMapper().readTree(CrdManifest.FILE.toFile());
      for (JsonNode parent : crd.findParents("x-kubernetes-validations")) {
        ((ObjectNode) parent).remove("x-kubernetes-validations");
      }
      return Serialization.unmarshal(crd.toString(), CustomResourceDefinition.class);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }
}
