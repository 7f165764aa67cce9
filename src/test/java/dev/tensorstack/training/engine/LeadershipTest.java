package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class LeadershipTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  private final Leadership leadership = new Leadership();

  private boolean end(Duration patience) {
    try {
      return leadership.end(patience);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  @Test
  void anEndWaitsForTheLooksThatHaveBegunAndLetsNoneBegin() {
    assertThat(leadership.enter()).isTrue();
    CompletableFuture<Boolean> ended = CompletableFuture.supplyAsync(() -> end(LONG));
    Awaitility.await().until(leadership::hasEnded);
    assertThat(leadership.enter()).isFalse();
    assertThat(ended).isNotDone();
    leadership.leave();
    assertThat(ended.join()).isTrue();
  }

  @Test
  void anEndDoesNotWaitForEver() {
    assertThat(leadership.enter()).isTrue();
    assertThat(end(Duration.ofMillis(10))).isFalse();
  }
}
