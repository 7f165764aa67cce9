package dev.tensorstack.training.kubectl.top;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static dev.tensorstack.training.kubectl.job.Samples.pod;
import static dev.tensorstack.training.kubectl.job.Samples.ranked;
import static dev.tensorstack.training.kubectl.job.Samples.running;
import static dev.tensorstack.training.kubectl.job.Samples.status;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static dev.tensorstack.training.kubectl.terminal.Terminal.Size.UNLIMITED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.Samples;
import dev.tensorstack.training.kubectl.terminal.Terminal;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScreensTest {

  private static final Job JOB =
      trainingJob(
          "",
          status(
              "Running",
              "-",
              "2 of 2 pods run",
              ",'aggregate':{'running':2},'attempt':1,'backoffCount':1,'training':{'progress':45,"
                  + "'estimatedRemainingSeconds':754,'step':'1200','metrics':[{'name':'loss','value':'0.31'}],"
                  + "'updatedAt':'2026-11-21T16:29:50Z'}"));

  @Test
  void manyJobs() {
    assertThat(Screens.jobs(List.of(JOB, Samples.pytorchJob("", "{}")), false, NOW, UNLIMITED))
        .containsExactly(
            "JOB                PHASE     REASON   RUNNING   RESTARTS   PROGRESS   ETA   NODES   QUEUE   AGE",
            "pj/mnist           Running   -        2/2       1          45%        12m   2       -       30m",
            "pytorchjob/mnist   Pending   -        0/3       0          -          -     3       -       30m");
    assertThat(Screens.jobs(List.of(JOB), true, NOW, UNLIMITED).get(1))
        .startsWith("team-a      pj/mnist");
  }

  @Test
  void theRanksOfOneJob() {
    assertThat(
            Screens.ranks(
                JOB,
                ranked(
                    JOB,
                    pod("w0", "worker", 0, 1, running("Running", "{'running':{}}")),
                    pod("w1", "worker", 1, 0, running("Failed", "{'terminated':{'exitCode':1}}")),
                    pod(
                        "w1-r1",
                        "worker",
                        1,
                        1,
                        running("Pending", "{'waiting':{'reason':'ContainerCreating'}}"))),
                NOW,
                UNLIMITED))
        .containsExactly(
            "pj/mnist   Running   2/2 run   nodes 2   attempt 1   restarts 1   for 30m",
            "[#########...........] 45%   12m left   step 1200   loss 0.31   reported 10s ago",
            "",
            "RANK   REPLICA    STATUS              NODE   RESTARTS   ATTEMPT   AGE   POD",
            "0      worker-0   Running             n1     0          1         29m   w0",
            "1      worker-1   ContainerCreating   n1     1          1         29m   w1-r1");
  }

  @Test
  void aTrainingThatHangsIsSeenAtOnce() {
    Job hangs =
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
    assertThat(Screens.jobs(List.of(hangs), false, NOW, UNLIMITED).get(1))
        .isEqualTo(
            "pj/mnist   Running   NoProgress   2/2       0          45%        -     2       -       30m");
    assertThat(Screens.ranks(hangs, List.of(), NOW, UNLIMITED))
        .startsWith(
            "pj/mnist   Running (NoProgress)   2/2 run   nodes 2   attempt 0   restarts 0   for 30m",
            "[#########...........] 45%   step 1200 (15m ago)   reported 10s ago",
            "no new step for 10 min (for 5m)",
            "");
  }

  @Test
  void aNarrowTerminalHasTheImportantColumns() {
    assertThat(Screens.jobs(List.of(JOB), false, NOW, new Terminal.Size(66, 40)))
        .containsExactly(
            "JOB        PHASE     REASON   RUNNING   RESTARTS   PROGRESS   ETA",
            "pj/mnist   Running   -        2/2       1          45%        12m");
    assertThat(Screens.jobs(List.of(JOB), false, NOW, new Terminal.Size(20, 40)).get(0))
        .isEqualTo("JOB        PHASE     REASON   RUNNING   PROGRESS");
    assertThat(Screens.ranks(JOB, List.of(), NOW, new Terminal.Size(50, 40)))
        .startsWith(
            "pj/mnist   Running   2/2 run   nodes 2   attempt 1",
            "restarts 1   for 30m",
            "[#########...........] 45%   12m left   step 1200",
            "loss 0.31   reported 10s ago",
            "");
  }

  @Test
  void aLowTerminalBeginsWithWhatAsksForAttention() {
    Job waits = trainingJob("", status("Pending", "Unschedulable", "m", ""));
    Job ended = trainingJob("", Samples.failed("ReplicaFailed", "m", ""));
    assertThat(Screens.jobs(List.of(ended, JOB, waits), false, NOW, new Terminal.Size(100, 4)))
        .extracting(line -> line.substring(11, 18))
        .containsExactly("PHASE  ", "Pending", "Running", "Failed ");
    List<String> ranks =
        Screens.ranks(
            JOB,
            ranked(
                JOB,
                pod("w0", "worker", 0, 1, running("Running", "{'running':{}}")),
                pod("w1", "worker", 1, 1, running("Failed", "{'terminated':{'exitCode':1}}"))),
            NOW,
            new Terminal.Size(100, 5));
    assertThat(ranks.get(ranks.size() - 2)).startsWith("1      worker-1   Error");
  }

  @Test
  void whatDoesNotFitIsCutAndCounted() {
    List<String> lines = IntStream.range(0, 10).mapToObj(i -> "line number " + i).toList();
    assertThat(Screens.fit(lines, 8, 5))
        .containsExactly(
            "line nu…", "line nu…", "line nu…", "… and 7 more lines (all of them: --once)");
    assertThat(Screens.fit(lines, 80, 11)).isEqualTo(lines);
  }

  @Test
  void theStoryIsToldFromThePodsWhereTheStatusKeepsNone() {
    Job job =
        trainingJob(
            "",
            "{'phase':'Running','startTime':'2026-11-21T16:00:00Z','replicas':2,"
                + "'training':{'progress':45,'step':'1200'}}");
    String state = running("Running", "{'running':{}}");
    assertThat(
            Chronicle.of(
                job,
                ranked(job, pod("w0", "worker", 0, 0, state), pod("w1", "worker", 1, 0, state)),
                List.of(),
                NOW))
        .containsExactly(
            "PyTorchTrainingJob mnist: Running, attempt 0, counted restarts 0, disruptions 0, 45%"
                + " done, step 1200",
            "",
            "ATTEMPT   START                  TOOK   PODS   END       CAUSE   REASON   EXIT   REPLICA   NODE",
            "0         2026-11-21T16:00:00Z   30m    2      Running   -       -        -      -         -");
  }

  @Test
  void theStoryIsToldFromTheStatusWhereItKeepsOne() {
    Job job =
        trainingJob(
            "",
            "{'phase':'Running','attempt':1,'startTime':'2026-11-21T16:00:00Z','replicas':2,"
                + "'aggregate':{'running':2},'history':[{'attempt':0,"
                + "'startTime':'2026-11-21T16:00:00Z','endTime':'2026-11-21T16:10:00Z',"
                + "'end':'Restarted','cause':'Application','reason':'OOMKilled',"
                + "'replica':'worker-1','exitCode':137,'node':'n1','running':2}]}");
    assertThat(Chronicle.of(job, List.of(), List.of(), NOW))
        .containsExactly(
            "PyTorchTrainingJob mnist: Running, attempt 1, counted restarts 0, disruptions 0",
            "",
            "ATTEMPT   START                  TOOK   PODS   END         CAUSE         REASON      EXIT   REPLICA    NODE",
            "0         2026-11-21T16:00:00Z   10m    2      Restarted   Application   OOMKilled   137    worker-1   n1",
            "1         2026-11-21T16:10:00Z   20m    2      Running     -             -           -      -          -");
  }
}
