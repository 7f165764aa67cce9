package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.Training;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LastReportTest {

  private static @Nullable Training report(String json) {
    return trainingJob("", "{'training':" + json + "}").status().training();
  }

  private static String tell(String json) {
    Sentences text = new Sentences(NOW);
    LastReport.tell(report(json), text);
    return text.text();
  }

  private static String stuck(String json) {
    Sentences text = new Sentences(NOW);
    LastReport.tellStuck(report(json), text);
    return text.text();
  }

  @Test
  void whatWasReportedIsTold() {
    assertThat(tell("{'progress':45,'estimatedRemainingSeconds':754,'step':'1200'}"))
        .isEqualTo("Its last report: 45 % done, about 12 min left, step 1200.");
    assertThat(tell("{'updatedAt':'2026-11-21T16:29:50Z'}")).isEmpty();
    assertThat(tell("null")).isEmpty();
  }

  @Test
  void whatHangsHasNoTimeLeft() {
    assertThat(stuck("{'estimatedRemainingSeconds':754,'step':'1200'}"))
        .isEqualTo("Its last report: step 1200.");
    assertThat(stuck("{'stepAt':'2026-11-21T16:15:00Z'}"))
        .isEqualTo("Its last step was 15 min ago, at 2026-11-21 16:15:00 UTC.");
  }
}
