package dev.tensorstack.training.kubectl.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tensorstack.training.kubectl.job.Tree;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.TokenRefreshInterceptor;
import io.quarkus.kubernetes.client.runtime.internal.QuarkusHttpClientFactory;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The API server of a cluster, as one user sees it. Objects are trees: the classes of the client's
 * model would make the program four times as large, and fields that they do not know would be lost.
 * Safe for use by several threads.
 */
public final class Cluster implements AutoCloseable {

  /** A JSON merge patch. */
  public static final String MERGE_PATCH = "application/merge-patch+json";

  private static final String JSON = "application/json";
  private static final int PAGE = 500;
  private static final int FIRST_ERROR = 400;

  /** Longer than the client's own limit, which tells more. */
  private static final long ANSWER_SECONDS = 60;

  /** The log of a silent container has no head before its first line: that may take days. */
  private static final long STREAM_DAYS = 20;

  private final Config config;
  private final String namespace;
  private final HttpClient http;
  private final Consumer<String> warnings;
  private final ObjectMapper json = new ObjectMapper();
  private final String url;

  private Cluster(Config config, String namespace, HttpClient http, Consumer<String> warnings) {
    this.warnings = warnings;
    this.config = config;
    this.namespace = namespace;
    this.http = http;
    String master = config.getMasterUrl();
    this.url = master.endsWith("/") ? master.substring(0, master.length() - 1) : master;
  }

  /**
   * Makes a client; nothing is sent yet.
   *
   * @param connection which cluster, and as whom
   * @param warnings is called with what the API server warns of; more than once with the same
   * @return the client, to be closed
   * @throws IllegalArgumentException with a sentence for the user, when there is no such
   *     configuration
   */
  public static Cluster connect(Connection connection, Consumer<String> warnings) {
    Kubeconfig.User user = connection.user();
    Config config = user.config();
    HttpClient.Builder http = new QuarkusHttpClientFactory().newBuilder(config);
    if (user.plugin() != null) {
      http =
          http.addOrReplaceInterceptor(
              TokenRefreshInterceptor.NAME, new CredentialHeader(user.plugin()));
    }
    return new Cluster(config, connection.namespaceOf(config), http.build(), warnings);
  }

  /**
   * The namespace to work in.
   *
   * @return its name
   */
  public String namespace() {
    return namespace;
  }

  /**
   * The API server's address.
   *
   * @return a URL without a slash at its end
   */
  public String url() {
    return url;
  }

  Config config() {
    return config;
  }

  HttpClient http() {
    return http;
  }

  /**
   * Reads an object.
   *
   * @param path its path
   * @return the object
   * @throws ApiException when there is none, or it may not be read
   */
  public Tree get(String path) {
    return send("GET", path, null, null);
  }

  /**
   * Reads an object that may not be there.
   *
   * @param path its path
   * @return the object; null when there is none
   * @throws ApiException when it may not be read
   */
  public @Nullable Tree find(String path) {
    try {
      return get(path);
    } catch (ApiException e) {
      if (e.isNotFound()) {
        return null;
      }
      throw e;
    }
  }

  /**
   * Lists objects, page by page.
   *
   * @param path the path of the collection
   * @param parameters {@code labelSelector}, {@code fieldSelector} and the like
   * @return the objects
   * @throws ApiException when they may not be listed, or the kind is not known
   */
  public Listing list(String path, Map<String, String> parameters) {
    List<Tree> items = new ArrayList<>();
    Map<String, String> query = new LinkedHashMap<>(parameters);
    query.put("limit", Integer.toString(PAGE));
    while (true) {
      Tree page = get(path + query(query));
      items.addAll(page.items("items"));
      String more = page.text("metadata", "continue");
      if (more == null) {
        String version = page.text("metadata", "resourceVersion");
        return new Listing(items, version == null ? "" : version);
      }
      query.put("continue", more);
    }
  }

  /**
   * Objects and the state of the cluster that they were read from.
   *
   * @param items the objects
   * @param resourceVersion where a watch may go on
   */
  public record Listing(List<Tree> items, String resourceVersion) {}

  /**
   * Creates an object.
   *
   * @param path the path of its collection
   * @param object the object
   * @return what was stored
   * @throws ApiException when it is refused
   */
  public Tree create(String path, Tree object) {
    return send("POST", path, JSON, object.value());
  }

  /**
   * Changes an object.
   *
   * @param path its path
   * @param patch a merge patch
   * @return what is stored now
   * @throws ApiException when it is refused
   */
  public Tree patch(String path, Map<String, Object> patch) {
    return send("PATCH", path, MERGE_PATCH, patch);
  }

  /**
   * Deletes an object.
   *
   * @param path its path
   * @throws ApiException when it is refused
   */
  public void delete(String path) {
    Tree unused = send("DELETE", path, JSON, null);
  }

  /**
   * Reads a text, such as a log.
   *
   * @param path the path, with its query
   * @return the text
   * @throws ApiException when it may not be read
   */
  public String text(String path) {
    HttpRequest request = http.newHttpRequestBuilder().uri(url + path).build();
    HttpResponse<byte[]> response = await(send(request));
    byte[] body = response.body();
    String text = body == null ? "" : new String(body, UTF_8);
    if (response.code() >= FIRST_ERROR) {
      throw ApiException.refused(response.code(), parseOrAbsent(text), text);
    }
    return text;
  }

  private Tree send(
      String method, String path, @Nullable String contentType, @Nullable Object body) {
    HttpRequest.Builder builder = http.newHttpRequestBuilder().uri(url + path);
    if (contentType != null) {
      builder = builder.method(method, contentType, body == null ? null : write(body));
    }
    HttpRequest request = builder.header("Accept", JSON).build();
    HttpResponse<byte[]> response = await(send(request));
    Warnings.of(response.headers()).forEach(warnings);
    byte[] bytes = response.body();
    String text = bytes == null ? "" : new String(bytes, UTF_8);
    if (response.code() >= FIRST_ERROR) {
      throw ApiException.refused(response.code(), parseOrAbsent(text), text);
    }
    return parse(text);
  }

  /**
   * Reads a stream, such as a log that is followed, or a watch. Does not wait.
   *
   * @param path the path, with its query
   * @param bytes is called with what comes, in order, by one thread at a time; it may not wait
   * @return the stream
   */
  public ApiStream stream(String path, Consumer<ByteBuffer> bytes) {
    HttpRequest request =
        http.newHttpRequestBuilder()
            .uri(url + path)
            .forStreaming()
            .timeout(STREAM_DAYS, TimeUnit.DAYS)
            .build();
    ApiStream stream =
        new ApiStream(
            bytes, url, (code, text) -> ApiException.refused(code, parseOrAbsent(text), text));
    try {
      CompletableFuture<HttpResponse<AsyncBody>> unused =
          http.consumeBytes(request, stream::accept).whenComplete(stream::opened);
    } catch (CredentialException e) {
      stream.opened(null, e);
    }
    return stream;
  }

  private CompletableFuture<HttpResponse<byte[]>> send(HttpRequest request) {
    try {
      return http.sendAsync(request, byte[].class);
    } catch (CredentialException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private <T> T await(CompletableFuture<T> answer) {
    try {
      return answer.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | CompletionException e) {
      throw ApiException.unreachable(url, e);
    } catch (TimeoutException e) {
      boolean unused = answer.cancel(true);
      throw ApiException.unreachable(url, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ApiException.unreachable(url, e);
    }
  }

  /**
   * Reads JSON.
   *
   * @param text an object
   * @return the object
   * @throws ApiException when it is no JSON, because something else than an API server answers
   */
  Tree parse(String text) {
    try {
      return Tree.of(json.readValue(text, Map.class));
    } catch (JsonProcessingException e) {
      throw ApiException.unreachable(url, e);
    }
  }

  private Tree parseOrAbsent(String text) {
    try {
      return Tree.of(json.readValue(text, Map.class));
    } catch (JsonProcessingException plainText) {
      return Tree.of(null);
    }
  }

  private String write(Object object) {
    try {
      return json.writeValueAsString(object);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /**
   * The query of a URL.
   *
   * @param parameters names and values
   * @return for example {@code ?limit=500}; empty without parameters
   */
  public static String query(Map<String, String> parameters) {
    StringBuilder query = new StringBuilder();
    parameters.forEach(
        (name, value) ->
            query
                .append(query.isEmpty() ? '?' : '&')
                .append(name)
                .append('=')
                .append(URLEncoder.encode(value, UTF_8)));
    return query.toString();
  }

  @Override
  public void close() {
    http.close();
  }
}
