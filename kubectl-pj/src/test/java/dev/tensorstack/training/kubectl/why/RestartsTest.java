package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RestartsTest {

  private static String restarts(String spec, String status) {
    return Restarts.of(trainingJob(spec, status));
  }

  @Test
  void whatCostsAndWhatDoesNot() {
    assertThat(restarts("", "{}")).isEmpty();
    assertThat(restarts("", "{'disruptionCount':1}")).isEqualTo("1 disruption, which cost nothing");
    assertThat(
            restarts(
                ",'runPolicy':{'backoffLimit':3}", "{'backoffCount':5,'recentBackoffCount':2}"))
        .isEqualTo("5 failures (backoffLimit 2 of 3 used)");
    assertThat(restarts("", "{'backoffCount':1}")).isEqualTo("1 failure (backoffLimit none)");
  }
}
