package dev.tensorstack.training.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.plan.PlannedAction;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReconcileThrottleTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final Expectations expectations = new Expectations();
  private final ReconcileThrottle pace = new ReconcileThrottle(expectations);

  private static PlannedAction.CreatePod creation(String pod, int attempt) {
    return new PlannedAction.CreatePod(
        new ReplicaId("worker", 0), pod, 0, attempt, RunModeKind.TRAIN);
  }

  private static Set<String> names(int count) {
    return IntStream.range(0, count).mapToObj(i -> "pod-" + i).collect(Collectors.toSet());
  }

  @Test
  void aJobIsNotLookedAtAfterEachAnswerWhileCreationsAreUnderWay() {
    assertThat(pace.untilNextLook(NOW)).isZero();
    expectations.creating(creation("a", 0));
    assertThat(pace.untilNextLook(NOW)).isEqualTo(Duration.ofMillis(200));
    assertThat(pace.untilNextLook(NOW.plusMillis(200))).isZero();
    expectations.created("a", "1");
    assertThat(pace.untilNextLook(NOW.plusMillis(250))).isZero();
  }

  @Test
  void aJobRestsAfterALookTheLongerTheMorePodsItHas() {
    assertThat(pace.untilNextLook(NOW)).isZero();
    expectations.seen(Set.of(), names(10), Set.of());
    assertThat(pace.untilNextLook(NOW)).isEqualTo(Duration.ofMillis(50));
    assertThat(pace.untilNextLook(NOW.plusMillis(50))).isZero();
    expectations.seen(Set.of(), names(60), Set.of());
    assertThat(pace.untilNextLook(NOW.plusMillis(50))).isEqualTo(Duration.ofMillis(120));
    expectations.seen(Set.of(), names(5_000), Set.of());
    assertThat(pace.untilNextLook(NOW.plusMillis(50))).isEqualTo(Duration.ofMillis(200));
  }

  @Test
  void aClockThatIsPutBackDoesNotHoldUpTheNextLook() {
    assertThat(pace.untilNextLook(NOW)).isZero();

    assertThat(pace.untilNextLook(NOW.minus(Duration.ofHours(1)))).isZero();
  }
}
