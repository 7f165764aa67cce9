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
import dev.tensorstack.training.kubectl.terminal.Terminal;
import java.util.List;
import org.junit.jupiter.api.Test;

class RanksScreenTest {

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
  void theRanksOfOneJob() {
    assertThat(
            RanksScreen.of(
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
    assertThat(RanksScreen.of(HANGS, List.of(), NOW, UNLIMITED))
        .startsWith(
            "pj/mnist   Running (NoProgress)   2/2 run   nodes 2   attempt 0   restarts 0   for 30m",
            "[#########...........] 45%   step 1200 (15m ago)   reported 10s ago",
            "no new step for 10 min (for 5m)",
            "");
  }

  @Test
  void aNarrowTerminalHasMoreLines() {
    assertThat(RanksScreen.of(JOB, List.of(), NOW, new Terminal.Size(50, 40)))
        .startsWith(
            "pj/mnist   Running   2/2 run   nodes 2   attempt 1",
            "restarts 1   for 30m",
            "[#########...........] 45%   12m left   step 1200",
            "loss 0.31   reported 10s ago",
            "");
  }

  @Test
  void aLowTerminalBeginsWithRanksThatDoNotRun() {
    List<String> ranks =
        RanksScreen.of(
            JOB,
            ranked(
                JOB,
                pod("w0", "worker", 0, 1, running("Running", "{'running':{}}")),
                pod("w1", "worker", 1, 1, running("Failed", "{'terminated':{'exitCode':1}}"))),
            NOW,
            new Terminal.Size(100, 5));
    assertThat(ranks.get(ranks.size() - 2)).startsWith("1      worker-1   Error");
  }
}
