package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code scale} of jobs that are not elastic: Kubernetes' own disruption controller reads there how
 * many pods there shall be, and nobody may change it.
 */
@OperatorTest(value = "scale", operator = false)
class ScaleOfEveryJobIT {

  /** The controller manager may learn of a kind that is new half a minute later. */
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private static final String ELASTIC =
      """
      spec:
        torchrunConfig: {enabled: true}
        elastic: {enabled: true, minReplicas: 1, maxReplicas: 4}
        rep""";

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private final OperatorProcess operator;

  ScaleOfEveryJobIT(
      ControlPlane controlPlane, KubernetesClient client, Jobs jobs, FakeKubelet kubelet) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.jobs = jobs;
    this.kubelet = kubelet;
    this.namespace = jobs.namespace();
    // So that a replacement is no excuse for one eviction more.
    kubelet.rule(
        pod -> pod.getMetadata().getName().endsWith("-r1"),
        Behaviour.run().startingAfter(Duration.ofSeconds(4)));
    jobs.create(Jobs.simple("stored-before", 3, "OnFailure"));
    jobs.create(
        Jobs.simple("stored-before-elastic", 2, "OnFailure").replace("spec:\n  rep", ELASTIC));
    assertThat(read("stored-before").exitCode()).as("the API server finds no number").isNotZero();
    operator =
        OperatorProcess.startWithWebhooks(
            controlPlane.kubeconfig(), Map.of("OPERATOR_WATCH_NAMESPACES", namespace));
  }

  @AfterAll
  void stop() {
    operator.close();
  }

  private static String with(String manifest, String lines) {
    return manifest.replace("spec:\n  rep", "spec:\n  " + lines + "\n  rep");
  }

  private KubectlResult read(String job) {
    return controlPlane.kubectl(
        "get",
        "--raw",
        "/apis/batch.tensorstack.dev/v1beta1/namespaces/"
            + namespace
            + "/pytorchtrainingjobs/"
            + job
            + "/scale");
  }

  /** The number that scale has; a 0 is left out. */
  private int count(String job) {
    KubectlResult answer = read(job);
    answer.orThrow();
    return Serialization.unmarshal(answer.stdout(), JsonNode.class).at("/spec/replicas").asInt(0);
  }

  private Set<String> uids(String job) {
    return jobs.pods(job).stream()
        .map(pod -> pod.getMetadata().getUid())
        .collect(Collectors.toSet());
  }

  private void budget(String job, String limit) {
    client
        .resource(
            """
            apiVersion: policy/v1
            kind: PodDisruptionBudget
            metadata: {name: %1$s}
            spec:
              selector: {matchLabels: {tensorstack.dev/owner-name: %1$s}}
              %2$s
            """
                .formatted(job, limit))
        .inNamespace(namespace)
        .create();
  }

  /**
   * A budget. The controller manager learns of new kinds twice a minute, and what it could not
   * count before it does not count again until something changes.
   */
  private PodDisruptionBudget lookedAt(String job) {
    Resource<PodDisruptionBudget> budget =
        client.policy().v1().podDisruptionBudget().inNamespace(namespace).withName(job);
    PodDisruptionBudget found = budget.get();
    if (found.getStatus() != null
        && found.getStatus().getConditions() != null
        && found.getStatus().getConditions().stream()
            .anyMatch(one -> String.valueOf(one.getMessage()).contains("no matches for kind"))) {
      budget.patch(
          PatchContext.of(PatchType.JSON_MERGE),
          "{\"metadata\":{\"annotations\":{\"look\":\"" + System.nanoTime() + "\"}}}");
    }
    return found;
  }

  private PodDisruptionBudgetStatus awaitBudget(
      String job, String what, Predicate<PodDisruptionBudgetStatus> condition) {
    try {
      return await(what + " of the budget of " + job)
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(500))
          .until(
              () -> lookedAt(job),
              (PodDisruptionBudget found) ->
                  found.getStatus() != null && condition.test(found.getStatus()))
          .getStatus();
    } catch (ConditionTimeoutException late) {
      throw new AssertionError(
          controlPlane.kubectl("describe", "pdb", job, "-n", namespace).stdout(), late);
    }
  }

  /** As {@code kubectl drain} does for each pod. */
  private KubectlResult evict(String pod) {
    return controlPlane.kubectlWithInput(
        """
        {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "%s", "namespace": "%s"}}
        """
            .formatted(pod, namespace),
        "create",
        "--raw",
        "/api/v1/namespaces/" + namespace + "/pods/" + pod + "/eviction",
        "-f",
        "-");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "one-away  | maxUnavailable: 1   | 3 | 1",
        "half-away | maxUnavailable: 50% | 2 | 2",
        "half-here | minAvailable: 50%   | 2 | 2",
        "three     | minAvailable: 3     | 3 | 1"
      })
  void aBudgetCountsThePodsOfAJobThatIsNotElastic(
      String job, String limit, int healthy, int allowed) {
    jobs.create(with(Jobs.simple(job, 4, "OnFailure"), "runPolicy: {restartScope: Replica}"));
    jobs.await(job, "all pods", status -> status.aggregate().running() == 4);
    budget(job, limit);

    PodDisruptionBudgetStatus status =
        awaitBudget(job, "a count", seen -> seen.getDisruptionsAllowed() == allowed);
    assertThat(status.getExpectedPods()).isEqualTo(4);
    assertThat(status.getDesiredHealthy()).isEqualTo(healthy);
    assertThat(status.getCurrentHealthy()).isEqualTo(4);

    Set<String> before = uids(job);
    List<String> names = jobs.pods(job).stream().map(pod -> pod.getMetadata().getName()).toList();
    for (int i = 1; i <= allowed; i++) {
      evict(names.get(i)).orThrow();
    }
    KubectlResult oneTooMany = evict(names.get(3));
    assertThat(oneTooMany.stderr()).contains("violate the pod's disruption budget");
    jobs.await(
        job,
        "replacements",
        now -> now.aggregate().running() == 4 && now.disruptionCount() == allowed);
    assertThat(uids(job)).filteredOn(before::contains).hasSize(4 - allowed);
    awaitBudget(job, "room again", seen -> seen.getDisruptionsAllowed() == allowed);
  }

  @Test
  void theScaleOfEveryKindOfJobIsItsNumberOfPods() {
    String plain = Jobs.simple("plain", 3, "Never");
    String second =
        """
          - type: ps
            template:
              spec:
                containers: [{name: c, image: i, command: [python, ps.py]}]
        """;
    Map<String, Integer> pods =
        Map.of("plain", 3, "torchrun", 2, "two-types", 3, "off", 2, "paused", 2, "elastic", 2);
    jobs.create(plain);
    jobs.create(with(Jobs.simple("torchrun", 2, "Never"), "torchrunConfig: {enabled: true}"));
    jobs.create(Jobs.simple("two-types", 2, "Never") + second);
    jobs.create(
        with(
            Jobs.simple("off", 2, "Never"),
            "elastic: {enable: false, minReplicas: 1, maxReplicas: 9}"));
    jobs.create(with(Jobs.simple("paused", 2, "Never"), "runMode: {pause: {enabled: true}}"));
    jobs.create(Jobs.simple("elastic", 2, "OnFailure").replace("spec:\n  rep", ELASTIC));

    pods.forEach((job, count) -> assertThat(count(job)).as(job).isEqualTo(count));
    jobs.awaitPhase("plain", "Running");
    kubelet.finish(namespace, jobs.base("plain") + "-worker-0", 0);
    jobs.awaitPhase("plain", "Succeeded");
    assertThat(count("plain")).isEqualTo(3);
  }

  @Test
  void onlyAnElasticJobIsScaledAndTheRefusalSaysWhatToDo() {
    jobs.create(Jobs.simple("fixed", 2, "Never"));
    jobs.create(Jobs.simple("grows", 2, "OnFailure").replace("spec:\n  rep", ELASTIC));

    KubectlResult refused =
        controlPlane.kubectl("scale", "pj/fixed", "--replicas=3", "-n", namespace);
    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.stderr())
        .contains(
            "spec.elastic.expectedReplicas",
            "this job is not elastic, its size cannot be changed: create another job, with"
                + " elastic.enabled to scale it later");
    assertThat(count("fixed")).isEqualTo(2);
    controlPlane.kubectl("scale", "pj/grows", "--replicas=3", "-n", namespace).orThrow();
    assertThat(count("grows")).isEqualTo(3);
    jobs.await("grows", "three pods", status -> status.aggregate().running() == 3);
  }

  @Test
  void appliedAgainAJobIsUnchangedAndReplacedItKeepsItsCount() {
    String manifest = Jobs.simple("applied", 2, "Never");
    apply(manifest);
    assertThat(count("applied")).isEqualTo(2);

    assertThat(controlPlane.kubectlWithInput(manifest, "diff", "-n", namespace, "-f", "-").stdout())
        .isEmpty();
    apply(manifest);
    assertThat(count("applied")).isEqualTo(2);
    assertThat(jobs.get("applied").getMetadata().getGeneration()).isEqualTo(1);
    // Replacing takes the object that there is and writes it: no status must come in between.
    jobs.awaitPhase("applied", "Running");
    controlPlane.kubectlWithInput(manifest, "replace", "-n", namespace, "-f", "-").orThrow();
    assertThat(count("applied")).isEqualTo(2);
    assertThat(jobs.get("applied").getMetadata().getGeneration()).isEqualTo(1);
  }

  private void apply(String manifest) {
    controlPlane.kubectlWithInput(manifest, "apply", "-n", namespace, "-f", "-").orThrow();
  }

  @ParameterizedTest
  @CsvSource({"stored-before, 3", "stored-before-elastic, 2"})
  void aJobThatWasStoredWithoutTheWebhooksIsGivenItsCount(String job, int count) {
    await("the count of " + job)
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(count(job)).isEqualTo(count));
    jobs.await(
        job,
        "all pods",
        status -> status.aggregate().running() == count && status.observedGeneration() == 2);
    assertThat(jobs.get(job).getMetadata().getGeneration()).isEqualTo(2);
  }
}
