package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.pytorchJob;
import static dev.tensorstack.training.kubectl.job.Samples.status;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class RestartTimeTest {

  @Test
  void theMessageTellsIt() {
    assertThat(
            RestartTime.of(
                trainingJob(
                    "", status("Pending", "Restarting", "restart at 2026-11-21T16:30:12Z; x", ""))))
        .isEqualTo(Instant.parse("2026-11-21T16:30:12Z"));
    assertThat(RestartTime.of(trainingJob("", status("Pending", "Restarting", "soon", ""))))
        .isNull();
  }

  @Test
  void theLedgerTellsTheEarliest() {
    assertThat(
            RestartTime.of(
                pytorchJob(
                    "",
                    "{'ledger':{'replicas':{'worker':{'restartAt':{'2026-11-21T16:31:00Z':'0',"
                        + "'1':'2026-11-21T16:30:30Z'}}}}}")))
        .isEqualTo(Instant.parse("2026-11-21T16:30:30Z"));
  }
}
