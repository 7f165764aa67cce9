package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.failed;
import static dev.tensorstack.training.kubectl.job.Samples.pod;
import static dev.tensorstack.training.kubectl.job.Samples.ranked;
import static dev.tensorstack.training.kubectl.job.Samples.running;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.Job;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LogSourceTest {

  @Test
  void theLogOfTheRootCauseIsRead() {
    Job job =
        trainingJob("", failed("ReplicaFailed", "x", ",'lastFailure':{'pod':'w1','exitCode':3}"));
    LogSource source =
        Objects.requireNonNull(
            LogSource.of(
                job,
                ranked(
                    job,
                    pod("w0", "worker", 0, 0, running("Failed", "{'terminated':{'exitCode':1}}")),
                    pod(
                        "w1",
                        "worker",
                        1,
                        0,
                        running("Failed", "{'terminated':{'exitCode':3}}")))));
    assertThat(source.pod().name()).isEqualTo("w1");
    assertThat(source.container()).isEqualTo("python");
    assertThat(source.previous()).isFalse();
    assertThat(LogSource.of(job, List.of())).isNull();
  }
}
