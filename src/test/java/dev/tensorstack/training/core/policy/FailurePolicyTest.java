package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.FailureCause;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RestartPolicy;
import dev.tensorstack.training.core.observe.FailureText;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
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
        "EXIT_CODE_IF_ANY, 5,   Application, TERMINAL",
        "EXIT_CODE_IF_ANY, 137, Application, RESTART",
        "EXIT_CODE_IF_ANY, -,   Application, RESTART",
        "EXIT_CODE_IF_ANY, 5,   Disruption,  RESTART",
        "NEVER_AGAIN, 137, Application, TERMINAL",
        "NEVER_AGAIN, -,   Disruption,  TERMINAL",
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
            Instant.EPOCH,
            false);

    assertThat(FailurePolicy.decide(policy, Set.of(130, 137, 138, 143), failure))
        .isEqualTo(decision);
  }

  @Test
  void aPodThatWasDeletedBeforeItRanIsCreatedAgainWhereWhatHasRunIsNot() {
    ReplicaId worker = new ReplicaId("worker", 0);
    PodFailure before = PodFailure.vanished(worker, "p", true, Instant.EPOCH);
    PodFailure after = PodFailure.vanished(worker, "p", false, Instant.EPOCH);
    assertThat(FailurePolicy.decide(RestartPolicy.NEVER_AGAIN, Set.of(), before))
        .isEqualTo(FailurePolicy.Decision.RESTART);
    assertThat(FailurePolicy.decide(RestartPolicy.NEVER_AGAIN, Set.of(), after))
        .isEqualTo(FailurePolicy.Decision.TERMINAL);
    assertThat(FailurePolicy.decide(RestartPolicy.NEVER, Set.of(), before))
        .isEqualTo(FailurePolicy.Decision.TERMINAL);
  }
}
