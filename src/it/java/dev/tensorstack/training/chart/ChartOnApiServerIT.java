package dev.tensorstack.training.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.operator.Jobs;
import dev.tensorstack.training.operator.OperatorProcess;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What an API server says of the chart. On a control plane of its own, because the chart brings the
 * CRD and webhooks that would stand in the way of other tests.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ChartOnApiServerIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final String KUBEFLOWS = "pytorchjobs.kubeflow.org";

  /** Kinds of other projects that the chart has objects of; here any fields are right. */
  private static final Map<String, String> FOREIGN =
      Map.of(
          "issuers", "Issuer cert-manager.io v1",
          "certificates", "Certificate cert-manager.io v1",
          "servicemonitors", "ServiceMonitor monitoring.coreos.com v1",
          "prometheusrules", "PrometheusRule monitoring.coreos.com v1");

  private final ControlPlane controlPlane =
      ControlPlane.builder().auditLog(true).podGroups(true).start();
  private final KubernetesClient client = controlPlane.client();
  private final Helm helm = Helm.on(controlPlane.kubeconfig());

  static Stream<String> valueSets() {
    return ChartFiles.valueSets();
  }

  @BeforeAll
  void prepare() {
    for (String namespace : List.of(Helm.NAMESPACE, "team-a", "team-b", "monitoring")) {
      client
          .namespaces()
          .resource(
              new NamespaceBuilder()
                  .withNewMetadata()
                  .withName(namespace)
                  .addToLabels("pod-security.kubernetes.io/enforce", "restricted")
                  .addToLabels("pod-security.kubernetes.io/warn", "restricted")
                  .endMetadata()
                  .build())
          .create();
    }
    FOREIGN.forEach(
        (plural, kind) ->
            controlPlane.kubectlWithInput(foreignCrd(plural, kind), "create", "-f", "-").orThrow());
    FOREIGN.forEach(
        (plural, kind) -> controlPlane.awaitCrd("" + plural + "." + kind.split(" ", -1)[1]));
    await("the namespace's service account")
        .atMost(PATIENCE)
        .until(
            () ->
                client.serviceAccounts().inNamespace(Helm.NAMESPACE).withName("default").get()
                    != null);
  }

  @AfterAll
  void stop() {
    controlPlane.close();
  }

  private static String foreignCrd(String plural, String kind) {
    String[] words = kind.split(" ", -1);
    return """
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: %1$s.%3$s}
    spec:
      group: %3$s
      names: {kind: %2$s, plural: %1$s}
      scope: Namespaced
      versions:
      - name: %4$s
        served: true
        storage: true
        schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
    """
        .formatted(plural, words[0], words[1], words[2]);
  }

  @Order(1)
  @ParameterizedTest(name = "{0}")
  @MethodSource("valueSets")
  void isAcceptedWithoutAWarningInARestrictedNamespace(String set) {
    String rendered = helm.template("--values", ChartFiles.values(set).toString()).orThrow();

    KubectlResult applied =
        controlPlane.kubectlWithInput(
            rendered, "create", "--dry-run=server", "--validate=strict", "-f", "-");

    if (set.equals("host-network")) {
      assertThat(applied.stderr().lines())
          .as("of the pods, which the level forbids; the Deployment itself is accepted")
          .singleElement()
          .asString()
          .contains("hostNetwork=true");
    } else {
      assertThat(applied.stderr()).isEmpty();
    }
    assertThat(applied.exitCode()).isZero();
    assertThat(applied.stdout().lines())
        .hasSameSizeAs(ChartFiles.documents(rendered))
        .allMatch(line -> line.endsWith(" created (server dry run)"));
  }

  @Order(1)
  @ParameterizedTest(name = "{0}")
  @MethodSource("valueSets")
  void tellsWhoeverInstallsItWhatToDoNext(String set) {
    String told =
        helm.run(
                "install",
                Helm.RELEASE,
                ChartFiles.CHART.toString(),
                "--namespace",
                Helm.NAMESPACE,
                "--dry-run=server",
                "--values",
                ChartFiles.values(set).toString())
            .orThrow();

    assertThat(told.substring(told.indexOf("NOTES:")))
        .contains("kubectl -n " + Helm.NAMESPACE + " rollout status deployment/")
        .doesNotContain("<no value>")
        .doesNotContain("\n\n\n");
  }

  /**
   * Installed, upgraded and taken away, with an operator that has the chart's rights and no more.
   */
  @Order(2)
  @Test
  void theOperatorWorksWithWhatTheChartGivesAndLeavesNoWebhookBehind() throws IOException {
    // No pod can be reached by its Service here, so calls of the webhooks fail.
    String[] values = {
      "--set", "webhook.failurePolicy=Ignore,webhook.timeoutSeconds=1,tests.enabled=false"
    };
    helmRelease("install", values).orThrow();
    Map<String, String> environment = environment();
    try (FakeKubelet kubelet =
            FakeKubelet.start(client, FakeKubeletOptions.nodes(2).namePrefix("chart"));
        OperatorProcess operator =
            OperatorProcess.start(
                controlPlane.serviceAccountKubeconfig(Helm.NAMESPACE, Helm.RELEASE), environment)) {
      String bundle = caBundle();
      assertThat(bundle).isNotEmpty();

      helmRelease("upgrade", values[0], values[1] + ",replicas=3,logLevel=DEBUG").orThrow();
      assertThat(caBundle()).as("the operator's caBundle after an upgrade").isEqualTo(bundle);
      assertThat(
              client
                  .apps()
                  .deployments()
                  .inNamespace(Helm.NAMESPACE)
                  .withName(Helm.RELEASE)
                  .get()
                  .getSpec()
                  .getReplicas())
          .isEqualTo(3);

      String namespace = controlPlane.createNamespace("chart");
      runsAJob(operator, namespace);
      assertThat(operator.check()).as("exit code of the check in the chart's test").isZero();
      assertThat(refusals()).as("requests of the operator that were refused").isEmpty();
      client.namespaces().withName(namespace).delete();
    }

    helm.run("uninstall", Helm.RELEASE, "--namespace", Helm.NAMESPACE, "--wait").orThrow();

    String left =
        controlPlane
            .kubectl(
                "get",
                "mutatingwebhookconfigurations,validatingwebhookconfigurations,clusterroles,"
                    + "clusterrolebindings",
                "--selector=app.kubernetes.io/instance=" + Helm.RELEASE,
                "--output=name")
            .orThrow();
    assertThat(left).isEmpty();
    assertThat(client.apiextensions().v1().customResourceDefinitions().list().getItems())
        .as("the CRDs, which are kept")
        .extracting(crd -> crd.getMetadata().getName())
        .contains("pytorchtrainingjobs.batch.tensorstack.dev", KUBEFLOWS);

    helmRelease("install", values).orThrow();
    helm.run("uninstall", Helm.RELEASE, "--namespace", Helm.NAMESPACE).orThrow();
  }

  /** Nodes are the one thing that a Role cannot give, and that it can do without. */
  @Order(3)
  @Test
  void theOperatorWorksInANamedNamespaceWithRolesOnly() throws IOException {
    String namespace = controlPlane.createNamespace("watched");
    helmRelease(
            "install",
            "--set",
            "webhook.failurePolicy=Ignore,webhook.timeoutSeconds=1,watchNamespaces={"
                + namespace
                + "}")
        .orThrow();
    try (FakeKubelet kubelet =
            FakeKubelet.start(client, FakeKubeletOptions.nodes(2).namePrefix("watched"));
        OperatorProcess operator =
            OperatorProcess.start(
                controlPlane.serviceAccountKubeconfig(Helm.NAMESPACE, Helm.RELEASE),
                environment())) {
      runsAJob(operator, namespace);
      assertThat(refusals())
          .as("requests of the operator that were refused")
          .isNotEmpty()
          .allMatch(request -> request.contains("/api/v1/nodes"));
    }
    helm.run("uninstall", Helm.RELEASE, "--namespace", Helm.NAMESPACE, "--wait").orThrow();
  }

  /**
   * As docs/operations/install.md says. Nothing is left of an attempt that is refused, and nothing
   * happens to the CRD of a kind that is off.
   */
  @Order(4)
  @Test
  void aCrdOfSomebodyElseIsLeftAloneUntilItIsHandedOver() {
    String[] values = {
      "--set", "webhook.failurePolicy=Ignore,webhook.timeoutSeconds=1,tests.enabled=false"
    };
    for (boolean byHand : new boolean[] {false, true}) {
      controlPlane.kubectl("delete", "crd", KUBEFLOWS).orThrow();
      controlPlane
          .kubectl("create", "-f", "src/main/kubernetes/" + KUBEFLOWS + "-v1.yml")
          .orThrow();
      String uid = crd().getMetadata().getUid();

      assertThat(helmRelease("install", values).stderr())
          .contains(KUBEFLOWS)
          .contains("cannot be imported into the current release: invalid ownership metadata");
      helmRelease("install", values[0], values[1] + ",kinds.pyTorchJob=false").orThrow();
      assertThat(helmRelease("upgrade", values).stderr()).contains("invalid ownership metadata");
      helm.run("uninstall", Helm.RELEASE, "--namespace", Helm.NAMESPACE, "--wait").orThrow();
      assertThat(crd().getMetadata().getLabels()).isNullOrEmpty();

      if (byHand) {
        controlPlane
            .kubectl("label", "crd", KUBEFLOWS, "app.kubernetes.io/managed-by=Helm")
            .orThrow();
        controlPlane
            .kubectl(
                "annotate",
                "crd",
                KUBEFLOWS,
                "meta.helm.sh/release-name=" + Helm.RELEASE,
                "meta.helm.sh/release-namespace=" + Helm.NAMESPACE)
            .orThrow();
        helmRelease("install", values).orThrow();
      } else {
        helmRelease("install", values[0], values[1], "--take-ownership").orThrow();
      }
      assertThat(crd().getMetadata().getUid()).as("the CRD, and so its jobs").isEqualTo(uid);
      assertThat(crd().getMetadata().getAnnotations())
          .containsEntry("helm.sh/resource-policy", "keep");
      helmRelease("upgrade", values[0], values[1] + ",kinds.pyTorchJob=false").orThrow();
      assertThat(crd().getMetadata().getUid()).as("a kind that is switched off").isEqualTo(uid);
      helmRelease("upgrade", values).orThrow();
      helm.run("uninstall", Helm.RELEASE, "--namespace", Helm.NAMESPACE, "--wait").orThrow();
    }
  }

  private CustomResourceDefinition crd() {
    return client.apiextensions().v1().customResourceDefinitions().withName(KUBEFLOWS).get();
  }

  private void runsAJob(OperatorProcess operator, String namespace) {
    Jobs jobs = new Jobs(client, namespace);
    jobs.create(Jobs.simple("trained", 2, "OnFailure"));
    await("job with two running pods; log: " + operator.log())
        .atMost(PATIENCE)
        .until(
            () -> {
              var status = jobs.get("trained").getStatus();
              return status != null && "Running".equals(status.phase());
            });
  }

  private HelmResult helmRelease(String verb, String... values) {
    List<String> arguments =
        new java.util.ArrayList<>(
            List.of(
                verb, Helm.RELEASE, ChartFiles.CHART.toString(), "--namespace", Helm.NAMESPACE));
    arguments.addAll(List.of(values));
    return helm.run(arguments.toArray(String[]::new));
  }

  /** What the Deployment sets; of the ports, only the numbers are this test's. */
  private Map<String, String> environment() {
    Map<String, String> environment = new LinkedHashMap<>();
    client
        .apps()
        .deployments()
        .inNamespace(Helm.NAMESPACE)
        .withName(Helm.RELEASE)
        .get()
        .getSpec()
        .getTemplate()
        .getSpec()
        .getContainers()
        .get(0)
        .getEnv()
        .forEach(
            variable ->
                environment.put(
                    variable.getName(),
                    variable.getValueFrom() == null ? variable.getValue() : Helm.NAMESPACE));
    assertThat(environment).containsEntry("OPERATOR_NAMESPACE", Helm.NAMESPACE);
    environment.remove("QUARKUS_HTTP_SSL_PORT");
    environment.remove("QUARKUS_MANAGEMENT_PORT");
    return environment;
  }

  private String caBundle() {
    return controlPlane
        .kubectl(
            "get",
            "validatingwebhookconfiguration/" + Helm.RELEASE,
            "--output=jsonpath={.webhooks[0].clientConfig.caBundle}")
        .orThrow();
  }

  private List<String> refusals() throws IOException {
    String user = "system:serviceaccount:" + Helm.NAMESPACE + ":" + Helm.RELEASE;
    try (Stream<String> lines = Files.lines(controlPlane.auditLog())) {
      return lines
          .filter(
              line -> line.contains(user) && line.contains("\"code\":403") && line.endsWith("}"))
          .map(line -> ChartFiles.documents(line).get(0))
          .filter(event -> event.at("/user/username").asText().equals(user))
          .map(ChartOnApiServerIT::request)
          .distinct()
          .toList();
    }
  }

  private static String request(JsonNode event) {
    return event.path("verb").asText() + " " + event.path("requestURI").asText();
  }
}
