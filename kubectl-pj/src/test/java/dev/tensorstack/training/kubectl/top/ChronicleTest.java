package dev.tensorstack.training.kubectl.top;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static dev.tensorstack.training.kubectl.job.Samples.pod;
import static dev.tensorstack.training.kubectl.job.Samples.ranked;
import static dev.tensorstack.training.kubectl.job.Samples.running;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.Job;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChronicleTest {

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
