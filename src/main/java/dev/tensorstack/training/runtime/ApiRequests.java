package dev.tensorstack.training.runtime;

import dev.tensorstack.training.core.naming.Metric;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Counts and times the client's requests to the API server (docs/reference/metrics.md). A watch is
 * counted when it is opened, so that a count that rises fast is a storm of watches that break off.
 *
 * <p>The client tells nobody of a request that fails without an answer while it does not try again
 * by itself; so what is sent and what is answered are counted apart.
 */
final class ApiRequests implements Interceptor {

  /** The method of requests that open a watch, which are GETs as well. */
  static final String WATCH = "WATCH";

  private static final Duration[] BOUNDS =
      Stream.of(5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000)
          .map(Duration::ofMillis)
          .toArray(Duration[]::new);

  private final MeterRegistry registry;

  /** Weak, as nobody tells the end of a request that has no answer by the object that was sent. */
  private final Map<HttpRequest, Long> sent = Collections.synchronizedMap(new WeakHashMap<>());

  /** The client tells of a WebSocket that is refused once for each of its interceptors. */
  private final Set<HttpResponse<?>> answers =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  /**
   * Nothing is counted yet.
   *
   * @param registry where counts and times go
   */
  ApiRequests(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
    Counter.builder(Metric.API_REQUESTS.meter())
        .description(Metric.API_REQUESTS.description())
        .tag("method", method(request))
        .register(registry)
        .increment();
  }

  /** The last before a request is sent; not called for those that become WebSockets. */
  @Override
  public AsyncBody.Consumer<List<ByteBuffer>> consumer(
      AsyncBody.Consumer<List<ByteBuffer>> consumer, HttpRequest request) {
    sent.put(request, System.nanoTime());
    return consumer;
  }

  @Override
  public void after(
      HttpRequest request,
      HttpResponse<?> response,
      AsyncBody.Consumer<List<ByteBuffer>> consumer) {
    if (!answers.add(response)) {
      return;
    }
    String method = method(request);
    Counter.builder(Metric.API_RESPONSES.meter())
        .description(Metric.API_RESPONSES.description())
        .tags("method", method, "code", Integer.toString(response.code()))
        .register(registry)
        .increment();
    Long begin = sent.remove(request);
    if (begin != null && !method.equals(WATCH)) {
      Timer.builder(Metric.API_REQUEST.meter())
          .description(Metric.API_REQUEST.description())
          .tag("method", method)
          .serviceLevelObjectives(BOUNDS)
          .register(registry)
          .record(System.nanoTime() - begin, TimeUnit.NANOSECONDS);
    }
  }

  private static String method(HttpRequest request) {
    String query = request.uri().getQuery();
    return query != null && ("&" + query + "&").contains("&watch=true&") ? WATCH : request.method();
  }

  /** Takes the place of the extension's own client, which cannot be given an interceptor. */
  static class Producer {

    /**
     * The client.
     *
     * @param serialization how it reads, writes and copies objects
     * @param config where the API server is, and who asks
     * @param registry where its requests are counted
     * @return the only one
     */
    @Produces
    @ApplicationScoped
    KubernetesClient client(
        KubernetesSerialization serialization, Config config, MeterRegistry registry) {
      return counting(new KubernetesClientBuilder(), registry)
          .withKubernetesSerialization(serialization)
          .withConfig(config)
          .build();
    }

    /**
     * Ends the client with the operator.
     *
     * @param client the only one
     */
    void close(@Disposes KubernetesClient client) {
      client.close();
    }
  }

  /** A client whose requests are counted. */
  static KubernetesClientBuilder counting(KubernetesClientBuilder client, MeterRegistry registry) {
    ApiRequests requests = new ApiRequests(registry);
    return client.withHttpClientBuilderConsumer(
        http -> http.addOrReplaceInterceptor(ApiRequests.class.getSimpleName(), requests));
  }
}
