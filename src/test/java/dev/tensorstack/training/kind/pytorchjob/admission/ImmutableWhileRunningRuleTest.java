package dev.tensorstack.training.kind.pytorchjob.admission;

import static dev.tensorstack.training.kind.pytorchjob.admission.Jobs.refused;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What may be changed of a job when; compared with the stored object. */
class ImmutableWhileRunningRuleTest {

  private static final String JOB =
      """
      pytorchReplicaSpecs:
        Master:
          restartPolicy: OnFailure
          template: {spec: {containers: [{name: pytorch, image: i:1}]}}
        Worker:
          replicas: 3
          template: {spec: {containers: [{name: pytorch, image: i:1, resources: {limits: {cpu: 1}}}]}}
      nprocPerNode: "2"
      elasticPolicy: {minReplicas: 2, maxReplicas: 8, rdzvId: a, rdzvConf: [{key: k, value: v}], metrics: []}
      runPolicy: {suspend: false, backoffLimit: 3}
      """;

  private static final String REMEDY =
      " while the job runs: its pods would not notice; set runPolicy.suspend to true before, or in"
          + " the same update";

  private final ImmutableWhileRunningRule rule = new ImmutableWhileRunningRule();

  private static String changed(String before, String after) {
    assertThat(JOB).contains(before);
    return JOB.replace(before, after.replace("\\n", "\n"));
  }

  private static String suspended(String job) {
    return job.replace("suspend: false", "suspend: true");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "replicas: 3 | replicas: 8",
        "replicas: 3 | replicas: 2",
        "metrics: [] | 'metrics: [{type: Resource, resource: {name: cpu}}]'",
        "backoffLimit: 3 | backoffLimit: 9, cleanPodPolicy: All, activeDeadlineSeconds: 5, ttlSecondsAfterFinished: 9",
        "suspend: false | suspend: true",
        // What is absent has its default, and quantities are numbers.
        "restartPolicy: OnFailure | replicas: 1",
        "cpu: 1 | cpu: 1000m",
        "[{name: pytorch, image: i:1}] | '[{name: pytorch, image: i:1, ports: [{name: pytorchjob-port, containerPort: 23456}]}]'",
        "rdzvId: a | rdzvId: a, rdzvBackend: c10d, standalone: false",
      })
  void whatMayBeChangedAtAnyTimeIsNotRefused(String before, String after) {
    assertThat(refused(rule, JOB, changed(before, after))).isEmpty();
  }

  static List<List<String>> changes() {
    return List.of(
        List.of(
            "image: i:1",
            "image: i:2",
            "spec.pytorchReplicaSpecs[Master].template: cannot be changed",
            "spec.pytorchReplicaSpecs[Worker].template: cannot be changed"),
        List.of("cpu: 1", "cpu: 2", "spec.pytorchReplicaSpecs[Worker].template: cannot be changed"),
        List.of(
            "restartPolicy: OnFailure",
            "restartPolicy: Never",
            "spec.pytorchReplicaSpecs[Master].restartPolicy: cannot be changed"),
        List.of(
            "minReplicas: 2",
            "minReplicas: 1",
            "spec.elasticPolicy.minReplicas: cannot be changed from 2 to 1"),
        List.of(
            "maxReplicas: 8",
            "maxReplicas: 9",
            "spec.elasticPolicy.maxReplicas: cannot be changed from 8 to 9"),
        List.of(
            "minReplicas: 2, maxReplicas: 8, ",
            "",
            "spec.elasticPolicy.minReplicas: cannot be changed from 2 to 3",
            "spec.elasticPolicy.maxReplicas: cannot be changed from 8 to 3"),
        List.of("elasticPolicy: ", "later: ", "spec.elasticPolicy: cannot be taken out"),
        List.of("rdzvId: a", "rdzvId: b", "spec.elasticPolicy.rdzvId: cannot be changed"),
        List.of("value: v", "value: w", "spec.elasticPolicy.rdzvConf: cannot be changed"),
        List.of(
            "rdzvId: a",
            "rdzvId: a, maxRestarts: 3, rdzvPort: 1, rdzvHost: h, standalone: true",
            "spec.elasticPolicy.rdzvPort: cannot be changed",
            "spec.elasticPolicy.rdzvHost: cannot be changed",
            "spec.elasticPolicy.standalone: cannot be changed",
            "spec.elasticPolicy.maxRestarts: cannot be changed"),
        List.of("nprocPerNode: \"2\"", "nprocPerNode: gpu", "spec.nprocPerNode: cannot be changed"),
        List.of("  Worker:", "  worker:", "spec.pytorchReplicaSpecs[Worker]: cannot be taken out"));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void whatPodsWereMadeFromIsRefusedWhileTheJobGoesOnRunning(List<String> change) {
    assertThat(refused(rule, JOB, changed(change.get(0), change.get(1))))
        .isEqualTo(change.stream().skip(2).map(text -> text + REMEDY).toList());
  }

  /**
   * Kueue admits a job: it changes templates and the number of workers, and resumes, in one update;
   * and puts all back while it suspends.
   */
  @ParameterizedTest
  @MethodSource("changes")
  void theSameMayChangeInAnUpdateBeforeOrAfterWhichTheJobIsSuspended(List<String> change) {
    String after = changed(change.get(0), change.get(1));

    assertThat(refused(rule, suspended(JOB), after)).as("while it resumes").isEmpty();
    assertThat(refused(rule, JOB, suspended(after))).as("while it suspends").isEmpty();
    assertThat(refused(rule, suspended(JOB), suspended(after))).as("while suspended").isEmpty();
  }

  @Test
  void aJobThatIsCreatedHasNothingToBeComparedWith() {
    assertThat(refused(rule, JOB)).isEmpty();
  }

  @Test
  void aTypeCannotBeAddedWhileTheJobRuns() {
    assertThat(refused(rule, Jobs.workersOnly(""), Jobs.job("")))
        .containsExactly("spec.pytorchReplicaSpecs[Master]: cannot be added" + REMEDY);
  }

  @Test
  void theDeprecatedNumberOfProcessesMayTakeItsNewPlace() {
    String before = Jobs.workersOnly("elasticPolicy: {nProcPerNode: 2}");

    assertThat(refused(rule, before, Jobs.workersOnly("elasticPolicy: {}, nprocPerNode: \"2\"")))
        .isEmpty();
    assertThat(refused(rule, before, Jobs.workersOnly("elasticPolicy: {}, nprocPerNode: \"3\"")))
        .hasSize(1);
  }

  /** The bounds are the number of workers, and torchrun has started with them. */
  @Test
  void anElasticJobWithoutBoundsIsScaledWhenItIsSuspended() {
    String three = Jobs.jobOf("elasticPolicy: {}", Jobs.workers(3));
    String four = Jobs.jobOf("elasticPolicy: {}", Jobs.workers(4));

    assertThat(refused(rule, three, four))
        .containsExactly(
            "spec.pytorchReplicaSpecs[Worker].replicas: torchrun has started with exactly 3"
                + " workers: to scale the job while it runs, suspend it once and give it"
                + " elasticPolicy.minReplicas and maxReplicas");
    assertThat(
            refused(
                rule,
                three,
                Jobs.jobOf("elasticPolicy: {}, runPolicy: {suspend: true}", Jobs.workers(4))))
        .isEmpty();
  }

  @Test
  void aJobThatIsNotElasticIsScaledAtAnyTime() {
    for (int workers : Arrays.asList(1, 2, 30)) {
      assertThat(refused(rule, Jobs.job(""), Jobs.jobOf("", Jobs.master(), Jobs.workers(workers))))
          .isEmpty();
    }
  }
}
