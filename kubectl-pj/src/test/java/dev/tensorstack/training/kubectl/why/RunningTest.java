package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static dev.tensorstack.training.kubectl.job.Samples.pod;
import static dev.tensorstack.training.kubectl.job.Samples.pytorchJob;
import static dev.tensorstack.training.kubectl.job.Samples.ranked;
import static dev.tensorstack.training.kubectl.job.Samples.running;
import static dev.tensorstack.training.kubectl.job.Samples.status;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static dev.tensorstack.training.kubectl.job.Samples.tree;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobEvent;
import dev.tensorstack.training.kubectl.job.Tree;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RunningTest {

  private static final String RUNNING = running("Running", "{'running':{}}");

  private static String explain(Job job, Tree... pods) {
    return explain(job, List.of(), pods);
  }

  private static String explain(Job job, List<JobEvent> events, Tree... pods) {
    return Explanation.of(new Situation(job, ranked(job, pods), events, true, NOW));
  }

  @Test
  void aJobThatRuns() {
    String text =
        explain(
            trainingJob(
                ",'runPolicy':{'backoffLimit':3,'activeDeadlineSeconds':7200}",
                status(
                    "Running",
                    "-",
                    "2 of 2 pods run",
                    ",'backoffCount':1,'disruptionCount':2,'lastFailure':{'pod':'w1','replica':'worker-1',"
                        + "'exitCode':1,'reason':'Error','node':'n1','time':'2026-11-21T16:10:00Z'},"
                        + "'training':{'progress':45,'estimatedRemainingSeconds':754,"
                        + "'metrics':[{'name':'loss','value':'0.31'}],'updatedAt':'2026-11-21T16:29:50Z'}")),
            pod("w0", "worker", 0, 0, RUNNING));
    assertThat(text)
        .isEqualTo(
            "PyTorchTrainingJob mnist is running, started 30 min ago: 2 of 2 pods run. Its last"
                + " report, 10 s ago: 45 % done, about 12 min left, loss 0.31. It has been restarted: 1"
                + " failure (backoffLimit 1 of 3 used) and 2 disruptions, which cost nothing. The last"
                + " time pod w1 (worker-1) failed with exit code 1 (Error) on node n1, 20 min ago."
                + " There is nothing to wait for but its end. It is ended at 2026-11-21 18:00:00 UTC"
                + " (in 1 h 30 min) if it has not ended before (runPolicy.activeDeadlineSeconds).");
  }

  @Test
  void aCrashLoopOfAPyTorchJob() {
    Job job =
        pytorchJob(
            "", "{'conditions':[{'type':'Running','status':'True','message':'is running.'}]}");
    Tree pod =
        tree(
            "{'metadata':{'name':'mnist-worker-0','labels':{'training.kubeflow.org/replica-type':'worker',"
                + "'training.kubeflow.org/replica-index':'0'}},'spec':{'nodeName':'n1'},'status':{"
                + "'phase':'Running','containerStatuses':[{'name':'pytorch','restartCount':4,"
                + "'state':{'waiting':{'reason':'CrashLoopBackOff'}},"
                + "'lastState':{'terminated':{'exitCode':1,'reason':'Error'}}}]}}");
    assertThat(explain(job, pod))
        .contains(
            "worker-0: container pytorch ended with exit code 1 (Error), and the kubelet starts it"
                + " again after a delay; restarts so far: 4.");
    LogSource source = Objects.requireNonNull(LogSource.of(job, ranked(job, pod)));
    assertThat(source.previous()).isTrue();
  }

  @Test
  void aContainerThatHasJustEndedIsStartedAgain() {
    Job job =
        pytorchJob(
            "", "{'conditions':[{'type':'Running','status':'True','message':'is running.'}]}");
    Tree pod =
        tree(
            "{'metadata':{'name':'mnist-worker-0','labels':{'training.kubeflow.org/replica-type':'worker',"
                + "'training.kubeflow.org/replica-index':'0'}},"
                + "'spec':{'nodeName':'n1','restartPolicy':'OnFailure'},'status':{"
                + "'phase':'Running','containerStatuses':[{'name':'pytorch','restartCount':2,"
                + "'state':{'terminated':{'exitCode':3,'reason':'Error'}}}]}}");
    assertThat(explain(job, pod))
        .contains(
            "container pytorch ended with exit code 3 (Error), and the kubelet starts it again");
  }
}
