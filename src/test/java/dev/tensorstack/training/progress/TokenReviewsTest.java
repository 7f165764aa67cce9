package dev.tensorstack.training.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A token proves a pod when the API server says so, for this purpose. */
class TokenReviewsTest {

  private static final String GOOD =
      """
      {"status": {"authenticated": true, "audiences": ["progress.batch.tensorstack.dev"],
        "user": {"username": "system:serviceaccount:team:default", "extra": {
          "authentication.kubernetes.io/pod-name": ["a-worker-0"],
          "authentication.kubernetes.io/pod-uid": ["uid-1"]}}}}
      """;

  private final List<String> asked = new ArrayList<>();

  private TokenReviews reviews(String answer) {
    return new TokenReviews(
        token -> {
          asked.add(token);
          return answer;
        },
        Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));
  }

  @Test
  void theAnswerIsAskedForOnce() {
    TokenReviews reviews = reviews(GOOD);

    assertThat(reviews.isKnown("t")).isFalse();
    assertThat(reviews.pod("t")).isEqualTo(new ReportingPod("team", "a-worker-0", "uid-1"));
    assertThat(reviews.pod("t")).isEqualTo(new ReportingPod("team", "a-worker-0", "uid-1"));
    assertThat(reviews.isKnown("t")).isTrue();
    assertThat(asked).containsExactly("t");
  }

  @ParameterizedTest
  @CsvSource({
    "\"authenticated\": true, \"authenticated\": false",
    "progress.batch.tensorstack.dev, https://kubernetes.default.svc",
    "system:serviceaccount:team:default, admin",
    "pod-name, node-name",
    "pod-uid, node-uid"
  })
  void anyOtherAnswerProvesNothing(String part, String other) {
    assertThat(reviews(GOOD.replace(part, other)).pod("t")).isNull();
  }
}
