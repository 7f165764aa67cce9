package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static dev.tensorstack.training.kubectl.job.Samples.status;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.Job;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExplanationTest {

  @Test
  void withoutTheRightToListPodsItSaysSo() {
    Job job = trainingJob("", status("Pending", "Unschedulable", "m", ""));
    assertThat(Explanation.of(new Situation(job, List.of(), List.of(), false, NOW)))
        .endsWith("You may not list its pods, so that this is only what the job itself says.");
  }
}
