package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.controlplane.NeedsKubernetes;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.RuleContext;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.metricsapi.MetricsApi;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Elastic jobs that are scaled: by hand, and by the HorizontalPodAutoscaler controller of a real
 * kube-controller-manager on metrics that the test serves.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AutoscalingIT {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final String namespace;
  private final Jobs jobs;
  private final FakeKubelet kubelet;
  private final MetricsApi metrics;
  private final OperatorProcess operator;

  AutoscalingIT() throws IOException {
    controlPlane =
        ControlPlane.builder()
            .controllerManagerArguments(
                "--horizontal-pod-autoscaler-sync-period=1s",
                "--horizontal-pod-autoscaler-downscale-stabilization=1s",
                "--horizontal-pod-autoscaler-cpu-initialization-period=1s",
                "--horizontal-pod-autoscaler-initial-readiness-delay=1s")
            .start();
    client = controlPlane.client();
    OperatorProcess.installCrds(client);
    namespace = controlPlane.createNamespace("autoscaling");
    jobs = new Jobs(client, namespace);
    kubelet = FakeKubelet.start(client, FakeKubeletOptions.nodes(2).namePrefix("autoscaling"));
    metrics = MetricsApi.start(client);
    operator =
        OperatorProcess.startWithWebhooks(
            controlPlane.kubeconfig(), Map.of("OPERATOR_WATCH_NAMESPACES", namespace));
  }

  @AfterAll
  void stop() {
    operator.close();
    metrics.close();
    kubelet.close();
    controlPlane.close();
  }

  /** From 1 to 4 nodes, 2 at first; each asks for one CPU. */
  private static String job(String name, String more) {
    return """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata: {name: %s}
        spec:
          torchrunConfig: {enabled: true}
          elastic: {enabled: true, minReplicas: 1, maxReplicas: 4%s}
          replicaSpecs:
          - type: node
            replicas: 2
            restartPolicy: OnFailure
            template:
              spec:
                containers:
                - name: python
                  image: registry.example/train:1
                  args: [train.py]
                  resources: {requests: {cpu: 1}}
        """
        .formatted(name, more.isEmpty() ? "" : ", " + more);
  }

  private static String external(String metric, String each) {
    return """
        {type: External, external: {metric: {name: %s}, target: {type: AverageValue, averageValue: %s}}}
        """
        .formatted(metric, each)
        .trim();
  }

  private HorizontalPodAutoscaler autoscaler(String name) {
    return client
        .autoscaling()
        .v2()
        .horizontalPodAutoscalers()
        .inNamespace(namespace)
        .withName(name)
        .get();
  }

  private HorizontalPodAutoscaler awaitAutoscaler(
      String name, String what, Predicate<HorizontalPodAutoscaler> condition) {
    return await(what).until(() -> autoscaler(name), one -> one != null && condition.test(one));
  }

  private void awaitNoAutoscaler(String name) {
    await("no autoscaler " + name).until(() -> autoscaler(name) == null);
  }

  private void awaitNodes(String name, int nodes) {
    jobs.await(
        name,
        nodes + " nodes",
        status ->
            status.replicas() != null
                && status.replicas() == nodes
                && status.aggregate() != null
                && status.aggregate().running() == nodes);
    jobs.awaitPods(name, nodes);
  }

  private Set<String> uids(String name) {
    return jobs.pods(name).stream()
        .map(Pod::getMetadata)
        .map(metadata -> metadata.getUid())
        .collect(Collectors.toSet());
  }

  private static boolean has(HorizontalPodAutoscaler autoscaler, String condition) {
    return autoscaler.getStatus() != null
        && autoscaler.getStatus().getConditions() != null
        && autoscaler.getStatus().getConditions().stream()
            .anyMatch(one -> one.getType().equals(condition) && one.getStatus().equals("True"));
  }

  @Test
  void kubectlScaleChangesTheNodesAndStaysWithinTheBounds() {
    jobs.create(job("by-hand", ""));
    awaitNodes("by-hand", 2);
    Set<String> before = uids("by-hand");

    controlPlane.kubectl("scale", "pj/by-hand", "--replicas=3", "-n", namespace).orThrow();
    awaitNodes("by-hand", 3);
    assertThat(uids("by-hand")).containsAll(before);

    KubectlResult tooMany =
        controlPlane.kubectl("scale", "pj/by-hand", "--replicas=5", "-n", namespace);
    assertThat(tooMany.exitCode()).isNotZero();
    assertThat(tooMany.stderr()).contains("expectedReplicas");

    controlPlane.kubectl("scale", "pj/by-hand", "--replicas=1", "-n", namespace).orThrow();
    awaitNodes("by-hand", 1);
    assertThat(before).containsAll(uids("by-hand"));
  }

  /** The autoscaler that a user makes finds the job and its pods. */
  @Test
  @NeedsKubernetes(value = 34, because = "kubectl autoscale --cpu")
  void kubectlAutoscaleScalesAJobOnWhatItsPodsUse() {
    PyTorchTrainingJob job = jobs.create(job("by-kubectl", ""));
    awaitNodes("by-kubectl", 2);
    metrics.cpuOfEachPod("900m");

    controlPlane
        .kubectl("autoscale", "pj/by-kubectl", "--min=1", "--max=4", "--cpu=50%", "-n", namespace)
        .orThrow();

    awaitNodes("by-kubectl", 4);
    awaitAutoscaler(
        "by-kubectl",
        "an autoscaler that works",
        one -> has(one, "AbleToScale") && has(one, "ScalingActive"));
    assertThat(metrics.selectorsAsked())
        .contains(namespace + "?batch.tensorstack.dev/job-uid=" + job.getMetadata().getUid());

    metrics.cpuOfEachPod("100m");
    awaitNodes("by-kubectl", 1);
    assertThat(jobs.get("by-kubectl").getStatus().backoffCount()).isZero();
    client
        .autoscaling()
        .v2()
        .horizontalPodAutoscalers()
        .inNamespace(namespace)
        .withName("by-kubectl")
        .delete();
  }

  @Test
  void metricsInTheJobMakeItsAutoscalerWhichFollowsThem() {
    PyTorchTrainingJob job =
        jobs.create(job("metrics", "metrics: [" + external("not-served", "2") + "]"));
    String base = jobs.base("metrics");
    HorizontalPodAutoscaler made = awaitAutoscaler(base, "an autoscaler", one -> true);

    assertThat(made.getMetadata().getOwnerReferences())
        .containsExactly(
            new OwnerReference(
                "batch.tensorstack.dev/v1beta1",
                true,
                true,
                "PyTorchTrainingJob",
                "metrics",
                job.getMetadata().getUid()));
    assertThat(made.getSpec().getMinReplicas()).isEqualTo(1);
    assertThat(made.getSpec().getMaxReplicas()).isEqualTo(4);
    assertThat(made.getSpec().getScaleTargetRef().getName()).isEqualTo("metrics");
    assertThat(made.getSpec().getScaleTargetRef().getKind()).isEqualTo("PyTorchTrainingJob");
    assertThat(made.getSpec().getMetrics())
        .extracting(metric -> metric.getExternal().getMetric().getName())
        .containsExactly("not-served");
    awaitAutoscaler(base, "the job's scale is read", one -> has(one, "AbleToScale"));

    jobs.patch(
        "metrics",
        "{\"spec\":{\"elastic\":{\"metrics\":["
            + json(external("other", "500m"))
            + ","
            + json(external("further", "1"))
            + "]}}}");
    awaitAutoscaler(
        base,
        "the new metrics",
        one ->
            one.getSpec().getMetrics().stream()
                .map(metric -> metric.getExternal().getMetric().getName())
                .toList()
                .equals(List.of("other", "further")));

    // Somebody else's hands.
    client
        .autoscaling()
        .v2()
        .horizontalPodAutoscalers()
        .inNamespace(namespace)
        .withName(base)
        .edit(
            one -> {
              one.getSpec().setMaxReplicas(99);
              return one;
            });
    awaitAutoscaler(base, "the job's own bounds", one -> one.getSpec().getMaxReplicas() == 4);
    String uid = autoscaler(base).getMetadata().getUid();
    client
        .autoscaling()
        .v2()
        .horizontalPodAutoscalers()
        .inNamespace(namespace)
        .withName(base)
        .delete();
    awaitAutoscaler(base, "another one", one -> !one.getMetadata().getUid().equals(uid));

    jobs.patch("metrics", "{\"spec\":{\"elastic\":{\"metrics\":null}}}");
    awaitNoAutoscaler(base);
    awaitNodes("metrics", 2);
  }

  private static String json(String yaml) {
    try {
      return JSON.writeValueAsString(Serialization.unmarshal("---\n" + yaml, Map.class));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theJobGrowsAndShrinksWithItsMetricAndSurvivorsAreLeftAlone() {
    metrics.external("waiting", "4");
    jobs.create(job("grows", "metrics: [" + external("waiting", "2") + "]"));
    awaitNodes("grows", 2);
    Set<String> first = uids("grows");

    metrics.external("waiting", "8");
    awaitNodes("grows", 4);
    assertThat(uids("grows")).containsAll(first);
    Set<String> all = uids("grows");

    metrics.external("waiting", "6");
    awaitNodes("grows", 3);
    assertThat(all).containsAll(uids("grows"));

    metrics.external("waiting", "1");
    awaitNodes("grows", 1);
    metrics.external("waiting", "800");
    awaitNodes("grows", 4);
    PyTorchTrainingJob job = jobs.get("grows");
    assertThat(job.getStatus().backoffCount()).isZero();
    assertThat(job.getStatus().disruptionCount()).isZero();
    assertThat(job.getStatus().attempt()).isZero();
  }

  @Test
  void theAutoscalerGoesAtPauseAndAtTheEndAndComesBackAtResume() {
    metrics.external("steady", "4");
    jobs.create(job("pauses", "metrics: [" + external("steady", "2") + "]"));
    String base = jobs.base("pauses");
    awaitNodes("pauses", 2);
    awaitAutoscaler(base, "an autoscaler", one -> true);

    jobs.patch("pauses", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":true}}}}");
    jobs.awaitPhase("pauses", "Paused");
    awaitNoAutoscaler(base);

    jobs.patch("pauses", "{\"spec\":{\"runMode\":{\"pause\":{\"enabled\":false}}}}");
    awaitNodes("pauses", 2);
    awaitAutoscaler(base, "an autoscaler again", one -> true);

    kubelet.finish(
        namespace,
        jobs.pods("pauses").stream()
            .filter(pod -> "master".equals(pod.getMetadata().getLabels().get("job-role")))
            .findFirst()
            .orElseThrow()
            .getMetadata()
            .getName(),
        0);
    jobs.awaitPhase("pauses", "Succeeded");
    awaitNoAutoscaler(base);
  }

  @Test
  void anElasticJobWithoutRequestsIsAcceptedWithAWarning() {
    KubectlResult result =
        controlPlane.kubectlWithInput(
            job("no-requests", "").replace("resources: {requests: {cpu: 1}}", ""),
            "apply",
            "--dry-run=server",
            "-n",
            namespace,
            "-f",
            "-");

    assertThat(result.exitCode()).isZero();
    assertThat(result.stderr()).contains("nothing is requested, so autoscalers cannot see");
  }

  /** What the API server says of an autoscaler, admission has said of the job. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}
          {type: Resource, resource: {name: cpu, target: {type: Utilization, averageValue: 1}}}
          {type: Resource, resource: {name: cpu, target: {type: Value, value: 1}}}
          {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 0}}}
          {type: Resource, resource: {name: cpu, target: {type: AverageValue, averageUtilization: 5, averageValue: 1}}}
          {type: Resource, resource: {name: cpu, target: {averageUtilization: 80}}}
          {type: Resource, resource: {name: cpu, target: {type: Share, averageUtilization: 80}}}
          {type: Resource, resource: {name: cpu}}
          {type: Resource, resource: {target: {type: Utilization, averageUtilization: 80}}}
          {type: Resource}
          {type: Resource, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: 1}}}
          {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: 1}}}
          {resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}
          {type: resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}
          {type: ContainerResource, containerResource: {name: cpu, container: python, target: {type: AverageValue, averageValue: 500m}}}
          {type: ContainerResource, containerResource: {name: cpu, target: {type: AverageValue, averageValue: 500m}}}
          {type: Pods, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: 1}}}
          {type: Pods, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: 0}}}
          {type: Pods, pods: {metric: {name: m}, target: {type: Value, value: 1}}}
          {type: Pods, pods: {metric: {}, target: {type: AverageValue, averageValue: 1}}}
          {type: Object, object: {metric: {name: m}, describedObject: {kind: Service, name: s}, target: {type: Value, value: 10}}}
          {type: Object, object: {metric: {name: m}, describedObject: {kind: Service, name: s}, target: {type: Value, value: 10, averageValue: 3}}}
          {type: Object, object: {metric: {name: m}, describedObject: {kind: Service}, target: {type: Value, value: 10}}}
          {type: Object, object: {metric: {name: m}, target: {type: Value, value: 10}}}
          {type: Object, object: {metric: {name: m}, describedObject: {kind: Service, name: s}, target: {type: Value}}}
          {type: External, external: {metric: {name: m, selector: {matchLabels: {a: b}}}, target: {type: AverageValue, averageValue: 1}}}
          {type: External, external: {metric: {name: m}, target: {type: Value, value: 1, averageValue: 1}}}
          {type: External, external: {metric: {name: m}, target: {type: Value, value: -1}}}
          {type: External, external: {metric: {name: m}}}
          {type: External, external: {target: {type: Value, value: 1}}}
          """)
  void admissionAndTheApiServerAgreeOnAMetric(String metric) {
    boolean refused =
        Rules.check(new RuleContext<>("mnist", World.spec(spec("metrics: [" + metric + "]")), null))
            .stream()
            .anyMatch(violation -> violation.rule().equals("elastic-metrics"));
    String answer = "";
    try {
      client
          .resource(
              """
              apiVersion: autoscaling/v2
              kind: HorizontalPodAutoscaler
              metadata: {name: try}
              spec:
                scaleTargetRef: {apiVersion: batch.tensorstack.dev/v1beta1, kind: PyTorchTrainingJob, name: x}
                minReplicas: 1
                maxReplicas: 2
                metrics: [%s]
              """
                  .formatted(metric))
          .inNamespace(namespace)
          .dryRun()
          .create();
    } catch (KubernetesClientException refusal) {
      answer = String.valueOf(refusal.getMessage());
    }

    assertThat(refused).as("refused by the API server: %s", answer).isEqualTo(!answer.isEmpty());
  }

  private static String spec(String more) {
    String manifest = job("x", more);
    return manifest.substring(manifest.indexOf("spec:\n") + "spec:\n".length()).indent(-2);
  }
}
