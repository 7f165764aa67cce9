package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static dev.tensorstack.training.kubectl.job.Samples.failed;
import static dev.tensorstack.training.kubectl.job.Samples.ranked;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobEvent;
import dev.tensorstack.training.kubectl.job.Tree;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndedTest {

  private static String explain(Job job, Tree... pods) {
    return explain(job, List.of(), pods);
  }

  private static String explain(Job job, List<JobEvent> events, Tree... pods) {
    return Explanation.of(new Situation(job, ranked(job, pods), events, true, NOW));
  }

  @Test
  void aJobThatFailed() {
    String message =
        "pod w1 (worker-1) failed with exit code 137 (OOMKilled) on node n1; the backoffLimit of 3"
            + " restarts is used up";
    assertThat(
            explain(
                trainingJob(
                    ",'runPolicy':{'backoffLimit':3,'ttlSecondsAfterFinished':3600}",
                    failed(
                        "BackoffLimitExceeded",
                        message,
                        ",'backoffCount':3,'lastFailure':{'pod':'w1','replica':'worker-1',"
                            + "'exitCode':137,'reason':'OOMKilled','node':'n1','message':'CUDA out of memory'}"))))
        .isEqualTo(
            "PyTorchTrainingJob mnist failed 6 min ago, 24 min after its start"
                + " (BackoffLimitExceeded): "
                + message
                + ". Its last words: CUDA out of memory. It used more memory than its limit: raise"
                + " resources.limits.memory, or use less. Before that it was restarted: 3 failures"
                + " (backoffLimit 3 of 3 used). Nothing happens next: correct the cause, or raise"
                + " runPolicy.backoffLimit if restarts help, and create it again. It is deleted in 54"
                + " min (runPolicy.ttlSecondsAfterFinished).");
  }

  @Test
  void aDeadlineNamesTheLastFailureButDoesNotBlameIt() {
    assertThat(explain(trainingJob("", failed("DeadlineExceeded", "ran longer than 60 s", ""))))
        .contains("(DeadlineExceeded): ran longer than 60 s.")
        .contains("a larger runPolicy.activeDeadlineSeconds");
  }

  @Test
  void succeeded() {
    assertThat(
            explain(
                trainingJob(
                    "",
                    "{'phase':'Succeeded','startTime':'2026-11-21T16:00:00Z',"
                        + "'completionTime':'2026-11-21T16:28:30Z','conditions':[]}")))
        .isEqualTo("PyTorchTrainingJob mnist succeeded 1 min 30 s ago, 28 min after its start.");
  }
}
