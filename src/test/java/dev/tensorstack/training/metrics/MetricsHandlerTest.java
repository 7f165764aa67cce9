package dev.tensorstack.training.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gets the metrics, and what the others are told. */
class MetricsHandlerTest {

  private static final String SENDER = "192.0.2.1";

  private final Map<String, Verdict> known =
      new HashMap<>(
          Map.of(
              "good", new Verdict(Verdict.Access.ALLOWED, "prometheus"),
              "weak", new Verdict(Verdict.Access.FORBIDDEN, "somebody")));
  private final List<String> asked = new ArrayList<>();
  private Instant now = Instant.EPOCH;
  private @Nullable KubernetesClientException failure;
  private final MetricsHandler handler = handler(this::review);

  private Verdict review(String token) {
    asked.add(token);
    if (failure != null) {
      throw failure;
    }
    return known.getOrDefault(token, Verdict.NOBODY);
  }

  private MetricsHandler handler(Function<String, Verdict> reviews) {
    return new MetricsHandler(
        reviews,
        format -> "metrics as " + format,
        "the-reader",
        new Clock() {
          @Override
          public java.time.ZoneId getZone() {
            return ZoneOffset.UTC;
          }

          @Override
          public Clock withZone(java.time.ZoneId zone) {
            throw new UnsupportedOperationException();
          }

          @Override
          public Instant instant() {
            return now;
          }
        });
  }

  private MetricsAnswer answer(@Nullable String token) {
    return handler.answer(new MetricsRequest(token, "text/plain", SENDER));
  }

  @Test
  void whoMayReadThemGetsThemInTheFormatThatIsAskedFor() {
    assertThat(answer("good"))
        .isEqualTo(MetricsAnswer.of(ExpositionFormat.TEXT, "metrics as " + ExpositionFormat.TEXT));
    assertThat(handler.answer(new MetricsRequest("good", null, SENDER)).contentType())
        .isEqualTo(ExpositionFormat.OPEN_METRICS);
    assertThat(asked).as("asked once").containsExactly("good");
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = "")
  void withoutATokenNobodyIsAsked(@Nullable String token) {
    MetricsAnswer answer = answer(token);

    assertThat(answer.code()).isEqualTo(401);
    assertThat(answer.body()).contains("Authorization: Bearer TOKEN");
    assertThat(answer("x".repeat(20_000)).code()).isEqualTo(401);
    assertThat(asked).isEmpty();
  }

  @Test
  void aTokenOfNobodyIsUnauthenticated() {
    MetricsAnswer answer = answer("forged-token");

    assertThat(answer.code()).isEqualTo(401);
    assertThat(answer.body()).contains("still valid").doesNotContain("forged-token");
  }

  @Test
  void whoMayNotIsToldTheRemedy() {
    MetricsAnswer answer = answer("weak");

    assertThat(answer.code()).isEqualTo(403);
    assertThat(answer.body())
        .contains(
            "user somebody may not get /metrics",
            "grant get on the nonResourceURL /metrics: bind the ClusterRole the-reader");
  }

  @Test
  void aRightThatIsGivenOrTakenIsSeenSoon() {
    assertThat(answer("weak").code()).isEqualTo(403);
    assertThat(answer("good").code()).isEqualTo(200);
    known.put("weak", new Verdict(Verdict.Access.ALLOWED, "somebody"));
    known.put("good", new Verdict(Verdict.Access.FORBIDDEN, "prometheus"));

    now = now.plusSeconds(9);
    assertThat(answer("weak").code()).isEqualTo(403);
    now = now.plusSeconds(1);
    assertThat(answer("weak").code()).isEqualTo(200);
    now = now.plusSeconds(49);
    assertThat(answer("good").code()).isEqualTo(200);
    now = now.plusSeconds(1);
    assertThat(answer("good").code()).isEqualTo(403);
  }

  @Test
  void anApiServerThatDoesNotAnswerIsAskedAgainAtOnce() {
    failure = new KubernetesClientException("away");
    assertThat(answer("good").code()).isEqualTo(503);
    assertThat(answer("good").retryAfter()).isPositive();

    failure = null;
    assertThat(answer("good").code()).isEqualTo(200);
    failure = new KubernetesClientException("away");
    now = now.plusSeconds(59);
    assertThat(answer("good").code()).as("known").isEqualTo(200);
  }

  @Test
  void anOperatorThatMayNotAskSaysSo() {
    failure = new KubernetesClientException("forbidden: subjectaccessreviews", 403, null);

    MetricsAnswer answer = answer("good");

    assertThat(answer.code()).isEqualTo(503);
    assertThat(answer.body()).contains("the operator may not ask the API server");
  }

  @Test
  void whoTriesTokensIsNotAnsweredAnyMoreAndOthersAre() {
    assertThat(answer("good").code()).isEqualTo(200);
    List<Integer> codes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      codes.add(answer("guess-" + i).code());
    }

    assertThat(codes).startsWith(401, 401).endsWith(429, 429);
    assertThat(asked).hasSizeLessThan(15);
    now = now.plusSeconds(120);
    assertThat(answer("good").code()).as("of the same address, known before").isEqualTo(200);
    assertThat(handler.answer(new MetricsRequest("weak", null, "192.0.2.2")).code())
        .as("of another address")
        .isEqualTo(403);
  }

  @Test
  void aRequestDoesNotShowItsToken() {
    assertThat(new MetricsRequest("secret", null, SENDER).toString()).doesNotContain("secret");
  }
}
