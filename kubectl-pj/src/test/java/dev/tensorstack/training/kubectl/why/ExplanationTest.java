package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static dev.tensorstack.training.kubectl.job.Samples.failed;
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
import dev.tensorstack.training.kubectl.job.JobKind;
import dev.tensorstack.training.kubectl.job.Tree;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ExplanationTest {

  private static final String UNSCHEDULABLE =
      "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.";

  private static final String RUNNING = running("Running", "{'running':{}}");

  private static String explain(Job job, Tree... pods) {
    return explain(job, List.of(), pods);
  }

  private static String explain(Job job, List<JobEvent> events, Tree... pods) {
    return Explanation.of(new Situation(job, ranked(job, pods), events, true, NOW));
  }

  private static Tree unscheduled(int index) {
    return pod(
        "w" + index,
        "worker",
        index,
        0,
        ",'status':{'phase':'Pending','conditions':[{'type':'PodScheduled','status':'False',"
            + "'reason':'Unschedulable','message':'"
            + UNSCHEDULABLE
            + "'}]}");
  }

  @Test
  void aNewJob() {
    Job job =
        new Job(
            JobKind.TRAINING_JOB,
            tree(
                "{'metadata':{'name':'mnist','namespace':'a','creationTimestamp':'2026-11-21T16:29:57Z'}}"));
    assertThat(explain(job))
        .isEqualTo(
            "PyTorchTrainingJob mnist was created 3 s ago, and no operator has looked at it yet.");
  }

  @Test
  void aJobThatNoOperatorLooksAt() {
    Job job =
        new Job(
            JobKind.PYTORCH_JOB,
            tree(
                "{'metadata':{'name':'mnist','namespace':'a','creationTimestamp':'2026-11-21T16:20:00Z'}}"));
    assertThat(explain(job))
        .contains("none seems to run for pytorchjobs in namespace a: ask your administrator");
  }

  @Test
  void aJobOfSomebodyElse() {
    assertThat(explain(pytorchJob(",'runPolicy':{'managedBy':'kueue.x-k8s.io/multikueue'}", "{}")))
        .contains("is left to kueue.x-k8s.io/multikueue (managedBy)");
  }

  @Test
  void unschedulable() {
    assertThat(
            explain(
                trainingJob(
                    "",
                    status("Pending", "Unschedulable", "worker-0, worker-1: " + UNSCHEDULABLE, "")),
                unscheduled(0),
                unscheduled(1)))
        .isEqualTo(
            "PyTorchTrainingJob mnist has been pending for 2 min (Unschedulable): worker-0, worker-1: "
                + UNSCHEDULABLE
                + " The scheduler tries again by itself whenever something changes: free or add"
                + " nodes, or ask for less.");
  }

  @Test
  void theSchedulersNewestWordsAreTold() {
    assertThat(
            explain(
                trainingJob(
                    "",
                    status("Pending", "Unschedulable", "worker-0: 0/2 nodes are available", "")),
                unscheduled(0)))
        .contains("The scheduler says of worker-0: " + UNSCHEDULABLE);
  }

  @Test
  void podsTellWhatAnotherOperatorsStatusDoesNot() {
    Job job =
        pytorchJob(
            "", "{'conditions':[{'type':'Created','status':'True','message':'is created.'}]}");
    Tree pod =
        tree(
            "{'metadata':{'name':'mnist-master-0','labels':{'training.kubeflow.org/replica-type':'master',"
                + "'training.kubeflow.org/replica-index':'0'}},'spec':{'nodeName':'n1'},'status':{"
                + "'phase':'Pending','containerStatuses':[{'name':'pytorch','state':{'waiting':{"
                + "'reason':'ImagePullBackOff','message':'Back-off pulling image x'}}}]}}");
    assertThat(explain(job, pod))
        .contains(
            "master-0: container pytorch waits: ImagePullBackOff, Back-off pulling image x. The"
                + " kubelet goes on trying");
  }

  @Test
  void imagePullError() {
    assertThat(
            explain(
                trainingJob(
                    "",
                    status(
                        "Pending",
                        "ImagePullFailed",
                        "worker-0: container pytorch waits: ErrImagePull, not found",
                        ""))))
        .contains("(ImagePullFailed): worker-0: container pytorch waits: ErrImagePull, not found.")
        .contains("correct the registry or the pull secret");
  }

  @Test
  void waitingForAQueue() {
    Job job =
        new Job(
            JobKind.TRAINING_JOB,
            tree(
                "{'metadata':{'name':'mnist','namespace':'a','labels':{'kueue.x-k8s.io/queue-name':'gpus'}},"
                    + "'spec':{},'status':"
                    + status("Pending", "WaitingForQueue", "couldnt assign flavors", "")
                    + "}"));
    assertThat(explain(job))
        .contains("(WaitingForQueue): couldnt assign flavors.")
        .contains("Nothing is wrong: it starts when the queue gpus admits it");
  }

  @Test
  void aQuota() {
    assertThat(explain(trainingJob("", status("Pending", "QuotaExceeded", "exceeded quota", ""))))
        .contains("raise the quota, or end something else in namespace team-a");
  }

  @Test
  void aRestartThatWaitsForItsDelay() {
    assertThat(
            explain(
                trainingJob(
                    ",'runPolicy':{'backoffLimit':3}",
                    status(
                        "Pending",
                        "Restarting",
                        "restart at 2026-11-21T16:30:12Z; the last failure was that of pod w1 (OOMKilled)",
                        ",'backoffCount':2,'lastFailure':{'pod':'w1','replica':'worker-1',"
                            + "'exitCode':137,'reason':'OOMKilled','node':'n1'}"))))
        .contains("It starts again in 12 s, at 2026-11-21 16:30:12 UTC.")
        .contains("It used more memory than its limit");
  }

  @Test
  void whatEndsAPendingPodsPatience() {
    Tree pod =
        pod("w0", "worker", 0, 0, running("Pending", "{'waiting':{'reason':'ContainerCreating'}}"));
    JobEvent mount = new JobEvent(NOW, true, "FailedMount", "configmap \"x\" not found", "Pod");
    assertThat(
            explain(
                trainingJob("", status("Pending", "NotFinished", "0 of 2 pods run", "")),
                List.of(mount),
                pod))
        .contains("worker-0: on n1, and being started there.")
        .contains("Its node says (FailedMount): configmap \"x\" not found.");
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
                        + "'metrics':{'loss':'0.31'},'updatedAt':'2026-11-21T16:29:50Z'}")),
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
  void theLogOfTheRootCauseIsRead() {
    Job job =
        trainingJob("", failed("ReplicaFailed", "x", ",'lastFailure':{'pod':'w1','exitCode':3}"));
    LogSource source =
        Objects.requireNonNull(
            LogSource.of(
                job,
                ranked(
                    job,
                    pod("w0", "worker", 0, 0, running("Failed", "{'terminated':{'exitCode':1}}")),
                    pod(
                        "w1",
                        "worker",
                        1,
                        0,
                        running("Failed", "{'terminated':{'exitCode':3}}")))));
    assertThat(source.pod().name()).isEqualTo("w1");
    assertThat(source.container()).isEqualTo("python");
    assertThat(source.previous()).isFalse();
    assertThat(LogSource.of(job, List.of())).isNull();
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

  @Test
  void beingDeleted() {
    Job job =
        new Job(
            JobKind.TRAINING_JOB,
            tree(
                "{'metadata':{'name':'mnist','uid':'u1','deletionTimestamp':'2026-11-21T16:29:50Z',"
                    + "'finalizers':['foregroundDeletion']},'spec':{}}"));
    assertThat(explain(job, pod("w0", "worker", 0, 0, RUNNING)))
        .isEqualTo(
            "PyTorchTrainingJob mnist is being deleted; that began 10 s ago. 1 pod is still ending (w0):"
                + " each has the time of its terminationGracePeriodSeconds. It is gone once"
                + " foregroundDeletion is taken off its metadata.finalizers, by whoever put it there.");
  }

  @Test
  void withoutTheRightToListPodsItSaysSo() {
    Job job = trainingJob("", status("Pending", "Unschedulable", "m", ""));
    assertThat(Explanation.of(new Situation(job, List.of(), List.of(), false, NOW)))
        .endsWith("You may not list its pods, so that this is only what the job itself says.");
  }
}
