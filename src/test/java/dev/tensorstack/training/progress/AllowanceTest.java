package dev.tensorstack.training.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** So often at once, and then one at a time. */
class AllowanceTest {

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final Allowance<String> allowance = new Allowance<>(3, Duration.ofSeconds(1), nanos::get);

  @Test
  void whatIsUsedIsThereAgainOneByOne() {
    assertThat(allowance.take("a")).isTrue();
    assertThat(allowance.take("a")).isTrue();
    assertThat(allowance.has("a")).isTrue();
    assertThat(allowance.take("a")).isTrue();
    assertThat(allowance.has("a")).isFalse();
    assertThat(allowance.take("a")).isFalse();
    assertThat(allowance.take("b")).as("somebody else").isTrue();

    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(allowance.take("a")).isTrue();
    assertThat(allowance.take("a")).isFalse();

    nanos.addAndGet(Duration.ofHours(1).toNanos());
    for (int again = 0; again < 3; again++) {
      assertThat(allowance.take("a")).isTrue();
    }
    assertThat(allowance.take("a")).isFalse();
  }
}
