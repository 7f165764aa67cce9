package dev.tensorstack.training.monitoring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.chart.ChartFiles;
import dev.tensorstack.training.chart.Helm;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.fakekubelet.FakeKubelet;
import dev.tensorstack.training.fakekubelet.FakeKubeletOptions;
import dev.tensorstack.training.operator.OperatorProcess;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Two operators, the API server, and a Prometheus that collects their metrics as the chart's
 * ServiceMonitor says and has the rules of the chart's PrometheusRule.
 */
final class MonitoredOperators implements AutoCloseable {

  /** Shorter than the chart's, so that a test sees as much as a cluster in half an hour. */
  private static final String INTERVAL = "1s";

  private final ControlPlane controlPlane = ControlPlane.start();
  private final List<OperatorProcess> operators = new ArrayList<>();
  private final FakeKubelet kubelet =
      FakeKubelet.start(controlPlane.client(), FakeKubeletOptions.nodes(3).namePrefix("monitored"));
  private final Prometheus prometheus;

  MonitoredOperators() {
    OperatorProcess.installCrds(controlPlane.client());
    controlPlane
        .client()
        .namespaces()
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(Helm.NAMESPACE).endMetadata().build())
        .create();
    Map<String, String> settings =
        Map.of(
            "OPERATOR_NAMESPACE", Helm.NAMESPACE,
            "OPERATOR_RESTART_DELAY_BASE", "1s",
            "OPERATOR_WEBHOOKS_CHECK_INTERVAL", "1s");
    for (int i = 0; i < 2; i++) {
      operators.add(OperatorProcess.launchWithWebhooks(controlPlane.kubeconfig(), settings));
    }
    operators.forEach(OperatorProcess::awaitReady);
    prometheus = Prometheus.start(configuration());
  }

  ControlPlane controlPlane() {
    return controlPlane;
  }

  FakeKubelet kubelet() {
    return kubelet;
  }

  Prometheus prometheus() {
    return prometheus;
  }

  /** Kills the operators; their webhooks stay registered. */
  void kill() {
    operators.forEach(OperatorProcess::kill);
  }

  private Map<String, ?> configuration() {
    List<JsonNode> objects =
        ChartFiles.documents(
            Helm.withoutCluster()
                .template(
                    "--set",
                    "metrics.serviceMonitor.enabled=true,metrics.prometheusRule.enabled=true")
                .orThrow());
    return Map.of(
        "global", Map.of("scrape_interval", INTERVAL, "evaluation_interval", INTERVAL),
        "rule_files", List.of(rules(objects).toString()),
        "scrape_configs", List.of(operators(objects), apiServer()));
  }

  private static Path rules(List<JsonNode> objects) {
    try {
      Path file = Files.createTempFile("rules-", ".yml");
      new ObjectMapper()
          .writeValue(
              file.toFile(), ChartFiles.ofKind(objects, "PrometheusRule").get(0).path("spec"));
      return file;
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /** What the Prometheus operator makes of the ServiceMonitor, with the targets named. */
  private Map<String, ?> operators(List<JsonNode> objects) {
    JsonNode monitor = ChartFiles.ofKind(objects, "ServiceMonitor").get(0);
    JsonNode endpoint = monitor.at("/spec/endpoints/0");
    JsonNode wanted = monitor.at("/spec/selector/matchLabels");
    JsonNode service =
        ChartFiles.ofKind(objects, "Service").stream()
            .filter(
                candidate ->
                    wanted.properties().stream()
                        .allMatch(
                            label ->
                                label
                                    .getValue()
                                    .equals(candidate.at("/metadata/labels").path(label.getKey()))))
            .findFirst()
            .orElseThrow();
    String name = service.at("/metadata/name").asText();
    List<Map<String, ?>> targets = new ArrayList<>();
    for (int i = 0; i < operators.size(); i++) {
      targets.add(
          Map.of(
              "targets",
              List.of(operators.get(i).managementAddress()),
              "labels",
              Map.of(
                  "namespace",
                  service.at("/metadata/namespace").asText(),
                  "service",
                  name,
                  "pod",
                  "operator-" + i,
                  "cluster",
                  "monitored",
                  "container",
                  "operator",
                  "endpoint",
                  endpoint.path("port").asText())));
    }
    return Map.of(
        "job_name",
        name,
        "honor_labels",
        endpoint.path("honorLabels").asBoolean(),
        "metrics_path",
        endpoint.path("path").asText(),
        "static_configs",
        targets);
  }

  private Map<String, ?> apiServer() {
    Map<String, ?> kept =
        Map.of(
            "source_labels", List.of("__name__"),
            "regex", "apiserver_admission_webhook_.*",
            "action", "keep");
    return Map.of(
        "job_name", "apiserver",
        "scheme", "https",
        "scrape_interval", "10s",
        "authorization", Map.of("credentials", controlPlane.clientConfig().getAutoOAuthToken()),
        "tls_config", Map.of("insecure_skip_verify", true),
        "static_configs",
            List.of(
                Map.of(
                    "targets",
                    List.of(controlPlane.url().replace("https://", "")),
                    "labels",
                    Map.of("cluster", "monitored"))),
        "metric_relabel_configs", List.of(kept));
  }

  @Override
  public void close() {
    prometheus.close();
    operators.forEach(OperatorProcess::close);
    kubelet.close();
    controlPlane.close();
  }
}
