package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RestartPolicy;
import dev.tensorstack.training.core.observe.FailureText;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailurePolicyTest {

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "NEVER,     1,   Application, TERMINAL",
        "NEVER,     -,   Disruption,  TERMINAL",
        "ON_FAILURE, 1,   Application, RESTART",
        "ON_FAILURE, -,   Disruption,  RESTART",
        "EXIT_CODE,  1,   Application, TERMINAL",
        "EXIT_CODE,  130, Application, RESTART",
        "EXIT_CODE,  137, Application, RESTART",
        "EXIT_CODE,  138, Application, RESTART",
        "EXIT_CODE,  143, Application, RESTART",
        "EXIT_CODE,  -,   Application, TERMINAL",
        "EXIT_CODE,  1,   Disruption,  RESTART",
        "ALWAYS,    1,   Application, RESTART",
        "ALWAYS,    -,   Disruption,  RESTART",
      })
  void theTableOfRestartPolicies(
      RestartPolicy policy,
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
            FailureText.Origin.OWN,
            Instant.EPOCH);

    assertThat(FailurePolicy.decide(policy, Set.of(130, 137, 138, 143), failure))
        .isEqualTo(decision);
  }
}
