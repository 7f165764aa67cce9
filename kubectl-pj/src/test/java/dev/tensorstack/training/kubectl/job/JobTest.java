package dev.tensorstack.training.kubectl.job;

import static dev.tensorstack.training.kubectl.job.Samples.failed;
import static dev.tensorstack.training.kubectl.job.Samples.pytorchJob;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobTest {

  private static final String FAILURE =
      ",'lastFailure':{'replica':'worker-1','pod':'mnist-1-worker-1','cause':'Application',"
          + "'exitCode':42,'reason':'Error'}";

  @Test
  void aFailedJobsExitCodeIsTheTrainingsOwn() {
    assertThat(trainingJob("", failed("ReplicaFailed", "x", FAILURE)).exitCode()).isEqualTo(42);
    assertThat(trainingJob("", failed("ReplicaFailed", "x", "")).exitCode()).isEqualTo(1);
  }

  @Test
  void aDeadlineIsNoExitCodeOfTheTraining() {
    assertThat(trainingJob("", failed("DeadlineExceeded", "x", FAILURE)).exitCode()).isEqualTo(1);
  }

  @Test
  void aPyTorchJobsConditionsTellItsPhase() {
    assertThat(pytorchJob("", "{}").phase()).isEqualTo(Phase.Pending);
    assertThat(pytorchJob("", condition("Created")).phase()).isEqualTo(Phase.Pending);
    assertThat(pytorchJob("", condition("Running")).phase()).isEqualTo(Phase.Running);
    assertThat(pytorchJob("", condition("Suspended")).phase()).isEqualTo(Phase.Paused);
    assertThat(pytorchJob("", condition("Failed")).phase()).isEqualTo(Phase.Failed);
    assertThat(pytorchJob("", condition("Succeeded")).phase()).isEqualTo(Phase.Succeeded);
  }

  @Test
  void whereThisOperatorWorksOnAPyTorchJobItsLedgerTellsMore() {
    Job job =
        pytorchJob(
            "",
            "{'conditions':[{'type':'Created','status':'True','message':'created'}],'ledger':{"
                + "'attempt':2,'backoff':1,'summary':{'phase':'Pending','reason':'Unschedulable',"
                + "'message':'0/3 nodes are available','replicas':3}}}");
    assertThat(job.reason()).isEqualTo("Unschedulable");
    assertThat(job.message()).isEqualTo("0/3 nodes are available");
    assertThat(job.attempt()).isEqualTo(2);
    assertThat(job.countedRestarts()).isEqualTo(1);
    assertThat(job.desired()).isEqualTo(3);
  }

  private static String condition(String type) {
    return "{'conditions':[{'type':'" + type + "','status':'True','message':'m'}]}";
  }

  @Test
  void theTrainingsReportIsReadWhereThereIsOne() {
    Job job =
        trainingJob(
            "",
            "{'phase':'Running','training':{'progress':45,'estimatedRemainingSeconds':754,"
                + "'metrics':{'loss':'0.31'},'updatedAt':'2026-11-21T16:29:50Z'}}");
    Training training = job.training();
    assertThat(training)
        .isEqualTo(
            new Training(
                45, Duration.ofSeconds(754), Map.of("loss", "0.31"), Samples.NOW.minusSeconds(10)));
    assertThat(trainingJob("", "{}").training()).isNull();
  }

  @Test
  void jobsOfOthersAreKnown() {
    assertThat(
            pytorchJob(",'runPolicy':{'managedBy':'kueue.x-k8s.io/multikueue'}", "{}")
                .foreignManager())
        .isEqualTo("kueue.x-k8s.io/multikueue");
    assertThat(
            pytorchJob(",'runPolicy':{'managedBy':'kubeflow.org/training-operator'}", "{}")
                .foreignManager())
        .isNull();
  }
}
