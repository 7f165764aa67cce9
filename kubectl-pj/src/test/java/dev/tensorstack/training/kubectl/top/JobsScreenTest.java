package dev.tensorstack.training.kubectl.top;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static dev.tensorstack.training.kubectl.job.Samples.status;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static dev.tensorstack.training.kubectl.terminal.Terminal.Size.UNLIMITED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.Samples;
import dev.tensorstack.training.kubectl.terminal.Terminal;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobsScreenTest {

  private static final Job JOB =
      trainingJob(
          "",
          status(
              "Running",
              "-",
              "2 of 2 pods run",
              ",'aggregate':{'running':2},'attempt':1,'backoffCount':1,'training':{'attempt':1,'progress':45,"
                  + "'estimatedRemainingSeconds':754,'step':'1200','metrics':[{'name':'loss','value':'0.31'}],"
                  + "'updatedAt':'2026-11-21T16:29:50Z'}"));

  private static final Job HANGS =
      trainingJob(
          "",
          status(
              "Running",
              "NoProgress",
              "2 of 2 pods run",
              ",'aggregate':{'running':2},'training':{'progress':45,'step':'1200',"
                  + "'estimatedRemainingSeconds':754,'stepAt':'2026-11-21T16:15:00Z',"
                  + "'updatedAt':'2026-11-21T16:29:50Z','problem':{'reason':'NoProgress',"
                  + "'message':'no new step for 10 min','since':'2026-11-21T16:25:00Z'}}"));

  @Test
  void manyJobs() {
    assertThat(JobsScreen.of(List.of(JOB, Samples.pytorchJob("", "{}")), false, NOW, UNLIMITED))
        .containsExactly(
            "JOB                PHASE     REASON   RUNNING   RESTARTS   PROGRESS   ETA   NODES   QUEUE   AGE",
            "pj/mnist           Running   -        2/2       1          45%        12m   2       -       30m",
            "pytorchjob/mnist   Pending   -        0/3       0          -          -     3       -       30m");
    assertThat(JobsScreen.of(List.of(JOB), true, NOW, UNLIMITED).get(1))
        .startsWith("team-a      pj/mnist");
  }

  @Test
  void aTrainingThatHangsIsSeenAtOnce() {
    assertThat(JobsScreen.of(List.of(HANGS), false, NOW, UNLIMITED).get(1))
        .isEqualTo(
            "pj/mnist   Running   NoProgress   2/2       0          45%        -     2       -       30m");
  }

  @Test
  void aNarrowTerminalHasTheImportantColumns() {
    assertThat(JobsScreen.of(List.of(JOB), false, NOW, new Terminal.Size(66, 40)))
        .containsExactly(
            "JOB        PHASE     REASON   RUNNING   RESTARTS   PROGRESS   ETA",
            "pj/mnist   Running   -        2/2       1          45%        12m");
    assertThat(JobsScreen.of(List.of(JOB), false, NOW, new Terminal.Size(20, 40)).get(0))
        .isEqualTo("JOB        PHASE     REASON   RUNNING   PROGRESS");
  }

  @Test
  void aLowTerminalBeginsWithWhatAsksForAttention() {
    Job waits = trainingJob("", status("Pending", "Unschedulable", "m", ""));
    Job ended = trainingJob("", Samples.failed("ReplicaFailed", "m", ""));
    assertThat(JobsScreen.of(List.of(ended, JOB, waits), false, NOW, new Terminal.Size(100, 4)))
        .extracting(line -> line.substring(11, 18))
        .containsExactly("PHASE  ", "Pending", "Running", "Failed ");
  }
}
