package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.management.OperatingSystemMXBean;
import com.sun.net.httpserver.HttpServer;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTestProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Hostile reviews, one after the other, each to one of the webhooks over HTTP. */
abstract class FuzzedReviews {

  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /** From the first byte that is sent to the last that is received. */
  private static final Duration LONGEST = Duration.ofSeconds(1);

  /** The classes are loaded and the code is compiled by then. */
  private static final int WARM_UP = 200;

  /** An API server that answers at once, and knows of nothing. */
  public static final class BesideAnApiServer implements QuarkusTestProfile {

    @Override
    public Map<String, String> getConfigOverrides() {
      try {
        HttpServer server =
            HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] nothing =
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":404}"
                .getBytes(StandardCharsets.UTF_8);
        server.createContext(
            "/",
            exchange -> {
              exchange.getRequestBody().readAllBytes();
              exchange.sendResponseHeaders(404, nothing.length);
              exchange.getResponseBody().write(nothing);
              exchange.close();
            });
        server.start();
        return Map.of(
            "quarkus.kubernetes-client.api-server-url",
            "http://127.0.0.1:" + server.getAddress().getPort());
      } catch (IOException problem) {
        throw new UncheckedIOException(problem);
      }
    }
  }

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TestHTTPResource("/")
  @SuppressWarnings("NullAway.Init")
  URL server;

  @Test
  void everyReviewIsAnsweredWithinASecondAndNoneWithAnErrorOfTheServer() throws Exception {
    long seed = Long.getLong("fuzz.seed", System.currentTimeMillis());
    int reviews = reviews();
    System.out.println("fuzz.seed=" + seed);
    HostileReviews hostile = new HostileReviews(new Random(seed));
    for (int i = 0; i < WARM_UP; i++) {
      send(i % 2 == 0 ? "mutate" : "validate", hostile.harmless());
    }
    Map<String, Integer> answers = new TreeMap<>();
    Duration longest = Duration.ZERO;
    for (int i = 0; i < reviews; i++) {
      HostileReviews.Review review = hostile.next();
      String webhook = i % 2 == 0 ? "mutate" : "validate";
      try {
        long begin = nanos();
        HttpResponse<String> answer = send(webhook, review);
        Duration took = Duration.ofNanos(nanos() - begin);
        longest = took.compareTo(longest) > 0 ? took : longest;
        answers.merge(check(review, answer), 1, Integer::sum);
        assertThat(took).isLessThan(LONGEST);
      } catch (IOException | RuntimeException | AssertionError problem) {
        Path file = Path.of("target", "fuzzed-review.json");
        Files.write(file, review.body());
        String text = new String(review.body(), StandardCharsets.UTF_8);
        throw new AssertionError(
            "review %d of -Dfuzz.seed=%d to /%s (all of it in %s):%n%s"
                .formatted(
                    i, seed, webhook, file, text.substring(0, Math.min(4_000, text.length()))),
            problem);
      }
    }
    System.out.printf("%s, the longest took %d ms%n", answers, longest.toMillis());
    assertThat(answers.keySet())
        .as("they are of all sorts")
        .contains("400", "admitted", "refused by readable", "refused by quantities");
  }

  /** How many of them. */
  abstract int reviews();

  /** CPU time, of server and client: other tests take the CPUs, too. */
  private static long nanos() {
    return PROCESS.getProcessCpuTime();
  }

  private HttpResponse<String> send(String webhook, HostileReviews.Review review)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create(server + webhook))
            .header("Content-Type", "application/json")
            .timeout(Duration.ofSeconds(30))
            .POST(HttpRequest.BodyPublishers.ofByteArray(review.body()))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** What kind of answer it is. */
  private static String check(HostileReviews.Review review, HttpResponse<String> answer)
      throws IOException {
    if (answer.statusCode() != 200 && !review.fromTheApiServer()) {
      assertThat(answer.statusCode()).as(answer.body()).isIn(400, 413);
      assertThat(answer.body()).hasSizeLessThan(2_000).doesNotContain("\tat ");
      return String.valueOf(answer.statusCode());
    }
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonNode response = Reviews.JSON.readTree(answer.body()).path("response");
    if (review.fromTheApiServer()) {
      assertThat(response.path("uid").asText()).isEqualTo(review.uid());
    }
    assertThat(response.path("allowed").isBoolean()).isTrue();
    if (response.path("allowed").asBoolean()) {
      return "admitted";
    }
    assertThat(response.at("/status/code").asInt()).isEqualTo(422);
    assertThat(response.at("/status/details/causes"))
        .isNotEmpty()
        .allSatisfy(
            cause -> {
              assertThat(cause.path("field").asText()).isNotBlank();
              assertThat(cause.path("message").asText()).isNotBlank();
            });
    String rules = response.at("/auditAnnotations/refused-by").asText();
    return "refused by " + (rules.contains(" ") ? "several rules" : rules);
  }
}
