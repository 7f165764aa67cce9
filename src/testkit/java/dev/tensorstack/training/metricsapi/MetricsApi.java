package dev.tensorstack.training.metricsapi;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.tensorstack.training.localnode.SelfSignedCertificate;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Serves two metrics APIs behind the API server's aggregation layer, as a metrics server and a
 * metrics adapter do it: {@code external.metrics.k8s.io/v1beta1} with values that a test sets, and
 * {@code metrics.k8s.io/v1beta1} with the same usage for every running pod. Listens on 127.0.0.1
 * only. One for each control plane.
 */
public final class MetricsApi implements AutoCloseable {

  private static final Map<String, String> APIS =
      Map.of("external.metrics.k8s.io", "externalmetrics", "metrics.k8s.io", "pods");

  private static final String VERSION = "v1beta1";
  private static final String NAMESPACE = "metrics-api";
  private static final Pattern EXTERNAL =
      Pattern.compile("/apis/external\\.metrics\\.k8s\\.io/v1beta1/namespaces/([^/]+)/([^/]+)");
  private static final Pattern PODS =
      Pattern.compile("/apis/metrics\\.k8s\\.io/v1beta1/namespaces/([^/]+)/pods");

  private static final ObjectMapper JSON = new ObjectMapper();

  private final KubernetesClient client;
  private final HttpsServer server;
  private final ExecutorService threads;
  private final Map<String, String> external = new ConcurrentHashMap<>();
  private final Set<String> selectors = ConcurrentHashMap.newKeySet();
  private volatile String cpuOfEachPod = "0";

  private MetricsApi(KubernetesClient client) throws IOException {
    this.client = client;
    threads =
        Executors.newCachedThreadPool(
            work -> {
              Thread thread = new Thread(work, "metrics-api");
              thread.setDaemon(true);
              return thread;
            });
    server = HttpsServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    try {
      server.setHttpsConfigurator(
          new HttpsConfigurator(SelfSignedCertificate.serverContext("metrics-api")));
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  /**
   * Starts the server, registers it and waits until the API server passes requests on to it.
   *
   * @param client an administrator; stays open when this is closed
   * @return the running server
   * @throws IOException when it cannot listen
   */
  public static MetricsApi start(KubernetesClient client) throws IOException {
    MetricsApi api = new MetricsApi(client);
    try {
      api.register();
    } catch (RuntimeException e) {
      api.close();
      throw e;
    }
    return api;
  }

  /**
   * Sets an external metric, in all namespaces.
   *
   * @param metric its name
   * @param value a quantity
   */
  public void external(String metric, String value) {
    external.put(metric, value);
  }

  /**
   * Sets what each pod uses.
   *
   * @param quantity CPUs, for example {@code 500m}
   */
  public void cpuOfEachPod(String quantity) {
    cpuOfEachPod = quantity;
  }

  /**
   * The selectors with which somebody asked for the usage of pods.
   *
   * @return {@code <namespace>?<label selector>}, each once
   */
  public Set<String> selectorsAsked() {
    return Set.copyOf(selectors);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  /** The aggregation layer takes no address, only a Service; one of a name is as good. */
  private void register() {
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .serverSideApply();
    client
        .resource(
            new ServiceBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName(NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withType("ExternalName")
                .withExternalName("localhost")
                .endSpec()
                .build())
        .serverSideApply();
    for (String group : APIS.keySet()) {
      client
          .resource(
              """
              apiVersion: apiregistration.k8s.io/v1
              kind: APIService
              metadata:
                name: %1$s.%2$s
              spec:
                group: %2$s
                version: %1$s
                groupPriorityMinimum: 100
                versionPriority: 100
                insecureSkipTLSVerify: true
                service: {namespace: %3$s, name: %3$s, port: %4$d}
              """
                  .formatted(VERSION, group, NAMESPACE, server.getAddress().getPort()))
          .serverSideApply();
    }
    for (String group : APIS.keySet()) {
      Awaitility.await(group + " is served")
          .ignoreExceptions()
          .until(() -> client.raw("/apis/" + group + "/" + VERSION), Objects::nonNull);
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Map<String, Object> answer = answer(exchange);
      byte[] body =
          JSON.writeValueAsBytes(
              answer == null ? Map.of("kind", "Status", "apiVersion", "v1", "code", 404) : answer);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(answer == null ? 404 : 200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private @Nullable Map<String, Object> answer(HttpExchange exchange) {
    String path = exchange.getRequestURI().getPath();
    for (Map.Entry<String, String> api : APIS.entrySet()) {
      if (path.equals("/apis/" + api.getKey() + "/" + VERSION)) {
        return resources(api.getKey(), api.getValue());
      }
    }
    Matcher pods = PODS.matcher(path);
    if (pods.matches()) {
      return usage(pods.group(1), labelSelector(exchange.getRequestURI().getRawQuery()));
    }
    Matcher metric = EXTERNAL.matcher(path);
    return metric.matches() ? externalValues(metric.group(2)) : null;
  }

  private static Map<String, Object> resources(String group, String resource) {
    return Map.of(
        "kind",
        "APIResourceList",
        "apiVersion",
        "v1",
        "groupVersion",
        group + "/" + VERSION,
        "resources",
        List.of(
            Map.of(
                "name",
                resource,
                "singularName",
                "",
                "namespaced",
                true,
                "kind",
                resource.equals("pods") ? "PodMetrics" : "ExternalMetricValueList",
                "verbs",
                List.of("get", "list"))));
  }

  private Map<String, Object> externalValues(String metric) {
    List<Object> items = new ArrayList<>();
    String value = external.get(metric);
    if (value != null) {
      items.add(
          Map.of(
              "metricName", metric, "metricLabels", Map.of(), "timestamp", now(), "value", value));
    }
    return list("external.metrics.k8s.io", "ExternalMetricValueList", items);
  }

  private Map<String, Object> usage(String namespace, String selector) {
    selectors.add(namespace + "?" + selector);
    List<Object> items = new ArrayList<>();
    for (Pod pod :
        client.pods().inNamespace(namespace).withLabelSelector(selector).list().getItems()) {
      if (pod.getStatus() == null || !"Running".equals(pod.getStatus().getPhase())) {
        continue;
      }
      List<Object> containers = new ArrayList<>();
      pod.getSpec()
          .getContainers()
          .forEach(
              container ->
                  containers.add(
                      Map.of(
                          "name",
                          container.getName(),
                          "usage",
                          Map.of("cpu", cpuOfEachPod, "memory", "1Mi"))));
      items.add(
          Map.of(
              "metadata",
              Map.of("name", pod.getMetadata().getName(), "namespace", namespace),
              "timestamp",
              now(),
              "window",
              "1s",
              "containers",
              containers));
    }
    return list("metrics.k8s.io", "PodMetricsList", items);
  }

  private static Map<String, Object> list(String group, String kind, List<Object> items) {
    Map<String, Object> list = new LinkedHashMap<>();
    list.put("kind", kind);
    list.put("apiVersion", group + "/" + VERSION);
    list.put("metadata", Map.of());
    list.put("items", items);
    return list;
  }

  private static String labelSelector(@Nullable String query) {
    for (String parameter : query == null ? new String[0] : query.split("&")) {
      if (parameter.startsWith("labelSelector=")) {
        return URLDecoder.decode(parameter.substring("labelSelector=".length()), UTF_8);
      }
    }
    return "";
  }

  private static String now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
