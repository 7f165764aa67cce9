package dev.tensorstack.training.kubectl.job;

import static dev.tensorstack.training.kubectl.job.Samples.failed;
import static dev.tensorstack.training.kubectl.job.Samples.pytorchJob;
import static dev.tensorstack.training.kubectl.job.Samples.trainingJob;
import static dev.tensorstack.training.kubectl.job.Samples.tree;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
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
  void commandsAreToldTheKindWhereItIsNotTheUsualOne() {
    assertThat(trainingJob("", "{}").reference()).isEqualTo("mnist");
    assertThat(pytorchJob("", "{}").reference()).isEqualTo("pytorchjob/mnist");
  }

  @Test
  void theStatusCountsAnElasticJobsNodes() {
    Job job =
        trainingJob(
            ",'elastic':{'enabled':true,'minReplicas':1,'maxReplicas':4}",
            "{'replicas':3,'tasks':[{'type':'worker','replicas':[{},{},{}]}]}");
    assertThat(job.desired()).isEqualTo(3);
    assertThat(job.nodes()).isEqualTo("1:4");
    assertThat(job.replicas(job.spec().types().get(0))).isEqualTo(3);
    assertThat(trainingJob("", "{}").desired()).isEqualTo(2);
    assertThat(trainingJob("", "{}").nodes()).isEqualTo("2");
  }

  @Test
  void limitsCountFromTheStartAndFromTheEnd() {
    Job job =
        trainingJob(
            ",'runPolicy':{'activeDeadlineSeconds':60,'ttlSecondsAfterFinished':30}",
            failed("DeadlineExceeded", "x", ""));
    assertThat(job.deadline()).isEqualTo(Instant.parse("2026-11-21T16:01:00Z"));
    assertThat(job.removal()).isEqualTo(Instant.parse("2026-11-21T16:24:30Z"));
    assertThat(trainingJob("", "{}").deadline()).isNull();
  }

  @Test
  void kueuesQueueComesBeforeTheSchedulers() {
    Job job =
        new Job(
            JobKind.TRAINING_JOB,
            tree(
                "{'metadata':{'labels':{'kueue.x-k8s.io/queue-name':'gpus'}},"
                    + "'spec':{'scheduler':{'volcano':{'queue':'batch'}}}}"));
    assertThat(job.queue()).isEqualTo("gpus");
    assertThat(trainingJob(",'scheduler':{'volcano':{'queue':'batch'}}", "{}").queue())
        .isEqualTo("batch");
  }

  @Test
  void whatIsDoneAboutATrainingThatHangsIsReadOfBothKinds() {
    String policy = ",'runPolicy':{'progress':{'onFailure':'Restart'}}";
    assertThat(trainingJob(policy, "{}").isRestartedWhenStuck()).isTrue();
    assertThat(trainingJob("", "{}").isRestartedWhenStuck()).isFalse();
    Map<String, Object> annotations =
        Map.of("batch.tensorstack.dev/progress", "{\"stallSeconds\":9,\"onFailure\": \"Restart\"}");
    Tree annotated = Tree.of(Map.of("metadata", Map.of("annotations", annotations)));
    assertThat(new Job(JobKind.PYTORCH_JOB, annotated).isRestartedWhenStuck()).isTrue();
    assertThat(pytorchJob("", "{}").isRestartedWhenStuck()).isFalse();
  }

  @Test
  void aSpecThatTheOperatorHasNotSeenIsKnown() {
    assertThat(trainingJob("", "{'observedGeneration':1}").isUpToDate()).isTrue();
    assertThat(trainingJob("", "{'observedGeneration':0}").isUpToDate()).isFalse();
  }
}
