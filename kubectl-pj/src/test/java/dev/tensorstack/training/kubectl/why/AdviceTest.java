package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.Job;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdviceTest {

  private static final Job JOB = trainingJob(",'scheduler':{'volcano':{'queue':'gpus'}}", "{}");

  @Test
  void everyReasonOfAJobThatWaitsHasItsOwn() {
    assertThat(
            List.of(
                "Unschedulable",
                "ImagePullFailed",
                "QuotaExceeded",
                "PodRejected",
                "WaitingForQueue",
                "WaitingForGang",
                "ReplicaFailed"))
        .allSatisfy(reason -> assertThat(Advice.of(reason, JOB)).isNotEmpty());
    assertThat(Advice.of("WaitingForGang", JOB)).contains("(queue gpus)");
    assertThat(Advice.of("NotFinished", JOB)).isEmpty();
  }
}
