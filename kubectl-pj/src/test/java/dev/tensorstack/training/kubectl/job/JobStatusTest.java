package dev.tensorstack.training.kubectl.job;

import static dev.tensorstack.training.kubectl.job.Samples.pytorchJob;
import static dev.tensorstack.training.kubectl.job.Samples.status;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class JobStatusTest {

  private static JobStatus ofPyTorchJob(String status) {
    return pytorchJob("", status).status();
  }

  private static String condition(String type) {
    return "{'conditions':[{'type':'" + type + "','status':'True','message':'m'}]}";
  }

  @Test
  void aPyTorchJobsConditionsTellItsPhase() {
    assertThat(ofPyTorchJob("{}").phase()).isEqualTo(Phase.Pending);
    assertThat(ofPyTorchJob(condition("Created")).phase()).isEqualTo(Phase.Pending);
    assertThat(ofPyTorchJob(condition("Running")).phase()).isEqualTo(Phase.Running);
    assertThat(ofPyTorchJob(condition("Suspended")).phase()).isEqualTo(Phase.Paused);
    assertThat(ofPyTorchJob(condition("Failed")).phase()).isEqualTo(Phase.Failed);
    assertThat(ofPyTorchJob(condition("Succeeded")).phase()).isEqualTo(Phase.Succeeded);
  }

  @Test
  void whereThisOperatorWorksOnAPyTorchJobItsLedgerTellsMore() {
    JobStatus status =
        ofPyTorchJob(
            "{'conditions':[{'type':'Created','status':'True','message':'created'}],'ledger':{"
                + "'attempt':2,'backoff':1,'summary':{'phase':'Pending','reason':'Unschedulable',"
                + "'message':'0/3 nodes are available','replicas':3}}}");
    assertThat(status.reason()).isEqualTo("Unschedulable");
    assertThat(status.message()).isEqualTo("0/3 nodes are available");
    assertThat(status.attempt()).isEqualTo(2);
    assertThat(status.countedRestarts()).isEqualTo(1);
    assertThat(status.replicas()).isEqualTo(3);
  }

  @Test
  void aProblemIsReadFromTheReportOfBothKinds() {
    String training =
        "'training':{'problem':{'reason':'NoProgress','message':'no step for 10 min',"
            + "'since':'2026-11-21T16:20:00Z'}}";
    Problem problem =
        new Problem("NoProgress", "no step for 10 min", Instant.parse("2026-11-21T16:20:00Z"));
    JobStatus own =
        trainingJob("", status("Running", "NoProgress", "2 of 2 pods run", "," + training))
            .status();
    JobStatus kubeflow =
        ofPyTorchJob("{'conditions':[{'type':'Running','status':'True'}]," + training + "}");
    for (JobStatus status : new JobStatus[] {own, kubeflow}) {
      assertThat(status.problem()).isEqualTo(problem);
      assertThat(status.reason()).isEqualTo("NoProgress");
      assertThat(status.message()).isEqualTo("no step for 10 min");
    }
  }

  @Test
  void theConditionTellsAProblemWhereTheReportDoesNot() {
    assertThat(trainingJob("", status("Running", "NotANumber", "loss is NaN", "")).status())
        .extracting(JobStatus::problem)
        .isEqualTo(new Problem("NotANumber", "loss is NaN", null));
    assertThat(trainingJob("", status("Running", "-", "2 of 2 pods run", "")).status().problem())
        .isNull();
  }

  @Test
  void whatDoesNotRunHasNoProblem() {
    String training = ",'training':{'problem':{'reason':'NoProgress'}}";
    assertThat(trainingJob("", status("Pending", "Restarting", "m", training)).status().reason())
        .isEqualTo("Restarting");
  }
}
