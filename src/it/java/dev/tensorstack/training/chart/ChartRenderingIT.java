package dev.tensorstack.training.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the chart renders. {@code -Dupdate} writes {@code src/test/resources/helm/golden} anew: read
 * the difference before it is committed.
 */
class ChartRenderingIT {

  /** Its own objects alone, and nothing is written. */
  private static final Set<String> TO_SEE_KUBEFLOWS_OPERATOR =
      Set.of(
          "cluster: leases.coordination.k8s.io list of 1ca428e5.training-operator.kubeflow.org",
          "cluster: validatingwebhookconfigurations.admissionregistration.k8s.io get of"
              + " validator.training-operator.kubeflow.org",
          "cluster: validatingwebhookconfigurations.admissionregistration.k8s.io get of"
              + " kubeflow-validator.training-operator.kubeflow.org",
          "cluster: endpointslices.discovery.k8s.io list");

  private static final String REVIEWS_OF_TOKENS =
      "cluster: tokenreviews.authentication.k8s.io create";

  private static final String CRD = "CustomResourceDefinition";

  private final Helm helm = Helm.withoutCluster();

  static Stream<String> valueSets() {
    return ChartFiles.valueSets();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("valueSets")
  void isFreeOfHelmsComplaints(String set) {
    helm.run(
            "lint",
            "--strict",
            ChartFiles.CHART.toString(),
            "--values",
            ChartFiles.values(set).toString())
        .orThrow();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("valueSets")
  void rendersWhatItDidBefore(String set) throws IOException {
    Path golden = ChartFiles.golden(set);
    String rendered =
        withoutCopies(
            helm.template("--values", ChartFiles.values(set).toString())
                .orThrow()
                .replace(ChartFiles.version(), "VERSION"));
    if (System.getProperty("update") != null) {
      Files.createDirectories(golden.getParent());
      Files.writeString(golden, rendered);
    }
    assertThat(rendered)
        .as("%s; if it is meant, run this test with -Dupdate", golden)
        .isEqualTo(ChartFiles.text(golden));
  }

  /** Large files that are only passed on have tests of their own. */
  private static String withoutCopies(String rendered) {
    return Stream.of(rendered.split("(?m)^---\n", -1))
        .filter(document -> !document.isBlank())
        .map(
            document ->
                document.contains("kind: CustomResourceDefinition\n")
                    ? document.replaceFirst("(?s)\nspec:\n.*", "\nspec: {} # the CRD's\n")
                    : document)
        .map(
            document ->
                document.contains("kind: \"ValidatingAdmissionPolicy\"\n")
                    ? document.replaceFirst("(?s)\nspec:\n.*", "\nspec: {} # the policy's\n")
                    : document)
        .map(
            document ->
                document.contains("/templates/dashboards.yaml\n")
                    ? document.replaceFirst("(?s)\ndata:\n.*", "\ndata: {} # a dashboard\n")
                    : document)
        .collect(Collectors.joining("---\n", "---\n", ""));
  }

  @Test
  void theSchemaRefusesAnUnknownValueEverywhere() throws IOException {
    ObjectNode values = (ObjectNode) ChartFiles.yaml(ChartFiles.CHART.resolve("values.yaml"));
    JsonNode schema = ChartFiles.json(ChartFiles.CHART.resolve("values.schema.json"));
    List<String> places = new ArrayList<>();
    addUnknown("", values, schema, schema, places);
    assertThat(places).contains("", "/image", "/webhook/certificates/certManager");

    Path file = Files.createTempFile("values", ".yaml");
    HelmResult result;
    try {
      Files.writeString(file, values.toString());
      result = helm.template("--values", file.toString());
    } finally {
      Files.delete(file);
    }

    assertThat(result.exitCode()).isNotZero();
    assertThat(result.stderr().lines().map(String::strip))
        .containsAll(
            places.stream()
                .map(place -> "- at '" + place + "': additional properties 'unknown' not allowed")
                .toList());
  }

  private static void addUnknown(
      String place, ObjectNode values, JsonNode schema, JsonNode root, List<String> places) {
    for (var property : List.copyOf(values.properties())) {
      JsonNode declared = resolve(schema.at("/properties/" + property.getKey()), root);
      if (property.getValue() instanceof ObjectNode object && declared.has("properties")) {
        addUnknown(place + "/" + property.getKey(), object, declared, root, places);
      }
    }
    values.put("unknown", 1);
    places.add(place);
  }

  private static JsonNode resolve(JsonNode schema, JsonNode root) {
    return schema.has("$ref") ? root.at(schema.get("$ref").asText().substring(1)) : schema;
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "replicas=2,leaderElection.enabled=false | /leaderElection/enabled",
        "webhook.certificates.mode=provided | /webhook/certificates/secretName",
        "webhook.certificates.mode=selfsigned | /webhook/certificates/mode",
        "settings.nodeLossGrace=soon | /settings/nodeLossGrace",
        "webhook.timeoutSeconds=31 | /webhook/timeoutSeconds",
        "commonLabels.app\\.kubernetes\\.io/name=other | invalid propertyName",
        "image.digest=latest | /image/digest",
        "webhook.certificates.certManager.issuerRef.kind=ClusterIssuer | /webhook/certificates",
        "webhook.clientCA=none | /webhook/clientCA",
        "webhook.clientNames={a} | without webhook.clientCA",
        "kinds.pyTorchTrainingJob=false,kinds.pyTorchJob=false |"
            + " set kinds.pyTorchTrainingJob: true or kinds.pyTorchJob: true",
        "kinds.pyTorchJobs=true | /kinds",
        "progress.port=0 | /progress/port",
        "progress.port=9443 | progress.port: webhook.port and metrics.port are other ports",
        "metrics.secure.enabled=true,metrics.secure.port=9000 | metrics.secure.port: webhook.port",
        "metrics.secure.enabled=true,metrics.secure.port=9444 | metrics.secure.port: webhook.port",
        "metrics.secure.port=443 | /metrics/secure/port",
        "networkPolicy.progressFrom=all | /networkPolicy/progressFrom",
        "pyTorchJob.gangScheduler= | /pyTorchJob/gangScheduler",
        "pyTorchJob.initContainer.maxTries=0 | /pyTorchJob/initContainer/maxTries",
        "pyTorchJob.initContainer.template=name: wait | pyTorchJob.initContainer.template: write",
        "pyTorchJob.initContainer.template=- {name: wait} | each with name and image",
        "webhook.port=9000 | metrics.port: webhook.port is the same",
        "dnsPolicy=Cluster | /dnsPolicy",
        "dnsPolicy=None | set dnsConfig.nameservers",
        "image.registry=registry.example/ | /image/registry",
        "metrics.service.enabled=false,metrics.serviceMonitor.enabled=true |"
            + " metrics.service.enabled: true",
      })
  void refusesWhatCannotWorkAndSaysWhere(String values, String place) {
    HelmResult result = helm.template("--set", values);

    assertThat(result.exitCode()).isNotZero();
    assertThat(result.stderr()).contains(place);
  }

  @Test
  void theCrdsAreTheProjectsButForLabelsAndAnnotations() {
    List<JsonNode> rendered = ChartFiles.ofKind(render(), CRD);
    List<JsonNode> project = ChartFiles.ofKind(manifests(), CRD);

    assertThat(project).hasSize(2);
    assertThat(byName(rendered)).isEqualTo(byName(project));
    assertThat(rendered)
        .allSatisfy(
            crd ->
                assertThat(crd.at("/metadata/annotations/helm.sh~1resource-policy").asText())
                    .isEqualTo("keep"));
    assertThat(ChartFiles.ofKind(render("--set", "crds.keep=false"), CRD))
        .hasSize(2)
        .noneMatch(crd -> crd.path("metadata").has("annotations"));
    assertThat(ChartFiles.ofKind(render("--set", "crds.install=false"), CRD)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"})
  void thePolicyComesWithItsCrdAndGoesWithTheRelease(String kind) {
    List<JsonNode> rendered = ChartFiles.ofKind(render(), kind);

    assertThat(byName(rendered)).isEqualTo(byName(ChartFiles.ofKind(manifests(), kind))).hasSize(1);
    assertThat(rendered.get(0).path("metadata").has("annotations")).isFalse();
    assertThat(ChartFiles.ofKind(render("--set", "crds.install=false"), kind)).isEmpty();
    assertThat(ChartFiles.ofKind(render("--set", "kinds.pyTorchTrainingJob=false"), kind))
        .isEmpty();
  }

  private static Map<String, JsonNode> byName(List<JsonNode> crds) {
    return crds.stream()
        .collect(
            Collectors.toMap(crd -> crd.at("/metadata/name").asText(), crd -> crd.get("spec")));
  }

  /** In the rendering too, as text: a name of the kind that is off would show it. */
  @ParameterizedTest(name = "without {0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "PyTorchTrainingJob | pyTorchTrainingJob | PyTorchJob |"
            + " pytorchtrainingjobs,batch.tensorstack.dev,kind: PyTorchTrainingJob",
        "PyTorchJob | pyTorchJob | PyTorchTrainingJob |"
            + " pytorchjobs,kubeflow.org,PYTORCHJOB,kind: PyTorchJob"
      })
  void thereIsNothingOfAKindThatIsOff(String kind, String value, String other, String words) {
    String rendered =
        helm.template(
                "--set",
                "kinds."
                    + value
                    + "=false,rbac.userRoles=true,metrics.kubeStateMetrics.enabled=true")
            .orThrow();

    assertThat(rendered).doesNotContain(words.split(",", -1));
    assertThat(environment(ChartFiles.documents(rendered))).containsEntry("OPERATOR_KINDS", other);
    assertThat(ChartFiles.ofKind(ChartFiles.documents(rendered), CRD))
        .extracting(crd -> crd.at("/spec/names/kind").asText())
        .containsExactly(other);
    assertThat(environment(render()))
        .containsEntry("OPERATOR_KINDS", "PyTorchTrainingJob,PyTorchJob");
  }

  @ParameterizedTest
  @CsvSource({"Mutating", "Validating"})
  void theWebhooksAreThoseOfTheManifests(String kind) {
    String wanted = kind + "WebhookConfiguration";
    JsonNode rendered = ChartFiles.ofKind(render(), wanted).get(0);
    JsonNode manifest = ChartFiles.ofKind(manifests(), wanted).get(0);

    assertThat(rendered.get("webhooks")).isEqualTo(manifest.get("webhooks"));
    assertThat(rendered.at("/metadata/name")).isEqualTo(manifest.at("/metadata/name"));
  }

  @Test
  void theWebhooksServiceIsThatOfTheManifests() {
    JsonNode manifest = ChartFiles.ofKind(manifests(), "Service").get(0);
    JsonNode rendered =
        ChartFiles.ofKind(render(), "Service").stream()
            .filter(service -> service.at("/metadata/name").equals(manifest.at("/metadata/name")))
            .findFirst()
            .orElseThrow();

    assertThat(rendered.at("/spec/ports")).hasSameSizeAs(manifest.at("/spec/ports"));
    for (int i = 0; i < manifest.at("/spec/ports").size(); i++) {
      String port = "/spec/ports/" + i;
      assertThat(rendered.at(port + "/name")).isEqualTo(manifest.at(port + "/name"));
      assertThat(rendered.at(port + "/port")).isEqualTo(manifest.at(port + "/port"));
    }
    assertThat(rendered.at("/metadata/namespace")).isEqualTo(manifest.at("/metadata/namespace"));
    assertThat(manifest.at("/spec/selector").properties())
        .allSatisfy(
            label ->
                assertThat(podLabels(render()).path(label.getKey())).isEqualTo(label.getValue()));
  }

  private static JsonNode podLabels(List<JsonNode> objects) {
    return podTemplate(objects).at("/metadata/labels");
  }

  private static JsonNode podTemplate(List<JsonNode> objects) {
    return ChartFiles.ofKind(objects, "Deployment").get(0).at("/spec/template");
  }

  /** Two pods with the same ports do not fit on a node, so no update begins with one more. */
  @Test
  void inTheNetworkOfNodesAPodGoesBeforeAnotherOneComes() {
    List<JsonNode> objects = render("--set", "hostNetwork=true");
    JsonNode deployment = ChartFiles.ofKind(objects, "Deployment").get(0);

    assertThat(podTemplate(objects).at("/spec/hostNetwork").asBoolean()).isTrue();
    assertThat(podTemplate(objects).at("/spec/dnsPolicy").asText())
        .isEqualTo("ClusterFirstWithHostNet");
    assertThat(deployment.at("/spec/strategy/rollingUpdate/maxSurge").asInt(-1)).isZero();
    assertThat(deployment.at("/spec/strategy/rollingUpdate/maxUnavailable").asInt()).isEqualTo(1);
    assertThat(
            podTemplate(render("--set", "hostNetwork=true,dnsPolicy=Default"))
                .at("/spec/dnsPolicy")
                .asText())
        .isEqualTo("Default");
    assertThat(podTemplate(render()).path("spec").has("hostNetwork")).isFalse();
    assertThat(podTemplate(render()).path("spec").has("dnsPolicy")).isFalse();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "busybox:1.36.1, r.example/m/busybox:1.36.1",
    "library/busybox:1.36.1, r.example/m/library/busybox:1.36.1",
    "docker.io/library/busybox:1.36.1, r.example/m/library/busybox:1.36.1",
    "registry:5000/busybox, r.example/m/busybox",
    "localhost/busybox, r.example/m/busybox",
  })
  void aRegistryTakesThePlaceOfTheOnesThatImagesName(String image, String expected) {
    List<JsonNode> objects =
        render("--set", "image.registry=r.example/m,pyTorchJob.initContainer.image=" + image);

    assertThat(environment(objects))
        .containsEntry("OPERATOR_PYTORCHJOB_INIT_CONTAINER_IMAGE", expected);
    assertThat(podTemplate(objects).at("/spec/containers/0/image").asText())
        .isEqualTo("r.example/m/OWNER/REPOSITORY:" + ChartFiles.version());
  }

  @Test
  void rolesThatAreBoundByHandAllowWhatTheAggregatedOnesDo() {
    List<JsonNode> roles = ChartFiles.ofKind(render("--set", "rbac.userRoles=true"), "ClusterRole");

    for (Map.Entry<String, String> pair :
        Map.of("-editor", "-jobs-edit", "-viewer", "-jobs-view").entrySet()) {
      List<JsonNode> byHand = rules(roles, pair.getKey());
      assertThat(byHand).isNotEmpty().isEqualTo(rules(roles, pair.getValue()));
    }
    assertThat(roles)
        .filteredOn(role -> role.at("/metadata/name").asText().matches(".*-(editor|viewer)"))
        .hasSize(4)
        .allSatisfy(
            role ->
                assertThat(role.at("/metadata/labels").toString()).doesNotContain("aggregate-to"));
    assertThat(ChartFiles.ofKind(render(), "ClusterRole"))
        .noneMatch(role -> role.at("/metadata/name").asText().endsWith("-editor"));
  }

  private static List<JsonNode> rules(List<JsonNode> roles, String suffix) {
    return roles.stream()
        .filter(role -> role.at("/metadata/name").asText().endsWith(suffix))
        .flatMap(role -> StreamSupport.stream(role.path("rules").spliterator(), false))
        .toList();
  }

  @Test
  void kubeStateMetricsIsGivenTheFileAsItIs() {
    JsonNode configMap =
        ChartFiles.ofKind(render("--set", "metrics.kubeStateMetrics.enabled=true"), "ConfigMap")
            .get(0);

    assertThat(ChartFiles.documents(configMap.at("/data/config.yaml").asText()))
        .containsExactly(ChartFiles.yaml(ChartFiles.CHART.resolve("files/kube-state-metrics.yml")));
  }

  @Test
  void theRightsAreThoseOfTheManifests() {
    assertThat(Rights.given(render(), Helm.RELEASE))
        .isEqualTo(Rights.given(manifests(), Helm.RELEASE));
  }

  @Test
  void withAKindAloneTheRightsAreThoseOfTheManifestsThatItNeeds() {
    SortedSet<String> both = Rights.given(manifests(), Helm.RELEASE);

    assertThat(Rights.given(render("--set", "kinds.pyTorchJob=false"), Helm.RELEASE))
        .isEqualTo(
            without(both, "pytorchjobs").stream()
                .filter(right -> !TO_SEE_KUBEFLOWS_OPERATOR.contains(right))
                .collect(Collectors.toCollection(TreeSet::new)));
    SortedSet<String> ofPyTorchJobs =
        without(
            both,
            "pytorchtrainingjobs",
            "deployments.apps",
            "services patch",
            "podgroups",
            "queues");
    assertThat(Rights.given(render("--set", "kinds.pyTorchTrainingJob=false"), Helm.RELEASE))
        .isEqualTo(ofPyTorchJobs);
    assertThat(
            Rights.given(
                render("--set", "kinds.pyTorchTrainingJob=false,progress.enabled=false"),
                Helm.RELEASE))
        .isEqualTo(without(ofPyTorchJobs, "pods patch", "pods/log", "tokenreviews"));
  }

  @Test
  void whoseTokenAReportHasIsARightForTheClusterThatProgressAloneBrings() {
    for (String namespaces : List.of("logLevel=INFO", "watchNamespaces={a}")) {
      assertThat(Rights.given(render("--set", namespaces), Helm.RELEASE))
          .as(namespaces)
          .contains(REVIEWS_OF_TOKENS);
      assertThat(
              Rights.given(render("--set", namespaces + ",progress.enabled=false"), Helm.RELEASE))
          .as(namespaces)
          .doesNotContain(REVIEWS_OF_TOKENS);
    }
  }

  @Test
  void progressReportsComeThroughTheWebhooksServiceToAPortOfTheirOwn() {
    for (String values : List.of("logLevel=INFO", "progress.port=10444")) {
      List<JsonNode> objects = render("--set", values);
      String port = values.contains("10444") ? "10444" : "9444";

      assertThat(environment(objects))
          .containsEntry("OPERATOR_PROGRESS_ENABLED", "true")
          .containsEntry("OPERATOR_PROGRESS_PORT", port)
          .containsKey("POD_IP");
      assertThat(named(podTemplate(objects).at("/spec/containers/0/ports"), "progress"))
          .hasValueSatisfying(
              declared -> assertThat(declared.path("containerPort").asText()).isEqualTo(port));
      assertThat(named(webhookService(objects).at("/spec/ports"), "progress"))
          .hasValueSatisfying(
              declared -> {
                assertThat(declared.path("port").asText()).isEqualTo(port);
                assertThat(declared.path("targetPort").asText()).isEqualTo("progress");
              });
    }
    List<JsonNode> off =
        render("--set", "progress.enabled=false,networkPolicy.enabled=true,tests.enabled=true");
    assertThat(environment(off))
        .containsEntry("OPERATOR_PROGRESS_ENABLED", "false")
        .doesNotContainKeys("OPERATOR_PROGRESS_PORT", "OPERATOR_PROGRESS_CA", "POD_IP");
    assertThat(named(podTemplate(off).at("/spec/containers/0/ports"), "progress")).isEmpty();
    assertThat(named(webhookService(off).at("/spec/ports"), "progress")).isEmpty();
    assertThat(ChartFiles.ofKind(off, "NetworkPolicy").toString()).doesNotContain("progress");
    assertThat(ChartFiles.ofKind(off, "Pod").toString()).doesNotContain("9444");
  }

  @Test
  void metricsOverHttpsHaveAPortOfTheirOwnAndThatOfHealthIsNoLongerInTheService() {
    String secure = "metrics.secure.enabled=true";
    for (String values : List.of(secure, secure + ",metrics.secure.port=10445")) {
      List<JsonNode> objects = render("--set", values + ",networkPolicy.enabled=true");
      String port = values.contains("10445") ? "10445" : "9445";

      assertThat(environment(objects))
          .containsEntry("OPERATOR_METRICS_SECURE", "true")
          .containsEntry("OPERATOR_METRICS_SECURE_PORT", port)
          .containsEntry(
              "OPERATOR_METRICS_SERVICE", metricsService(objects).at("/metadata/name").asText());
      assertThat(
              named(podTemplate(objects).at("/spec/containers/0/ports"), "metrics-secure")
                  .orElseThrow()
                  .path("containerPort")
                  .asText())
          .isEqualTo(port);
      assertThat(metricsService(objects).at("/spec/ports")).hasSize(1);
      assertThat(metricsService(objects).at("/spec/ports/0/port").asText()).isEqualTo(port);
      assertThat(metricsService(objects).at("/spec/ports/0/targetPort").asText())
          .isEqualTo("metrics-secure");
      assertThat(ChartFiles.ofKind(objects, "NetworkPolicy").toString()).contains("metrics-secure");
      assertThat(ChartFiles.ofKind(objects, "Pod").toString())
          .contains(":" + port)
          .doesNotContain("/q/");
    }
    assertThat(environment(render()))
        .containsEntry("OPERATOR_METRICS_SECURE", "false")
        .doesNotContainKeys("OPERATOR_METRICS_SECURE_PORT", "OPERATOR_METRICS_SERVICE");
    assertThat(helm.template("--set", "networkPolicy.enabled=true").orThrow())
        .doesNotContain("metrics-secure", "metrics-reader", "subjectaccessreviews");
  }

  @Test
  void whoMayReadMetricsIsAskedOnlyWhenTheyAreSecure() {
    for (String values : List.of("progress.enabled=true", "watchNamespaces={a}")) {
      SortedSet<String> before = Rights.given(render("--set", values), Helm.RELEASE);
      List<JsonNode> objects = render("--set", values + ",metrics.secure.enabled=true");
      SortedSet<String> more = Rights.given(objects, Helm.RELEASE);
      more.removeAll(before);

      assertThat(more)
          .as(values)
          .containsExactly("cluster: subjectaccessreviews.authorization.k8s.io create");
      JsonNode reader =
          ChartFiles.ofKind(objects, "ClusterRole").stream()
              .filter(role -> role.at("/metadata/name").asText().endsWith("-metrics-reader"))
              .findFirst()
              .orElseThrow();
      assertThat(reader.path("rules"))
          .hasToString("[{\"nonResourceURLs\":[\"/metrics\"],\"verbs\":[\"get\"]}]");
      assertThat(reader.at("/metadata/name").asText())
          .as("the operator's messages say the same")
          .isEqualTo(environment(objects).get("OPERATOR_METRICS_SERVICE") + "-reader");
    }
    assertThat(
            Rights.given(
                render("--set", "progress.enabled=false,metrics.secure.enabled=true"),
                Helm.RELEASE))
        .contains(REVIEWS_OF_TOKENS);
    assertThat(
            ChartFiles.ofKind(
                render("--set", "rbac.create=false,metrics.secure.enabled=true"), "ClusterRole"))
        .noneMatch(role -> role.at("/metadata/name").asText().contains("-metrics-"));
  }

  @Test
  void aServiceMonitorChecksTheCertificateByTheAuthorityThatThereIs() {
    String secure = "metrics.secure.enabled=true,metrics.serviceMonitor.enabled=true";
    String names = "." + Helm.NAMESPACE + ".svc";
    JsonNode own = monitored(render("--set", secure));
    assertThat(own.path("scheme").asText()).isEqualTo("https");
    assertThat(own.path("path").asText()).isEqualTo("/metrics");
    assertThat(own.path("bearerTokenFile").asText())
        .isEqualTo("/var/run/secrets/kubernetes.io/serviceaccount/token");
    assertThat(own.at("/tlsConfig/serverName").asText())
        .isEqualTo(Helm.RELEASE + "-metrics" + names);
    assertThat(own.at("/tlsConfig/ca/secret/name").asText()).isEqualTo(Helm.RELEASE + "-webhook");

    List<JsonNode> managed =
        render("--values", ChartFiles.values("cert-manager").toString(), "--set", secure);
    assertThat(ChartFiles.ofKind(managed, "Certificate"))
        .anySatisfy(
            certificate ->
                assertThat(certificate.at("/spec/dnsNames"))
                    .contains(monitored(managed).at("/tlsConfig/serverName")));

    List<JsonNode> provided =
        render(
            "--values",
            ChartFiles.values("provided").toString(),
            "--set",
            secure + ",progress.enabled=false");
    assertThat(monitored(provided).at("/tlsConfig/serverName").asText())
        .isEqualTo(Helm.RELEASE + "-webhook" + names);
    assertThat(monitored(provided).at("/tlsConfig/ca/configMap/name"))
        .isEqualTo(ChartFiles.ofKind(provided, "ConfigMap").get(0).at("/metadata/name"));

    JsonNode other =
        monitored(
            render(
                "--set",
                secure
                    + ",metrics.serviceMonitor.tlsConfig.insecureSkipVerify=true"
                    + ",metrics.serviceMonitor.authorization.credentials.name=token"));
    assertThat(other.path("tlsConfig")).hasToString("{\"insecureSkipVerify\":true}");
    assertThat(other.at("/authorization/credentials/name").asText()).isEqualTo("token");
    assertThat(other.has("bearerTokenFile")).isFalse();

    JsonNode plain = monitored(render("--set", "metrics.serviceMonitor.enabled=true"));
    assertThat(plain.path("path").asText()).isEqualTo("/q/metrics");
    assertThat(plain.has("scheme")).isFalse();
    assertThat(plain.has("tlsConfig")).isFalse();
  }

  private static JsonNode monitored(List<JsonNode> objects) {
    return ChartFiles.ofKind(objects, "ServiceMonitor").get(0).at("/spec/endpoints/0");
  }

  private static JsonNode metricsService(List<JsonNode> objects) {
    return ChartFiles.ofKind(objects, "Service").stream()
        .filter(service -> service.at("/metadata/name").asText().endsWith("-metrics"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void whateverTheNetworkPolicyLetsInTheOperatorsPodsReachTheLeader() {
    List<JsonNode> objects =
        render(
            "--set",
            "networkPolicy.enabled=true,networkPolicy.progressFrom[0].ipBlock.cidr=192.0.2.0/24,"
                + "networkPolicy.egress[0].ports[0].port=6443");
    JsonNode policy = ChartFiles.ofKind(objects, "NetworkPolicy").get(0).path("spec");

    assertThat(policy.path("ingress"))
        .anySatisfy(
            rule -> {
              assertThat(rule.at("/ports/0/port").asText()).isEqualTo("progress");
              assertThat(rule.path("from"))
                  .anyMatch(
                      source -> matches(source.at("/podSelector/matchLabels"), podLabels(objects)));
            });
    assertThat(policy.path("egress"))
        .anySatisfy(
            rule -> {
              assertThat(rule.at("/ports/0/port").asInt()).isEqualTo(9444);
              assertThat(matches(rule.at("/to/0/podSelector/matchLabels"), podLabels(objects)))
                  .isTrue();
            });
  }

  /** Where it does not write the caBundle, it cannot know otherwise what pods are to trust. */
  @Test
  void theOperatorIsGivenTheAuthoritiesThatPodsAreToTrust() {
    String ca = "OPERATOR_PROGRESS_CA";
    List<JsonNode> managed = render("--values", ChartFiles.values("cert-manager").toString());
    List<JsonNode> provided = render("--values", ChartFiles.values("provided").toString());

    for (List<JsonNode> objects : List.of(managed, provided)) {
      String mounted =
          named(podTemplate(objects).at("/spec/containers/0/volumeMounts"), "progress-ca")
              .orElseThrow()
              .path("mountPath")
              .asText();
      assertThat(environment(objects)).containsEntry(ca, mounted + "/ca.crt");
    }
    JsonNode secret =
        named(podTemplate(managed).at("/spec/volumes"), "progress-ca").orElseThrow().path("secret");
    assertThat(secret.path("items")).hasSize(1);
    assertThat(secret.at("/items/0/key").asText()).isEqualTo("ca.crt");
    assertThat(secret.path("optional").asBoolean()).as("an issuer may write none").isTrue();
    JsonNode configMap = ChartFiles.ofKind(provided, "ConfigMap").get(0);
    assertThat(configMap.at("/data/ca.crt").asText()).contains("BEGIN CERTIFICATE");
    assertThat(
            named(podTemplate(provided).at("/spec/volumes"), "progress-ca")
                .orElseThrow()
                .at("/configMap/name"))
        .isEqualTo(configMap.at("/metadata/name"));
    assertThat(environment(render())).as("it makes the certificate").doesNotContainKey(ca);
  }

  private static Optional<JsonNode> named(JsonNode list, String name) {
    return StreamSupport.stream(list.spliterator(), false)
        .filter(item -> item.path("name").asText().equals(name))
        .findFirst();
  }

  private static JsonNode webhookService(List<JsonNode> objects) {
    return ChartFiles.ofKind(objects, "Service").stream()
        .filter(service -> service.at("/metadata/name").asText().endsWith("-webhook"))
        .findFirst()
        .orElseThrow();
  }

  private static SortedSet<String> without(SortedSet<String> rights, String... resources) {
    SortedSet<String> left = new TreeSet<>(rights);
    left.removeIf(
        right ->
            Stream.of(resources).anyMatch(resource -> right.startsWith("cluster: " + resource)));
    return left;
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "none, ''",
    "volcano, scheduling.volcano.sh",
    "scheduler-plugins-scheduler, scheduling.x-k8s.io",
  })
  void theGangSchedulerOfPyTorchJobsBringsTheRightToItsPodGroups(String scheduler, String group) {
    String noOthers =
        ",rbac.podGroups.t9k=false,rbac.podGroups.volcano=false,rbac.podGroups.coscheduling=false"
            + ",rbac.podGroups.kubernetes=false";
    for (String kinds : List.of("kinds.pyTorchTrainingJob=false", "logLevel=INFO" + noOthers)) {
      List<JsonNode> objects = render("--set", kinds + ",pyTorchJob.gangScheduler=" + scheduler);

      assertThat(Rights.given(objects, Helm.RELEASE))
          .as(kinds)
          .filteredOn(right -> right.contains("podgroups"))
          .isEqualTo(
              group.isEmpty()
                  ? List.of()
                  : Stream.of("create", "delete", "get", "list", "patch", "watch")
                      .map(verb -> "cluster: podgroups." + group + " " + verb)
                      .toList());
      assertThat(environment(objects))
          .containsEntry("OPERATOR_PYTORCHJOB_GANG_SCHEDULER", scheduler);
    }
    for (String cluster : List.of("logLevel=INFO", "watchNamespaces={a},rbac.nodes=true")) {
      assertThat(priorityClasses(cluster + ",pyTorchJob.gangScheduler=" + scheduler))
          .as("a gang may be smaller than its job; %s", cluster)
          .isEqualTo(
              group.isEmpty()
                  ? List.of()
                  : List.of("cluster: priorityclasses.scheduling.k8s.io list"));
    }
    for (String off : List.of("kinds.pyTorchJob=false", "watchNamespaces={a}")) {
      assertThat(priorityClasses(off + ",pyTorchJob.gangScheduler=" + scheduler)).as(off).isEmpty();
    }
    assertThat(
            Rights.given(
                render(
                    "--set",
                    "kinds.pyTorchJob=false" + noOthers + ",pyTorchJob.gangScheduler=" + scheduler),
                Helm.RELEASE))
        .noneMatch(right -> right.contains("podgroups"));
  }

  @Test
  void queuesOfVolcanoAreListedWhereItsPodGroupsAreMade() {
    String queues = "cluster: queues.scheduling.volcano.sh list";
    assertThat(Rights.given(render("--set", "logLevel=INFO"), Helm.RELEASE)).contains(queues);
    assertThat(
            Rights.given(
                render("--set", "kinds.pyTorchTrainingJob=false,pyTorchJob.gangScheduler=volcano"),
                Helm.RELEASE))
        .contains(queues);
    for (String off :
        List.of(
            "rbac.podGroups.volcano=false",
            "watchNamespaces={a}",
            "kinds.pyTorchTrainingJob=false,pyTorchJob.gangScheduler=scheduler-plugins-scheduler")) {
      assertThat(Rights.given(render("--set", off), Helm.RELEASE))
          .as(off)
          .noneMatch(right -> right.contains("queues"));
    }
  }

  @Test
  void queuesOfKueueNeedRightsThatARoleCannotGive() {
    SortedSet<String> all = Rights.given(render("--set", "logLevel=INFO"), Helm.RELEASE);
    assertThat(all)
        .contains(
            "cluster: workloads.kueue.x-k8s.io patch",
            "cluster: workloads/status.kueue.x-k8s.io patch",
            "cluster: resourceflavors.kueue.x-k8s.io list",
            "cluster: workloadpriorityclasses.kueue.x-k8s.io list",
            "cluster: priorityclasses.scheduling.k8s.io list");
    assertThat(Rights.given(render("--set", "watchNamespaces={a}"), Helm.RELEASE))
        .contains("a: workloads.kueue.x-k8s.io patch")
        .noneMatch(right -> right.contains("resourceflavors"));
    assertThat(Rights.given(render("--set", "rbac.kueue=false"), Helm.RELEASE))
        .noneMatch(right -> right.contains("kueue"));
    assertThat(Rights.given(render("--set", "kinds.pyTorchTrainingJob=false"), Helm.RELEASE))
        .as("a PyTorchJob waits in queues too")
        .containsAll(all.stream().filter(right -> right.contains("kueue")).toList());
  }

  private List<String> priorityClasses(String values) {
    return Rights.given(render("--set", values + ",rbac.kueue=false"), Helm.RELEASE).stream()
        .filter(right -> right.contains("priorityclasses"))
        .toList();
  }

  @Test
  void initContainersAreReadFromAConfigMapAndAChangeStartsThePodsAnew(@TempDir Path folder)
      throws IOException {
    String file = "OPERATOR_PYTORCHJOB_INIT_CONTAINER_TEMPLATE_FILE";
    // Indented, and with an end of line less, as people write it.
    String yaml =
        "  - name: wait\n    image: {{ .InitContainerImage }}\n    args: [{{.MasterAddr}}]";
    List<JsonNode> objects = withInitContainers(folder, yaml);
    JsonNode configMap = ChartFiles.ofKind(objects, "ConfigMap").get(0);
    JsonNode pod = podTemplate(objects).path("spec");

    assertThat(configMap.path("data").properties()).hasSize(1);
    var data = configMap.path("data").properties().iterator().next();
    assertThat(data.getValue().asText()).isEqualTo(yaml);
    JsonNode mount = pod.at("/containers/0/volumeMounts/1");
    assertThat(environment(objects))
        .containsEntry(file, mount.path("mountPath").asText() + "/" + data.getKey());
    assertThat(pod.at("/volumes/1/name")).isEqualTo(mount.path("name"));
    assertThat(pod.at("/volumes/1/configMap/name")).isEqualTo(configMap.at("/metadata/name"));

    assertThat(podTemplate(withInitContainers(folder, yaml + "\n")))
        .isNotEqualTo(podTemplate(objects));
    for (String off : List.of("kinds.pyTorchJob=false", "pyTorchJob.initContainer.enabled=false")) {
      List<JsonNode> without = withInitContainers(folder, yaml, "--set", off);
      assertThat(ChartFiles.ofKind(without, "ConfigMap")).as(off).isEmpty();
      assertThat(environment(without)).as(off).doesNotContainKey(file);
      assertThat(podTemplate(without)).as(off).isEqualTo(podTemplate(render("--set", off)));
    }
  }

  private List<JsonNode> withInitContainers(Path folder, String yaml, String... more)
      throws IOException {
    Path file = Files.writeString(folder.resolve("init-containers.yaml"), yaml);
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.addAll(List.of("--set-file", "pyTorchJob.initContainer.template=" + file));
    return render(arguments.toArray(String[]::new));
  }

  private static Map<String, String> environment(List<JsonNode> objects) {
    Map<String, String> environment = new TreeMap<>();
    podTemplate(objects)
        .at("/spec/containers/0/env")
        .forEach(
            variable ->
                environment.put(variable.path("name").asText(), variable.path("value").asText()));
    return environment;
  }

  @Test
  void theRightsToJobsAreThoseThatTheSecurityPageLists() {
    SortedSet<String> rights = new TreeSet<>();
    Rights.given(render(), Helm.RELEASE).stream()
        .filter(right -> right.startsWith("cluster: "))
        .filter(right -> !right.contains("admissionregistration"))
        .filter(right -> !TO_SEE_KUBEFLOWS_OPERATOR.contains(right))
        .forEach(rights::add);

    assertThat(rights).isEqualTo(Rights.told(ChartFiles.text(Path.of("SECURITY.md"))));
  }

  @Test
  void toSeeKubeflowsOperatorItReadsItsLeaseItsWebhooksAndTheirEndpoints() {
    assertThat(Rights.given(render(), Helm.RELEASE)).containsAll(TO_SEE_KUBEFLOWS_OPERATOR);
    assertThat(Rights.given(render("--set", "watchNamespaces={a},rbac.nodes=true"), Helm.RELEASE))
        .containsAll(TO_SEE_KUBEFLOWS_OPERATOR);
    for (String off :
        List.of(
            "kinds.pyTorchJob=false",
            "pyTorchJob.trainingOperatorCheck=false",
            "rbac.nodes=false,watchNamespaces={a}",
            "watchNamespaces={a}")) {
      List<JsonNode> objects = render("--set", off);
      assertThat(Rights.given(objects, Helm.RELEASE))
          .as(off)
          .doesNotContainAnyElementsOf(TO_SEE_KUBEFLOWS_OPERATOR);
      assertThat(
              environment(objects)
                  .getOrDefault("OPERATOR_PYTORCHJOB_TRAINING_OPERATOR_CHECK", "false"))
          .as(off)
          .isEqualTo("false");
    }
    assertThat(ChartFiles.text(Path.of("SECURITY.md")))
        .contains(
            "1ca428e5.training-operator.kubeflow.org",
            "`validator.training-operator.kubeflow.org`",
            "`kubeflow-validator.training-operator.kubeflow.org`",
            "list EndpointSlices");
  }

  @Test
  void inNamedNamespacesThereIsNoRightToJobsElsewhere() {
    List<JsonNode> objects =
        render(
            "--set",
            "watchNamespaces={a,b}",
            "--set",
            "webhook.certificates.mode=certManager,rbac.aggregateRoles=false");

    SortedSet<String> given = Rights.given(objects, Helm.RELEASE);
    assertThat(given)
        .filteredOn(right -> right.startsWith("cluster: "))
        .containsExactly(REVIEWS_OF_TOKENS);
    assertThat(given)
        .contains("a: pods create", "b: pods create")
        .noneMatch(right -> right.contains("nodes"))
        .noneMatch(right -> right.contains("secrets"));
    assertThat(Rights.given(render("--set", "watchNamespaces={a},rbac.nodes=true"), Helm.RELEASE))
        .contains("cluster: nodes watch");
    assertThat(
            ChartFiles.ofKind(objects, "ValidatingWebhookConfiguration")
                .get(0)
                .at("/webhooks/0/namespaceSelector/matchExpressions/0")
                .toString())
        .contains("\"In\"", "\"a\",\"b\"");
  }

  @Test
  void nobodyMayWriteTheCaBundleWhenItIsGivenOrInjected() {
    for (String set : List.of("cert-manager", "provided")) {
      assertThat(Rights.given(render("--values", ChartFiles.values(set).toString()), Helm.RELEASE))
          .as(set)
          .filteredOn(right -> !TO_SEE_KUBEFLOWS_OPERATOR.contains(right))
          .noneMatch(right -> right.contains("webhookconfigurations"))
          .noneMatch(right -> right.contains("secrets"));
    }
    assertThat(
            Rights.given(
                render(
                    "--set",
                    "webhook.certificates.mode=provided,webhook.certificates.secretName=ours"),
                Helm.RELEASE))
        .anyMatch(right -> right.contains("webhookconfigurations"))
        .noneMatch(right -> right.contains("secrets"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("valueSets")
  void servicesAndPoliciesFindThePodsAndNotTheTest(String set) {
    List<JsonNode> objects = render("--values", ChartFiles.values(set).toString());
    JsonNode labels = podLabels(objects);
    Stream<JsonNode> selectors =
        Stream.of(
                ChartFiles.ofKind(objects, "Service").stream()
                    .map(service -> service.at("/spec/selector")),
                ChartFiles.ofKind(objects, "PodDisruptionBudget").stream()
                    .map(budget -> budget.at("/spec/selector/matchLabels")),
                ChartFiles.ofKind(objects, "NetworkPolicy").stream()
                    .map(policy -> policy.at("/spec/podSelector/matchLabels")),
                ChartFiles.ofKind(objects, "Deployment").stream()
                    .map(deployment -> deployment.at("/spec/selector/matchLabels")))
            .flatMap(stream -> stream);
    List<JsonNode> tests = ChartFiles.ofKind(objects, "Pod");

    assertThat(selectors)
        .isNotEmpty()
        .allSatisfy(
            selector -> {
              assertThat(matches(selector, labels)).isTrue();
              assertThat(tests).noneMatch(pod -> matches(selector, pod.at("/metadata/labels")));
            });
  }

  private static boolean matches(JsonNode selector, JsonNode labels) {
    return selector.properties().stream()
        .allMatch(label -> Objects.equals(labels.get(label.getKey()), label.getValue()));
  }

  private List<JsonNode> render(String... arguments) {
    return ChartFiles.documents(helm.template(arguments).orThrow());
  }

  private static List<JsonNode> manifests() {
    return ChartFiles.list(ChartFiles.MANIFESTS)
        .flatMap(file -> ChartFiles.documents(ChartFiles.text(file)).stream())
        .toList();
  }
}
