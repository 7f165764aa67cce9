package dev.tensorstack.training.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.observation.ReplicaId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailurePolicyTest {

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "Never,     1,   Application, TERMINAL",
        "Never,     -,   Disruption,  TERMINAL",
        "OnFailure, 1,   Application, RESTART",
        "OnFailure, -,   Disruption,  RESTART",
        "ExitCode,  1,   Application, TERMINAL",
        "ExitCode,  130, Application, RESTART",
        "ExitCode,  137, Application, RESTART",
        "ExitCode,  138, Application, RESTART",
        "ExitCode,  143, Application, RESTART",
        "ExitCode,  -,   Application, TERMINAL",
        "ExitCode,  1,   Disruption,  RESTART",
        "Always,    1,   Application, RESTART",
        "Always,    -,   Disruption,  RESTART",
        "-,         1,   Application, TERMINAL",
        "Unheard,   1,   Application, TERMINAL",
      })
  void theTableOfRestartPolicies(
      @Nullable String policy,
      @Nullable Integer exitCode,
      FailureCause cause,
      FailurePolicy.Decision decision) {
    PodFailure failure =
        new PodFailure(
            new ReplicaId("worker", 1),
            "p",
            cause,
            exitCode,
            null,
            "Error",
            null,
            null,
            Instant.EPOCH,
            false);

    assertThat(FailurePolicy.decide(policy, null, failure)).isEqualTo(decision);
  }
}
