package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static dev.tensorstack.training.kubectl.job.Samples.pod;
import static dev.tensorstack.training.kubectl.job.Samples.ranked;
import static dev.tensorstack.training.kubectl.job.Samples.running;
import static dev.tensorstack.training.kubectl.job.Samples.status;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static dev.tensorstack.training.kubectl.job.Samples.tree;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobEvent;
import dev.tensorstack.training.kubectl.job.JobKind;
import dev.tensorstack.training.kubectl.job.Tree;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeldTest {

  private static final String RUNNING = running("Running", "{'running':{}}");

  private static String explain(Job job, Tree... pods) {
    return explain(job, List.of(), pods);
  }

  private static String explain(Job job, List<JobEvent> events, Tree... pods) {
    return Explanation.of(new Situation(job, ranked(job, pods), events, true, NOW));
  }

  @Test
  void paused() {
    assertThat(
            explain(
                trainingJob(
                    ",'runMode':{'pause':{'enabled':true}}",
                    status("Paused", "Paused", "paused", ""))))
        .isEqualTo(
            "PyTorchTrainingJob mnist is paused; none of its pods runs. It stays so until somebody"
                + " resumes it: kubectl pj resume mnist.");
  }

  @Test
  void pausing() {
    assertThat(
            explain(
                trainingJob(
                    ",'runMode':{'pause':{'enabled':true}}", status("Running", "Paused", "x", "")),
                pod("w0", "worker", 0, 0, RUNNING)))
        .contains("is being paused: 1 pod still to end");
  }

  @Test
  void aSuspendedJobInAQueueIsKueuesMatter() {
    Job job =
        new Job(
            JobKind.PYTORCH_JOB,
            tree(
                "{'metadata':{'name':'mnist','labels':{'kueue.x-k8s.io/queue-name':'gpus'}},'spec':{"
                    + "'runPolicy':{'suspend':true}},'status':{'conditions':[{'type':'Suspended',"
                    + "'status':'True'}]}}"));
    assertThat(explain(job)).contains("It waits in the queue gpus: Kueue resumes it");
  }

  @Test
  void debugging() {
    assertThat(
            explain(
                trainingJob(
                    ",'runMode':{'debug':{'enabled':true}}",
                    status("Running", "Debugging", "x", ",'aggregate':{'running':2}"))))
        .contains("is in debug mode: nothing trains")
        .contains("2 of 2 run")
        .contains("kubectl pj debug mnist off");
  }
}
