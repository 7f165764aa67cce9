package dev.tensorstack.training.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.observation.ObservedPod;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CleanUpTest {

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // policy, deadline exceeded, pod: deleted?
        "Unfinished, false, PENDING,   true",
        "Unfinished, false, RUNNING,   true",
        "Unfinished, false, UNKNOWN,   true",
        "Unfinished, false, SUCCEEDED, false",
        "Unfinished, false, FAILED,    false",
        "Unfinished, true,  RUNNING,   true",
        "Unfinished, true,  SUCCEEDED, false",
        "All,        false, RUNNING,   true",
        "All,        false, SUCCEEDED, true",
        "All,        true,  FAILED,    true",
        "None,       false, RUNNING,   false",
        "None,       false, PENDING,   false",
        "None,       false, FAILED,    false",
        "None,       true,  RUNNING,   true",
        "None,       true,  PENDING,   true",
        "None,       true,  SUCCEEDED, false",
        "-,          false, RUNNING,   true",
        "-,          false, FAILED,    false",
        "Unheard,    false, RUNNING,   true",
        "Unheard,    false, SUCCEEDED, false",
      })
  void theTableOfPolicies(
      @Nullable String policy, boolean deadline, ObservedPod.Phase phase, boolean deleted) {
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
  @CsvSource({"true, -2, 8", "true, -20, 0", "false, -2, 0", "true, , 0", "true, 5, 0"})
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
