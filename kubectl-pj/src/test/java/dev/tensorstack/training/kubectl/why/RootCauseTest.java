package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.PodFailure;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RootCauseTest {

  private static String tell(String failure, String said) {
    PodFailure read =
        Objects.requireNonNull(
            trainingJob("", "{'lastFailure':" + failure + "}").status().lastFailure());
    Sentences text = new Sentences(NOW);
    RootCause.tell(read, said, text);
    return text.text();
  }

  @Test
  void whatWasSaidIsNotSaidAgain() {
    String failure = "{'pod':'w1','exitCode':1,'message':'no data'}";
    assertThat(tell(failure, ""))
        .isEqualTo("The last failure: pod w1 failed with exit code 1. Its last words: no data.");
    assertThat(tell(failure, "pod w1 failed: no data")).isEmpty();
  }

  @Test
  void aHangThatTheMessageTellsIsNotToldAgain() {
    assertThat(
            tell(
                "{'pod':'w0','reason':'NoProgress','message':'no report since 16:00'}",
                "NoProgress: no report since 16:00; the backoffLimit is used up"))
        .isEmpty();
  }

  @Test
  void hints() {
    assertThat(tell("{'reason':'OOMKilled'}", "")).contains("raise resources.limits.memory");
    assertThat(tell("{'cause':'Disruption'}", "")).contains("a disruption from outside");
  }

  @Test
  void whatGotNowhereWasEndedByTheOperator() {
    assertThat(
            tell(
                "{'reason':'NotANumber','message':'loss is NaN','time':'2026-11-21T16:29:00Z'}",
                ""))
        .isEqualTo(
            "The last failure: the pods were ended, because the training computed what is no number"
                + " (NotANumber), 1 min ago. What was found: loss is NaN. Where it goes on from a"
                + " checkpoint, that has to be one from before it.");
  }
}
