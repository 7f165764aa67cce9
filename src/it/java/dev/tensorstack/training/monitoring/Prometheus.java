package dev.tensorstack.training.monitoring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.tensorstack.training.controlplane.ControlPlaneBinaries;
import dev.tensorstack.training.controlplane.GuardedProcess;
import dev.tensorstack.training.controlplane.LoopbackPorts;
import dev.tensorstack.training.controlplane.Tool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A real Prometheus on loopback. It ends with this JVM, however that ends. */
public final class Prometheus implements AutoCloseable {

  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final GuardedProcess process;
  private final String url;
  private final Path log;

  private Prometheus(GuardedProcess process, String url, Path log) {
    this.process = process;
    this.url = url;
    this.log = log;
  }

  /**
   * Starts one and waits until it answers.
   *
   * @param configuration its configuration as an object tree, as in {@code prometheus.yml}
   */
  public static Prometheus start(Map<String, ?> configuration) {
    Path program =
        ControlPlaneBinaries.provide(EnumSet.of(Tool.PROMETHEUS)).binary(Tool.PROMETHEUS);
    try {
      Path folder = Files.createTempDirectory("prometheus-");
      Path file = folder.resolve("prometheus.yml");
      new ObjectMapper(new YAMLFactory()).writeValue(file.toFile(), configuration);
      Path log = Files.createTempFile("prometheus-", ".log");
      String address = "127.0.0.1:" + LoopbackPorts.next();
      GuardedProcess process =
          GuardedProcess.start(
              "prometheus",
              List.of(
                  program.toString(),
                  "--config.file=" + file,
                  "--storage.tsdb.path=" + folder.resolve("data"),
                  "--web.listen-address=" + address),
              folder,
              Map.of(),
              log,
              folder);
      Prometheus prometheus = new Prometheus(process, "http://" + address, log);
      prometheus.awaitReady();
      return prometheus;
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private void awaitReady() {
    await("Prometheus ready; log: " + log)
        .atMost(START_LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              if (!process.isAlive()) {
                throw new IllegalStateException("Prometheus ended:\n" + process.lastLines(40));
              }
              try {
                return get("/-/ready").statusCode() == 200;
              } catch (UncheckedIOException notListening) {
                return false;
              }
            });
  }

  /**
   * Asks about now.
   *
   * @param expression PromQL
   * @return the series that it gives; one without labels for a number
   * @throws AssertionError when it is not understood
   */
  public List<Series> now(String expression) {
    return series(api("/api/v1/query", Map.of("query", expression)));
  }

  /**
   * Asks about a time.
   *
   * @param expression PromQL
   * @param step between two values
   * @return the series that it gives
   * @throws AssertionError when it is not understood
   */
  List<Series> between(String expression, Instant from, Instant to, Duration step) {
    return series(
        api(
            "/api/v1/query_range",
            Map.of(
                "query",
                expression,
                "start",
                seconds(from),
                "end",
                seconds(to),
                "step",
                Double.toString(step.toMillis() / 1000.0))));
  }

  private static String seconds(Instant time) {
    return Double.toString(time.toEpochMilli() / 1000.0);
  }

  private static List<Series> series(JsonNode data) {
    List<Series> all = new ArrayList<>();
    if (data.path("resultType").asText().equals("scalar")) {
      all.add(new Series(Map.of(), List.of(point(data.path("result")))));
      return all;
    }
    for (JsonNode result : data.path("result")) {
      Map<String, String> labels = new LinkedHashMap<>();
      result
          .path("metric")
          .properties()
          .forEach(l -> labels.put(l.getKey(), l.getValue().asText()));
      List<Series.Point> points = new ArrayList<>();
      if (result.has("value")) {
        points.add(point(result.path("value")));
      }
      result.path("values").forEach(value -> points.add(point(value)));
      all.add(new Series(labels, points));
    }
    return all;
  }

  private static Series.Point point(JsonNode pair) {
    String value = pair.path(1).asText();
    return new Series.Point(
        pair.path(0).asDouble(),
        switch (value) {
          case "+Inf" -> Double.POSITIVE_INFINITY;
          case "-Inf" -> Double.NEGATIVE_INFINITY;
          default -> Double.parseDouble(value);
        });
  }

  /**
   * The values of a label.
   *
   * @param label its name
   * @param selector which series
   */
  List<String> labelValues(String label, String selector) {
    List<String> values = new ArrayList<>();
    api("/api/v1/label/" + label + "/values", Map.of("match[]", selector))
        .forEach(value -> values.add(value.asText()));
    return values;
  }

  /** The rules as it has read them, with their health. */
  List<JsonNode> rules() {
    List<JsonNode> rules = new ArrayList<>();
    api("/api/v1/rules", Map.of())
        .path("groups")
        .forEach(group -> group.path("rules").forEach(rules::add));
    return rules;
  }

  private JsonNode api(String path, Map<String, String> parameters) {
    String query =
        parameters.entrySet().stream()
            .map(entry -> encoded(entry.getKey()) + "=" + encoded(entry.getValue()))
            .collect(Collectors.joining("&"));
    HttpResponse<String> response = get(path + "?" + query);
    if (response.statusCode() != 200) {
      throw new AssertionError(
          "Prometheus answers "
              + response.statusCode()
              + " to "
              + parameters
              + ": "
              + response.body());
    }
    try {
      return JSON.readTree(response.body()).path("data");
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  private HttpResponse<String> get(String path) {
    try {
      return http.send(
          HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofSeconds(30)).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  @Override
  public void close() {
    process.stop();
  }
}
