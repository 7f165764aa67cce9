package dev.tensorstack.training.https;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** So often at once, and then one at a time. */
class RateLimitTest {

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final RateLimit<String> limit = new RateLimit<>(3, Duration.ofSeconds(1), nanos::get);

  @Test
  void whatIsUsedIsThereAgainOneByOne() {
    assertThat(limit.take("a")).isTrue();
    assertThat(limit.take("a")).isTrue();
    assertThat(limit.has("a")).isTrue();
    assertThat(limit.take("a")).isTrue();
    assertThat(limit.has("a")).isFalse();
    assertThat(limit.take("a")).isFalse();
    assertThat(limit.take("b")).as("somebody else").isTrue();

    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(limit.take("a")).isTrue();
    assertThat(limit.take("a")).isFalse();

    nanos.addAndGet(Duration.ofHours(1).toNanos());
    for (int again = 0; again < 3; again++) {
      assertThat(limit.take("a")).isTrue();
    }
    assertThat(limit.take("a")).isFalse();
  }
}
