package dev.tensorstack.training.kubectl.why;

import static dev.tensorstack.training.kubectl.job.Samples.NOW;
import static dev.tensorstack.training.kubectl.job.Samples.pod;
import static dev.tensorstack.training.kubectl.job.Samples.pytorchJob;
import static dev.tensorstack.training.kubectl.job.Samples.ranked;
import static dev.tensorstack.training.kubectl.job.Samples.running;
import static dev.tensorstack.training.kubectl.job.Samples.tree;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobEvent;
import dev.tensorstack.training.kubectl.job.JobKind;
import dev.tensorstack.training.kubectl.job.Tree;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnattendedTest {

  private static final String RUNNING = running("Running", "{'running':{}}");

  private static String explain(Job job, Tree... pods) {
    return explain(job, List.of(), pods);
  }

  private static String explain(Job job, List<JobEvent> events, Tree... pods) {
    return Explanation.of(new Situation(job, ranked(job, pods), events, true, NOW));
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
}
