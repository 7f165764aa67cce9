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
import dev.tensorstack.training.kubectl.job.JobKind;
import dev.tensorstack.training.kubectl.job.Tree;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitingTest {

  private static final String UNSCHEDULABLE =
      "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.";

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
}
