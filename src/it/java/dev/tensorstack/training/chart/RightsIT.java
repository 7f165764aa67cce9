package dev.tensorstack.training.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.NeedsKubernetes;
import dev.tensorstack.training.controlplane.TrustedAuthority;
import dev.tensorstack.training.core.gang.PodGroupSchemas;
import dev.tensorstack.training.fakekubelet.Behaviour;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.operator.Jobs;
import dev.tensorstack.training.operator.OperatorProcess;
import dev.tensorstack.training.operator.StuckPod;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The rights that the chart gives, compared with what an operator that has these and no others is
 * seen to use in the API server's audit log, over jobs that need everything which the operator can
 * do: none is missing, and none is never used.
 */
@NeedsKubernetes(value = 36, because = "PodGroups of Kubernetes, to which it gives rights")
class RightsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final String OWNERS =
      "asked for by the admission plugin OwnerReferencesPermissionEnforcement, when an object names"
          + " its owner";

  /** Rights that no request shows. */
  private static final Map<String, String> NEVER_SEEN =
      Map.of(
          "pytorchtrainingjobs/finalizers.batch.tensorstack.dev update", OWNERS,
          "pytorchjobs/finalizers.kubeflow.org update", OWNERS,
          "tokenreviews.authentication.k8s.io create", "for reports of progress: ProgressIT");

  /** What gang schedulers are called in jobs, by the API group of their PodGroup. */
  private static final Map<String, String> GANGS =
      Map.of(
          "scheduler.tensorstack.dev", "t9kScheduler: {queue: default}",
          "scheduling.volcano.sh", "volcano: {}",
          "scheduling.x-k8s.io", "coscheduling: {}",
          "scheduling.k8s.io", "kubernetes: {}");

  /** What is switched on. */
  private enum Scope {
    BOTH_KINDS(""),
    BOTH_KINDS_IN_ONE_NAMESPACE(",watchNamespaces={%s}"),
    TRAINING_JOBS_ALONE(",kinds.pyTorchJob=false"),
    // As the name under which scheduler-plugins run, that of a scheduler which is there.
    PYTORCHJOBS_ALONE(",kinds.pyTorchTrainingJob=false,pyTorchJob.gangScheduler=default-scheduler");

    private final String values;

    Scope(String values) {
      this.values = values;
    }
  }

  @ParameterizedTest
  @EnumSource
  void noneIsMissingAndNoneIsNeverUsed(Scope scope) {
    boolean namespaced = scope == Scope.BOTH_KINDS_IN_ONE_NAMESPACE;
    try (ControlPlane controlPlane =
        ControlPlane.builder().auditLog(true).podGroups(true).start()) {
      KubernetesClient client = controlPlane.client();
      client
          .namespaces()
          .resource(
              new NamespaceBuilder()
                  .withNewMetadata()
                  .withName(Helm.NAMESPACE)
                  .endMetadata()
                  .build())
          .create();
      String namespace = controlPlane.createNamespace("rights");
      for (String group : GANGS.keySet()) {
        if (!group.equals("scheduling.k8s.io")) {
          controlPlane
              .kubectlWithInput(
                  PodGroupSchemas.manifest(group), "apply", "--server-side", "-f", "-")
              .orThrow();
        }
      }
      String values =
          "webhook.failurePolicy=Ignore,webhook.timeoutSeconds=1,tests.enabled=false,rbac.kueue=false"
              + scope.values.formatted(namespace);
      Helm.on(controlPlane.kubeconfig())
          .run(
              "install",
              Helm.RELEASE,
              ChartFiles.CHART.toString(),
              "--namespace",
              Helm.NAMESPACE,
              "--set",
              values)
          .orThrow();
      List<JsonNode> rendered =
          ChartFiles.documents(Helm.withoutCluster().template("--set", values).orThrow());
      SortedSet<String> given = Rights.given(rendered, Helm.RELEASE);
      UsedRights used = new UsedRights(controlPlane.auditLog(), Helm.NAMESPACE, Helm.RELEASE);

      try (FakeKubelet kubelet =
              FakeKubelet.start(client, FakeKubeletOptions.nodes(2).namePrefix("rights"));
          OperatorProcess operator =
              OperatorProcess.start(
                  controlPlane.serviceAccountKubeconfig(Helm.NAMESPACE, Helm.RELEASE),
                  environment(rendered))) {
        damageTheCertificate(client);
        leaveWebhooksOfTheTrainingOperator(controlPlane);
        if (scope != Scope.TRAINING_JOBS_ALONE) {
          PyTorchJobUses uses = new PyTorchJobUses(controlPlane, namespace, kubelet);
          uses.play("waits");
          if (!namespaced) {
            uses.loseANode();
          }
        }
        if (scope != Scope.PYTORCHJOBS_ALONE) {
          everything(client, kubelet, namespace, operator, used);
          if (!namespaced) {
            loseANode(client, namespace);
          }
        }
        await("a look at the events of what does not start; log: " + operator.log())
            .atMost(PATIENCE)
            .pollInterval(Duration.ofSeconds(2))
            .until(() -> used.allowed().contains(namespace + ": events list"));
      }

      SortedSet<String> unused = new TreeSet<>(given);
      unused.removeAll(used.allowed());
      unused.removeIf(right -> NEVER_SEEN.containsKey(right.replaceFirst("^\\S+: ", "")));
      // Needed when a node is lost, which nobody sees who may not read nodes, and for a training
      // that hangs; its progress may be read from a log.
      unused.removeIf(
          right ->
              (namespaced || scope == Scope.PYTORCHJOBS_ALONE) && right.endsWith(": pods patch"));
      unused.removeIf(
          right -> scope == Scope.PYTORCHJOBS_ALONE && right.endsWith(": pods/log get"));
      assertThat(unused).as("rights that the chart gives and the operator does not use").isEmpty();
      assertThat(used.refused())
          .as("requests that the chart's rights do not allow")
          .allMatch(
              request ->
                  namespaced
                      && (request.contains("/api/v1/nodes")
                          || request.endsWith("/apis/scheduling.volcano.sh/v1beta1/queues")));
      if (namespaced) {
        assertThat(given)
            .filteredOn(right -> right.startsWith("cluster: "))
            .allMatch(
                right ->
                    right.contains("webhookconfigurations.admissionregistration")
                        // Whose token a progress report has; a Role cannot give it.
                        || right.equals("cluster: tokenreviews.authentication.k8s.io create"));
      }
      assertThat(given)
          .filteredOn(right -> right.contains(" secrets "))
          .containsExactlyInAnyOrder(
              Helm.NAMESPACE + ": secrets create",
              Helm.NAMESPACE + ": secrets get of " + Helm.RELEASE + "-webhook",
              Helm.NAMESPACE + ": secrets update of " + Helm.RELEASE + "-webhook");
    }
  }

  /** What the Deployment sets; of the ports, only the numbers are this test's. */
  private static Map<String, String> environment(List<JsonNode> rendered) {
    Map<String, String> environment = new LinkedHashMap<>();
    ChartFiles.ofKind(rendered, "Deployment")
        .get(0)
        .at("/spec/template/spec/containers/0/env")
        .forEach(
            variable ->
                environment.put(
                    variable.path("name").asText(),
                    variable.has("valueFrom") ? Helm.NAMESPACE : variable.path("value").asText()));
    environment.remove("QUARKUS_HTTP_SSL_PORT");
    environment.remove("QUARKUS_MANAGEMENT_PORT");
    environment.put("OPERATOR_RESTART_DELAY_BASE", "1s");
    environment.put("OPERATOR_NODE_LOSS_GRACE", "1s");
    environment.put("OPERATOR_WEBHOOKS_CHECK_INTERVAL", "1s");
    return environment;
  }

  /** Jobs that need each thing that the operator can do. */
  private static void everything(
      KubernetesClient client,
      FakeKubelet kubelet,
      String namespace,
      OperatorProcess operator,
      UsedRights used) {
    Jobs jobs = new Jobs(client, namespace);
    kubelet.rule(
        pod ->
            pod.getMetadata()
                .getLabels()
                .getOrDefault(TrainingJobLabels.OWNER_NAME, "")
                .equals("fails"),
        Behaviour.exitAfter(Duration.ofSeconds(1), 1));
    kubelet.rule(
        pod ->
            pod.getMetadata()
                .getLabels()
                .getOrDefault(TrainingJobLabels.OWNER_NAME, "")
                .equals("stuck"),
        Behaviour.stayPending());
    jobs.create(Jobs.simple("stuck", 1, "Never"));
    await("a pod on a node")
        .atMost(PATIENCE)
        .until(
            () -> jobs.pods("stuck").stream().anyMatch(pod -> pod.getSpec().getNodeName() != null));
    StuckPod.report(client, jobs.pods("stuck").get(0), "configmap \"nothing\" not found");
    List<String> gangs = new ArrayList<>();
    nameTaken(client, namespace, jobs);
    jobs.create(
        Jobs.simple("ends", 2, "Never")
            .replace("spec:\n  rep", "spec:\n  runPolicy: {ttlSecondsAfterFinished: 0}\n  rep"));
    jobs.create(
        Jobs.simple("fails", 1, "OnFailure")
            .replace(
                "spec:\n  rep",
                // That it fails without a word makes the operator look into its log.
                "spec:\n  torchrunConfig: {enabled: true}\n  runPolicy: {backoffLimit: 2}\n  rep"));
    jobs.create(
        Jobs.simple("shows", 1, "Never")
            + "  tensorboardSpec: {logDir: {pvc: [{name: logs}]}, image: 'tb:1'}\n");
    jobs.create(
        Jobs.simple("scales", 2, "OnFailure")
            .replace(
                "spec:\n  rep",
                """
                spec:
                  torchrunConfig: {enabled: true}
                  elastic:
                    enabled: true
                    minReplicas: 1
                    maxReplicas: 4
                    metrics:
                    - type: Resource
                      resource: {name: cpu, target: {type: AverageValue, averageValue: 1}}
                  rep"""));
    GANGS.forEach(
        (group, scheduler) -> {
          String name = "gang-" + group.replace(".", "-");
          gangs.add(name);
          jobs.create(
              Jobs.simple(name, 2, "Never")
                  .replace("spec:\n  rep", "spec:\n  scheduler: {" + scheduler + "}\n  rep"));
        });

    jobs.awaitPhase("ends", "Running");
    kubelet.finish(namespace, jobs.base("ends") + "-worker-0", 0);
    await("the job that ended is deleted; log: " + operator.log())
        .atMost(PATIENCE)
        .until(() -> jobs.find("ends") == null);
    jobs.awaitPhase("fails", "Failed");

    jobs.await("shows", "TensorBoard", status -> status.tensorboard() != null);
    jobs.patch("shows", "{\"spec\": {\"tensorboardSpec\": null}}");
    jobs.await("shows", "no TensorBoard", status -> status.tensorboard() == null);
    await("no Deployment")
        .atMost(PATIENCE)
        .until(
            () -> client.apps().deployments().inNamespace(namespace).list().getItems().isEmpty());

    refusedThroughScale(client, namespace, operator);
    String autoscaler = jobs.base("scales");
    await("an autoscaler")
        .atMost(PATIENCE)
        .until(() -> autoscaler(client, namespace, autoscaler) != null);
    for (int nodes : new int[] {3, 4}) { // the event about it is written twice
      jobs.patch("scales", "{\"spec\": {\"elastic\": {\"expectedReplicas\": " + nodes + "}}}");
      jobs.await("scales", nodes + " nodes", status -> status.aggregate().running() == nodes);
    }
    jobs.patch("scales", "{\"spec\": {\"elastic\": {\"metrics\": null}}}");
    await("no autoscaler")
        .atMost(PATIENCE)
        .until(() -> autoscaler(client, namespace, autoscaler) == null);

    gangs.forEach(gang -> jobs.awaitPods(gang, 2));
    // Its PodGroup has no phase, and after a while the operator asks for the queues of Volcano.
    await("a look at queues")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(2))
        .until(
            () ->
                Stream.concat(used.allowed().stream(), used.refused().stream())
                    .anyMatch(request -> request.contains("queues")));
    for (String gang : gangs) {
      jobs.patch(gang, "{\"spec\": {\"runMode\": {\"pause\": {\"enabled\": true}}}}");
    }
    gangs.forEach(gang -> jobs.awaitPhase(gang, "Paused"));
    jobs.await(
        "stuck",
        "what its pod lacks",
        status ->
            status.conditions().stream()
                .anyMatch(condition -> condition.message().contains("configmap \"nothing\"")));
  }

  /** Nobody answers them any more, which their Service's endpoints show. */
  private static void leaveWebhooksOfTheTrainingOperator(ControlPlane controlPlane) {
    controlPlane
        .kubectlWithInput(
            """
            apiVersion: admissionregistration.k8s.io/v1
            kind: ValidatingWebhookConfiguration
            metadata: {name: validator.training-operator.kubeflow.org}
            webhooks:
            - name: validator.pytorchjob.training-operator.kubeflow.org
              admissionReviewVersions: [v1]
              sideEffects: None
              failurePolicy: Ignore
              clientConfig:
                service: {name: training-operator, namespace: default}
            """,
            "apply",
            "-f",
            "-")
        .orThrow();
  }

  /** What is left of a pod there leaves the Service. */
  private static void loseANode(KubernetesClient client, String namespace) {
    Jobs jobs = new Jobs(client, namespace);
    try (FakeKubelet others =
        FakeKubelet.start(
            client, FakeKubeletOptions.nodes(2).namePrefix("others").label("pool", "others"))) {
      jobs.create(
          Jobs.simple("loses", 1, "OnFailure")
              .replace("containers:", "nodeSelector: {pool: others}\n        containers:"));
      jobs.awaitPhase("loses", "Running");
      others.loseNode(jobs.pods("loses").get(0).getSpec().getNodeName());
      jobs.await(
          "loses",
          "another pod",
          status -> "Running".equals(status.phase()) && status.disruptionCount() == 1);
    }
  }

  /** A pod of somebody else has the name: the operator has to look whose it is. */
  private static void nameTaken(KubernetesClient client, String namespace, Jobs jobs) {
    jobs.create(
        Jobs.simple("taken", 1, "Never")
            .replace("spec:\n  rep", "spec:\n  runMode: {pause: {enabled: true}}\n  rep"));
    jobs.awaitPhase("taken", "Paused");
    client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(jobs.base("taken") + "-worker-0")
                .endMetadata()
                .withNewSpec()
                .withSchedulerName("nobody")
                .addNewContainer()
                .withName("c")
                .withImage("i")
                .endContainer()
                .endSpec()
                .build())
        .create();
    jobs.patch("taken", "{\"spec\": {\"runMode\": {\"pause\": {\"enabled\": false}}}}");
    jobs.await(
        "taken",
        "whose the name is",
        status ->
            status.conditions().stream()
                .anyMatch(
                    condition ->
                        String.valueOf(condition.message()).contains("belongs to somebody else")));
  }

  /**
   * As the API server asks when a job that is not elastic is scaled: the webhook has to read the
   * job. The API server of the test finds no Service of the operator, so the test asks.
   */
  private static void refusedThroughScale(
      KubernetesClient client, String namespace, OperatorProcess operator) {
    String review =
        """
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
          "uid": "1a2b", "operation": "UPDATE", "namespace": "%1$s", "name": "shows",
          "kind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
          "resource": {"group": "batch.tensorstack.dev", "version": "v1beta1", "resource": "pytorchtrainingjobs"},
          "subResource": "scale", "userInfo": {"username": "test"},
          "oldObject": {"apiVersion": "autoscaling/v1", "kind": "Scale",
            "metadata": {"name": "shows", "namespace": "%1$s"}, "spec": {"replicas": 1}},
          "object": {"apiVersion": "autoscaling/v1", "kind": "Scale",
            "metadata": {"name": "shows", "namespace": "%1$s"}, "spec": {"replicas": 3}}}}
        """
            .formatted(namespace);
    await("a refusal")
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class) // until the renewed certificate is served
        .untilAsserted(
            () ->
                assertThat(ask(client, operator.webhookUrl() + "/validate", review))
                    .contains("\"allowed\":false", "this job is not elastic"));
  }

  private static String ask(KubernetesClient client, String url, String review) throws IOException {
    String authorities =
        client
            .secrets()
            .inNamespace(Helm.NAMESPACE)
            .withName(Helm.RELEASE + "-webhook")
            .get()
            .getData()
            .get("ca.crt");
    HttpsURLConnection connection = (HttpsURLConnection) URI.create(url).toURL().openConnection();
    connection.setSSLSocketFactory(
        TrustedAuthority.context(
                new String(Base64.getDecoder().decode(authorities), StandardCharsets.US_ASCII))
            .getSocketFactory());
    // The certificate is for the Service.
    connection.setHostnameVerifier((host, session) -> true);
    connection.setRequestMethod("POST");
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setDoOutput(true);
    try (OutputStream request = connection.getOutputStream()) {
      request.write(review.getBytes(StandardCharsets.UTF_8));
    }
    try (InputStream answer = connection.getInputStream()) {
      return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static void damageTheCertificate(KubernetesClient client) {
    var secret = client.secrets().inNamespace(Helm.NAMESPACE).withName(Helm.RELEASE + "-webhook");
    String damaged = "AAAA";
    secret.edit(
        present -> new SecretBuilder(present).addToData(Map.of("tls.crt", damaged)).build());
    await("a new certificate")
        .atMost(PATIENCE)
        .until(() -> !damaged.equals(secret.get().getData().get("tls.crt")));
  }

  private static @Nullable HorizontalPodAutoscaler autoscaler(
      KubernetesClient client, String namespace, String name) {
    return client
        .autoscaling()
        .v2()
        .horizontalPodAutoscalers()
        .inNamespace(namespace)
        .withName(name)
        .get();
  }
}
