package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static dev.tensorstack.training.kubectl.job.Samples.pod;
import static dev.tensorstack.training.kubectl.job.Samples.pytorchJob;
import static dev.tensorstack.training.kubectl.job.Samples.ranked;
import static dev.tensorstack.training.kubectl.job.Samples.running;
import static dev.tensorstack.training.kubectl.job.Samples.status;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.Tree;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class StuckTest {

  private static final String REPORT =
      "'training':{'progress':45,'step':'1200','stepAt':'2026-11-21T16:15:00Z',"
          + "'updatedAt':'2026-11-21T16:29:50Z','metrics':[{'name':'loss','value':'0.31'}],"
          + "'problem':{'reason':'NoProgress','message':'no new step for 10 min',"
          + "'since':'2026-11-21T16:25:00Z'}}";

  private static String explain(Job job, Tree... pods) {
    return Explanation.of(new Situation(job, ranked(job, pods), List.of(), true, NOW));
  }

  private static Job hangs(String spec) {
    return trainingJob(spec, status("Running", "NoProgress", "2 of 2 pods run", "," + REPORT));
  }

  @Test
  void aTrainingThatHangsIsOnlyReportedUnlessAskedOtherwise() {
    assertThat(explain(hangs("")))
        .isEqualTo(
            "PyTorchTrainingJob mnist is running, started 30 min ago, but its training seems to hang"
                + " (NoProgress, for 5 min): no new step for 10 min. Its last step, 1200, was 15 min"
                + " ago, at 2026-11-21 16:15:00 UTC. Its last report, 10 s ago: 45 % done, loss 0.31."
                + " Nothing happens next by itself (runPolicy.progress, onFailure: Report): the pods"
                + " run on until somebody ends them, or the training recovers. One rank that waits"
                + " makes all others wait: compare them with kubectl pj logs mnist --all-ranks --tail"
                + " 3, and look into one with kubectl pj exec mnist --rank 0 -- sh. To start it"
                + " again: kubectl pj pause mnist, then kubectl pj resume mnist.");
  }

  @Test
  void whatIsRestartedNeedsNoHand() {
    assertThat(explain(hangs(",'runPolicy':{'backoffLimit':3,'progress':{'onFailure':'Restart'}}")))
        .contains(
            "Its pods are ended and started again (onFailure: Restart), which costs one of its"
                + " restarts (backoffLimit 0 of 3 used).")
        .doesNotContain("kubectl pj pause");
  }

  @Test
  void theLogOfTheMasterIsShown() {
    Job job = hangs("");
    LogSource source =
        Objects.requireNonNull(
            LogSource.of(
                job,
                ranked(
                    job,
                    pod("w0", "worker", 0, 0, running("Running", "{'running':{}}")),
                    pod("w1", "worker", 1, 0, running("Running", "{'running':{}}")))));
    assertThat(source.pod().name()).isEqualTo("w0");
    assertThat(source.container()).isEqualTo("python");
    assertThat(source.previous()).isFalse();
  }

  @Test
  void aPyTorchJobOfWhichOnlyTheReportTells() {
    assertThat(
            explain(
                pytorchJob(
                    "",
                    "{'conditions':[{'type':'Running','status':'True','message':'is running.'}],"
                        + REPORT.replace("NoProgress", "NotANumber")
                        + "}")))
        .startsWith(
            "PyTorchJob mnist is running, but its training computes what is no number (NotANumber,"
                + " for 5 min): no new step for 10 min.")
        .contains("(the annotation batch.tensorstack.dev/progress, onFailure: Report)")
        .contains("a checkpoint")
        .contains("kubectl pj pause pytorchjob/mnist");
  }

  @Test
  void aRestartAfterAHangBlamesNoPod() {
    assertThat(
            explain(
                trainingJob(
                    ",'runPolicy':{'backoffLimit':3}",
                    status(
                        "Running",
                        "-",
                        "2 of 2 pods run",
                        ",'backoffCount':1,'lastFailure':{'cause':'Application',"
                            + "'reason':'NoProgress','message':'no new step for 10 min',"
                            + "'time':'2026-11-21T16:20:00Z'}"))))
        .contains(
            "The last time the pods were ended, because the training made no progress (NoProgress),"
                + " 10 min ago.");
  }
}
