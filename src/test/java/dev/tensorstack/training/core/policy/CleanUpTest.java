package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.CleanUpPolicy;
import dev.tensorstack.training.core.observe.ObservedPod;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CleanUpTest {

  @ParameterizedTest
  @CsvSource(
      value = {
        // policy, deadline exceeded, pod: deleted?
        "UNFINISHED, false, PENDING,   true",
        "UNFINISHED, false, RUNNING,   true",
        "UNFINISHED, false, UNKNOWN,   true",
        "UNFINISHED, false, SUCCEEDED, false",
        "UNFINISHED, false, FAILED,    false",
        "UNFINISHED, true,  RUNNING,   true",
        "UNFINISHED, true,  SUCCEEDED, false",
        "ALL,        false, RUNNING,   true",
        "ALL,        false, SUCCEEDED, true",
        "ALL,        true,  FAILED,    true",
        "NONE,       false, RUNNING,   false",
        "NONE,       false, PENDING,   false",
        "NONE,       false, FAILED,    false",
        "NONE,       true,  RUNNING,   true",
        "NONE,       true,  PENDING,   true",
        "NONE,       true,  SUCCEEDED, false",
      })
  void theTableOfPolicies(
      CleanUpPolicy policy, boolean deadline, ObservedPod.Phase phase, boolean deleted) {
    ObservedPod pod = KeptPodsTest.pod("p", 0, phase, Instant.EPOCH);

    assertThat(CleanUp.deletes(policy, deadline, pod)).isEqualTo(deleted);
    assertThat(CleanUp.deletes(policy, deadline, pod.beingDeleted())).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"true, 30", "false, 5"})
  void afterASuccessPodsHaveTimeToEndByThemselves(boolean torchrun, long seconds) {
    assertThat(CleanUp.afterSuccess(Instant.EPOCH, torchrun, Duration.ofSeconds(30)))
        .isEqualTo(Instant.EPOCH.plusSeconds(seconds));
  }

  @ParameterizedTest
  @CsvSource({"true, -2, 8", "true, -20, 0", "false, -2, 0", "true, , 0", "true, 5, 10"})
  void afterAFailureTorchrunsAgentsHaveTheRestOfTheGrace(
      boolean torchrun, Long failed, long seconds) {
    assertThat(
            CleanUp.afterFailure(
                Instant.EPOCH,
                failed == null ? null : Instant.EPOCH.plusSeconds(failed),
                torchrun,
                Duration.ofSeconds(10)))
        .isEqualTo(Instant.EPOCH.plusSeconds(seconds));
  }
}
