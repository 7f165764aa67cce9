package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.Job;
import org.junit.jupiter.api.Test;

class LastReportTest {

  private static Job job(String report) {
    return trainingJob("", "{'training':" + report + "}");
  }

  private static String tell(String report) {
    Sentences text = new Sentences(NOW);
    LastReport.tell(job(report), text);
    return text.text();
  }

  private static String stuck(String report) {
    Sentences text = new Sentences(NOW);
    LastReport.tellStuck(job(report), text);
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
  void aReportFromBeforeTheRestartIsKnown() {
    assertThat(tell("{'attempt':1,'progress':45,'estimatedRemainingSeconds':754}"))
        .isEqualTo("Its last report (of attempt 1): 45 % done.");
  }

  @Test
  void whatHangsHasNoTimeLeft() {
    assertThat(stuck("{'estimatedRemainingSeconds':754,'step':'1200'}"))
        .isEqualTo("Its last report: step 1200.");
    assertThat(stuck("{'stepAt':'2026-11-21T16:15:00Z'}"))
        .isEqualTo("Its last step was 15 min ago, at 2026-11-21 16:15:00 UTC.");
  }
}
