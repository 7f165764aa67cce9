package dev.tensorstack.training.tryout;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Asks a TensorBoard what its web page would ask. */
public final class TensorBoardClient {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
  private final URI base;

  /**
   * A client of one TensorBoard.
   *
   * @param base where it listens, such as {@code http://127.0.0.1:6006}
   */
  public TensorBoardClient(URI base) {
    this.base = base;
  }

  /**
   * The curves that it knows.
   *
   * @return name of the run (its directory below the log directory) to tags, such as {@code
   *     train/loss}; empty while it has read nothing
   * @throws IOException when it does not answer, or not with 200 and JSON
   */
  public SortedMap<String, Set<String>> scalars() throws IOException {
    SortedMap<String, Set<String>> runs = new TreeMap<>();
    get("/data/plugin/scalars/tags")
        .fields()
        .forEachRemaining(
            run -> {
              Set<String> tags = new TreeSet<>();
              run.getValue().fieldNames().forEachRemaining(tags::add);
              runs.put(run.getKey(), tags);
            });
    return runs;
  }

  /**
   * The last point of a curve.
   *
   * @param run a run of {@link #scalars}
   * @param tag one of its tags
   * @return the value
   * @throws IOException when it does not answer, or has no such curve
   */
  public double last(String run, String tag) throws IOException {
    JsonNode points =
        get("/data/plugin/scalars/scalars?run=" + encode(run) + "&tag=" + encode(tag));
    // Each point is [time, step, value].
    return points.path(points.size() - 1).path(2).asDouble(Double.NaN);
  }

  private JsonNode get(String path) throws IOException {
    HttpRequest request = HttpRequest.newBuilder(base.resolve(path)).timeout(TIMEOUT).build();
    try {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IOException(request.uri() + " answers " + response.statusCode());
      }
      return JSON.readTree(response.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
